import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { WorkflowDefinition } from './definition.ts'

/** Those that were deleted too: approvals of that time name them. */
export const listGroups = (tx: Tx) =>
  tx
    .selectFrom('groups')
    .select(['id', 'name', sql<boolean>`deleted_at is not null`.as('is_deleted')])
    .execute()

export const groupsOfPeople = (tx: Tx) =>
  tx
    .selectFrom('group_members')
    .select(['user_id', sql<number[]>`jsonb_agg(group_id)`.as('group_ids')])
    .where('removed_at', 'is', null)
    .groupBy('user_id')
    .execute()

/** Holds the groups that the approvals of a workflow name until the end of the transaction: none is deleted meanwhile. */
export async function holdGroups(tx: Tx, { transitions }: WorkflowDefinition) {
  const ids = transitions.flatMap(({ approval }) =>
    (approval?.rules ?? []).flatMap(({ kind, who }) => (kind === 'group' && typeof who === 'number' ? [who] : [])),
  )
  if (ids.length === 0) return
  await tx
    .selectFrom('groups')
    .select('id')
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('id')
    .forShare()
    .execute()
}
