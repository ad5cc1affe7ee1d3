import { findRecordedRedaction, type LeafToVerify, type Read } from './queries.ts'

interface RecordedRedaction {
  entries: ReadonlySet<number>
  parts: readonly string[]
  redacted_by: string
  reason: string | null
}

/** Checks that every missing part of an entry has a redaction, and that an audit entry records the same part, person and reason. */
export function redactionsOf(read: Read) {
  const known = new Map<number, RecordedRedaction | undefined>()
  async function readRecorded(id: number) {
    if (!known.has(id)) {
      const [recorded] = await read(tx => findRecordedRedaction(tx, id))
      known.set(id, recorded && { ...recorded, entries: new Set(recorded.entries ?? []), parts: recorded.parts ?? [] })
    }
    return known.get(id)
  }
  return async ({ entry_id, gone, redactions }: Pick<LeafToVerify, 'entry_id' | 'gone' | 'redactions'>) => {
    if (redactions.length !== gone.length || !gone.every(part => redactions.some(each => each.part === part)))
      return false
    for (const { part, reason, redacted_by, recorded_in } of redactions) {
      const recorded = await readRecorded(recorded_in)
      const isRecorded =
        recorded?.entries.has(entry_id) &&
        recorded.parts.includes(part) &&
        recorded.redacted_by === redacted_by &&
        recorded.reason === reason
      if (!isRecorded) return false
    }
    return true
  }
}
