import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import type { GroupAssignment } from './assign-schema.ts'

export interface Group {
  id: number
  name: string
}

/** Locks the groups until the end of the transaction, so that none is deleted meanwhile. */
export const lockGroups = (tx: Tx, ids: readonly number[]): Promise<Group[]> =>
  tx
    .selectFrom('groups')
    .select(['id', 'name'])
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forShare()
    .execute()

/** False if the program was already assigned to the group. */
export const insertGroupAssignment = async (tx: Tx, program_id: number, group_id: number, due_days: number | null) => {
  const row = await tx
    .insertInto('training_group_assignments')
    .values({ program_id, group_id, due_days })
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'program_id', 'group_id']).where('ended_at', 'is', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export const closeGroupAssignment = (tx: Tx, program_id: number, group_id: number) =>
  tx
    .updateTable('training_group_assignments as g')
    .set({ ended_at: sql`now()`, ended_by: sql`current_actor()` })
    .where('g.program_id', '=', program_id)
    .where('g.group_id', '=', group_id)
    .where('g.ended_at', 'is', null)
    .returning(sql<string>`(select name from groups where id = g.group_id)`.as('group'))
    .executeTakeFirst()

export const listGroupAssignments = (tx: Tx, program_id: number): Promise<Static<typeof GroupAssignment>[]> =>
  tx
    .selectFrom('training_group_assignments as g')
    .innerJoin('groups', 'groups.id', 'g.group_id')
    .select([
      sql<{ id: number; name: string }>`jsonb_build_object('id', groups.id, 'name', groups.name)`.as('group'),
      'g.due_days',
      'g.assigned_at',
      personOf('g.assigned_by').as('assigned_by'),
    ])
    .where('g.program_id', '=', program_id)
    .where('g.ended_at', 'is', null)
    .where('groups.deleted_at', 'is', null)
    .orderBy('groups.name')
    .execute()
