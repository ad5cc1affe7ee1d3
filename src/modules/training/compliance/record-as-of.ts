import { listRecordedEvents, type Moment, Replayed, requireBeginning } from '#modules/audit'
import type { Tx } from '#platform/db/database.ts'
import { type AssignmentState, openStates } from '../rules.ts'
import { listOutdated, listVoided } from './record-queries.ts'
import type { RecordEntry, RecordSignature } from './record-schema.ts'

const endedForAReason: readonly AssignmentState[] = ['waived', 'cancelled', 'failed']

function openedThen(was: Replayed): RecordEntry['opened'] {
  const at = was.get<string | null>('opened_at')
  return at === null ? null : { at, version: was.get('opened_version') }
}

/** Reconstructs these assignments from the audit trail; fields that never change come from their rows. */
export async function entriesAsOf(tx: Tx, entries: readonly RecordEntry[], { at, today }: Moment) {
  const ids = entries.map(({ assignment_id }) => assignment_id)
  const told = await listRecordedEvents(tx, 'training_assignment', ids, at)
  const programs = await listRecordedEvents(
    tx,
    'training_program',
    [...new Set(entries.map(each => each.training_id))],
    at,
  )
  const outdated = await listOutdated(tx, ids, at)
  const signatures = entries.flatMap(each => [each.signature?.id ?? [], each.verification_signature?.id ?? []].flat())
  const voided = await listVoided(tx, signatures, at)
  const items = entries.map((entry): RecordEntry => {
    const entriesOfIt = told.get(entry.assignment_id)!
    requireBeginning(entriesOfIt)
    const was = new Replayed(entriesOfIt)
    const program = new Replayed(programs.get(entry.training_id) ?? [])
    const status = was.get<AssignmentState | null>('status') ?? 'assigned'
    const due_date = was.get<string>('due_date')
    const attempts = was.get<number | null>('attempts') ?? 0
    const valid_until = was.get<string | null>('valid_until')
    const required = program.get<boolean | null>('requires_verification') ?? entry.verification.required
    const isVerified = was.get('verified_by') !== null
    const verified_at = isVerified ? (was.get<string | null>('verified_at') ?? was.since('verified_by')) : null
    const begun = was.events.find(({ changes }) => changes.status && changes.status.to !== 'assigned')
    const hasBegun = ['in_progress', 'completed', 'failed'].includes(status)
    const signatureThen = (isThen: boolean, given: RecordSignature | null) =>
      isThen && given ? { ...given, is_void: voided.has(given.id) } : null
    return {
      ...entry,
      title: program.get<string | null>('title') ?? was.get('title'),
      status,
      is_overdue: due_date < today && openStates.includes(status),
      due_date,
      started_at: was.get<string | null>('started_at') ?? (hasBegun ? (begun?.at ?? null) : null),
      completed_at: was.get('completed_at'),
      attempts,
      score: was.get('score'),
      signature_id: was.get('signature_id'),
      verification: { required, verified_at, verified_by: was.by('verified_by') },
      document: entry.document && { ...entry.document, version: was.get('document_version') },
      opened: openedThen(was),
      valid_until,
      is_valid:
        status === 'completed' &&
        (isVerified || !required) &&
        (valid_until === null || valid_until >= today) &&
        !outdated.has(entry.assignment_id),
      reason: endedForAReason.includes(status)
        ? was.events.findLast(({ changes }) => changes.status?.to === status)!.reason
        : null,
      revision: was.get('revision'),
      signature: signatureThen(status === 'completed', entry.signature),
      verification_signature: signatureThen(isVerified, entry.verification_signature),
      quiz_attempts: entry.quiz_attempts.filter(({ attempt_number }) => attempt_number <= attempts),
    }
  })
  return { items, told: [...told.values()].flat() }
}
