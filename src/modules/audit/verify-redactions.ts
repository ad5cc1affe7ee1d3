import type { Read } from './verify-queries.ts'
import { findTelling, type LeafToVerify } from './verify-queries.ts'

interface Telling {
  entries: ReadonlySet<number>
  parts: readonly string[]
  redacted_by: string
  reason: string | null
}

/** Checks that every missing part of an entry has a redaction, and that an audit entry records the same part, person and reason. */
export function redactionsOf(read: Read) {
  const known = new Map<number, Telling | undefined>()
  async function tellingOf(id: number) {
    if (!known.has(id)) {
      const [told] = await read(tx => findTelling(tx, id))
      known.set(id, told && { ...told, entries: new Set(told.entries ?? []), parts: told.parts ?? [] })
    }
    return known.get(id)
  }
  return async ({ entry_id, gone, redactions }: Pick<LeafToVerify, 'entry_id' | 'gone' | 'redactions'>) => {
    if (redactions.length !== gone.length || !gone.every(part => redactions.some(each => each.part === part)))
      return false
    for (const { part, reason, redacted_by, told_in } of redactions) {
      const told = await tellingOf(told_in)
      const isTold =
        told?.entries.has(entry_id) &&
        told.parts.includes(part) &&
        told.redacted_by === redacted_by &&
        told.reason === reason
      if (!isTold) return false
    }
    return true
  }
}
