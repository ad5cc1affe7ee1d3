import type { ResourceType } from '#kernel/catalogue.ts'
import { conflict } from '#kernel/errors.ts'
import type { ActionContext } from './index.ts'
import { messages } from './messages.ts'

interface Revised {
  id: number
  revision: number
}

interface Change {
  username: string | null
  occurred_at: string
  action: string
  changes: unknown
}

/**
 * DOC-04: refuses a change that was made on an older revision, and says what has changed since. The caller holds the record's
 * lock, so nothing changes between this and the write.
 */
export async function refuseStale(
  { tx, expectedRevision }: ActionContext<unknown>,
  resource: ResourceType,
  { id, revision }: Revised,
) {
  if (expectedRevision === undefined || expectedRevision === revision) return
  const entries = await tx
    .selectFrom('audit_entries')
    .select(['username', 'occurred_at', 'action', 'changes'])
    .where('resource_type', '=', resource)
    .where('resource_id', '=', id)
    .where('resource_revision', '>', expectedRevision)
    .where('outcome', '=', 'success')
    // A redacted entry has lost its revision and is not among these.
    .where('changes', 'is not', null)
    .orderBy('id', 'desc')
    .limit(5)
    .execute()
  const [newest] = entries
  throw conflict(
    messages.stale_revision({
      expected: expectedRevision,
      current: revision,
      changed_by: newest?.username ?? null,
      changed_at: newest?.occurred_at ?? null,
      changes: entries.map(describeChange),
    }),
  )
}

/** As `refuseStale`, for a part of a record that has a revision of its own. The caller holds the record's lock. */
export function refuseStalePart(
  { expectedRevision: expected }: Pick<ActionContext<unknown>, 'expectedRevision'>,
  {
    revision: current,
    updated_at,
    updated_by,
  }: { revision: number; updated_at: string; updated_by: { username: string } | null },
) {
  if (expected === undefined || expected === current) return
  throw conflict(
    messages.stale_revision({
      ...{ expected, current, changes: [] },
      ...{ changed_by: updated_by?.username ?? null, changed_at: updated_at },
    }),
  )
}

function describeChange({ username, occurred_at, action, changes }: Change) {
  const fields = Object.keys(changes as object).filter(field => field !== 'revision')
  return `${username ?? 'Someone'} at ${occurred_at}: ${action}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
}
