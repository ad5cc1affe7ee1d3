import type { ResourceType } from '#kernel/catalogue.ts'
import { conflict } from '#kernel/errors.ts'
import type { ActionContext } from './index.ts'

interface Revised {
  id: number
  revision: number
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
  const since = await tx
    .selectFrom('audit_entries')
    .select(['username', 'occurred_at', 'action', 'changes'])
    .where('resource_type', '=', resource)
    .where('resource_id', '=', id)
    .where('resource_revision', '>', expectedRevision)
    .where('outcome', '=', 'success')
    // Of a redacted entry the revision is gone as well, so it is none of these.
    .where('changes', 'is not', null)
    .orderBy('id', 'desc')
    .limit(5)
    .execute()
  const told = since.map(({ username, occurred_at, action, changes }) => {
    const fields = Object.keys(changes as object).filter(field => field !== 'revision')
    return `${username ?? 'Somebody'} at ${occurred_at}: ${action}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
  })
  throw conflict(
    `Revision ${expectedRevision} is not the current one, which is ${revision}. ${told.length > 0 ? `Changed since: ${told.join('; ')}` : 'Read it again before you change it'}`,
  )
}
