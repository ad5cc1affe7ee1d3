import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { WorkflowDefinition } from './definition.ts'

const groupsIn = ({ transitions }: WorkflowDefinition) =>
  transitions.flatMap(({ approval }) =>
    (approval?.rules ?? []).flatMap(({ kind, who }) => (kind === 'group' && typeof who === 'number' ? [who] : [])),
  )

/** The groups that the approvals of a workflow name, including deleted ones. */
export async function listGroups(tx: Tx, definition: WorkflowDefinition) {
  const ids = groupsIn(definition)
  if (ids.length === 0) return []
  return tx
    .selectFrom('groups')
    .select(['id', 'name', sql<boolean>`deleted_at is not null`.as('is_deleted')])
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute()
}

/** The members of the groups that a workflow names. */
export async function groupsOfPeople(tx: Tx, definition: WorkflowDefinition) {
  const ids = groupsIn(definition)
  if (ids.length === 0) return []
  return tx
    .selectFrom('group_members')
    .select(['user_id', sql<number[]>`jsonb_agg(group_id)`.as('group_ids')])
    .where('group_id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('removed_at', 'is', null)
    .groupBy('user_id')
    .execute()
}

/** Locks the groups that a workflow names, so that none is deleted before the transaction ends. */
export async function holdGroups(tx: Tx, definition: WorkflowDefinition) {
  const ids = groupsIn(definition)
  if (ids.length === 0) return
  await tx
    .selectFrom('groups')
    .select('id')
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('id')
    .forShare()
    .execute()
}
