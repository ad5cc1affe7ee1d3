import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Static } from 'typebox'
import type { Person } from '#kernel/schema.ts'
import { versionToRead } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import { validlyCompleted } from '../assignments/queries.ts'
import type { AssignmentSource } from '../rules.ts'
import type { GroupAssignment } from './schema.ts'

/** Locks the document, so that no other version becomes effective meanwhile. */
export async function versionInForce(tx: Tx, documentId: number): Promise<{ id: number; version: string } | undefined> {
  await tx.selectFrom('documents').select('id').where('id', '=', documentId).forShare().executeTakeFirstOrThrow()
  return versionToRead(tx, documentId)
}

export const peopleByIds = (tx: Tx, ids: readonly number[]): Promise<Person[]> =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name'])
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('kind', '=', 'person')
    .execute()

/** Locks people by id, so that two requests for the same people cannot deadlock. */
export const lockPeople = (tx: Tx, ids: readonly number[], holds: RawBuilder<boolean>) =>
  tx
    .selectFrom('users as u')
    .select(['u.id', 'u.is_active', holds.as('holds')])
    .where('u.id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('u.id')
    .forShare()
    .execute()

/** Those among these people who count as trained in the program today. */
export const validlyTrained = async (
  tx: Tx,
  program_id: number,
  user_ids: readonly number[],
  today: string,
): Promise<number[]> =>
  (
    await tx
      .selectFrom('training_assignments as a')
      .innerJoin('training_programs as p', 'p.id', 'a.program_id')
      .select('a.user_id')
      .distinct()
      .where('a.program_id', '=', program_id)
      .where('a.user_id', '=', sql<number>`any(${user_ids}::bigint[])`)
      .where(validlyCompleted(today))
      .execute()
  ).map(({ user_id }) => user_id)

/** Skips people with an open assignment; waits for another request that assigns the same person, and then skips them too. */
export const insertAssignments = (
  tx: Tx,
  user_ids: readonly number[],
  values: {
    program_id: number
    source: AssignmentSource
    /** One for each user, in the same order. */
    source_ids: readonly (number | null)[]
    document_id: number | null
    version_id: number | null
    due_date: string
    notice_on: string | null
  },
): Promise<{ assignment_id: number; user_id: number }[]> =>
  tx
    .insertInto('training_assignments')
    .columns([
      ...(['program_id', 'user_id', 'status', 'source', 'source_id'] as const),
      ...(['document_id', 'version_id', 'due_date', 'notice_on'] as const),
    ])
    .expression(
      sql`select ${values.program_id}::bigint, user_id, 'assigned', ${values.source}, source_id,
        ${values.document_id}::bigint, ${values.version_id}::bigint, ${values.due_date}::date, ${values.notice_on}::date
        from unnest(${user_ids}::bigint[], ${values.source_ids}::bigint[]) as person (user_id, source_id) order by user_id`,
    )
    .onConflict(conflict =>
      conflict
        .columns(['tenant_id', 'program_id', 'user_id'])
        .where(sql<SqlBool>`is_open_training_assignment(status)`)
        .doNothing(),
    )
    .returning(['id as assignment_id', 'user_id'])
    .execute()

/** The newest assignment of each of these people: the open one, or the one that has just ended. */
export const latestAssignments = (
  tx: Tx,
  program_id: number,
  user_ids: readonly number[],
): Promise<{ assignment_id: number; user_id: number }[]> =>
  tx
    .selectFrom('training_assignments')
    .distinctOn('user_id')
    .select(['id as assignment_id', 'user_id'])
    .where('program_id', '=', program_id)
    .where('user_id', '=', sql<number>`any(${user_ids}::bigint[])`)
    .orderBy('user_id')
    .orderBy('id', 'desc')
    .execute()

/** A new assignment replaces the renewal of the previous one, so its notice is cancelled. */
export const silenceRenewed = (tx: Tx, program_id: number, user_ids: readonly number[]) =>
  tx
    .updateTable('training_assignments')
    .set({ notice_on: null })
    .where('program_id', '=', program_id)
    .where('user_id', '=', sql<number>`any(${user_ids}::bigint[])`)
    .where('status', '=', 'completed')
    .where('notice_on', 'is not', null)
    .execute()

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
