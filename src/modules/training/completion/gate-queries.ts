import { sql } from 'kysely'
import type { TrainedOn } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { requiredTraining } from '../assigning/audience-queries.ts'
import { validlyCompleted } from '../assignments/queries.ts'
import { openStates } from '../rules.ts'

/** Counts the active people who are assigned a version, and those of them who have completed it. */
export const countProgress = (
  tx: Tx,
  { document_id, version_id, today }: TrainedOn,
): Promise<{ assigned: number; completed: number }> =>
  tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(sql<number>`count(distinct a.user_id)`.as('assigned'))
    .select(sql<number>`count(distinct a.user_id) filter (where ${validlyCompleted(today)})`.as('completed'))
    .where('a.document_id', '=', document_id)
    .where('a.version_id', '=', version_id)
    .where('p.type', '=', 'read_and_understand')
    .where('u.is_active', '=', true)
    .where('a.status', 'in', [...openStates, 'completed', 'failed'])
    .executeTakeFirstOrThrow()

/** Assignments `a` of readings `p` that are open, valid, or completed and not yet verified. */
const readings = (tx: Tx, userId: number | null, today: string) =>
  tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .where('p.type', '=', 'read_and_understand')
    .where('a.user_id', '=', userId)
    .where(
      sql<boolean>`(a.status = any(${openStates}) or ${validlyCompleted(today)}
        or (a.status = 'completed' and p.requires_verification and a.verified_at is null))`,
    )

export async function isReader(tx: Tx, userId: number | null, { document_id, today }: TrainedOn): Promise<boolean> {
  const found = await readings(tx, userId, today)
    .select('a.id')
    .where('p.document_id', '=', document_id)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Documents with gate `before_access` of which the person has, or had, an assignment. */
export async function listRestricted(tx: Tx, userId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct a.document_id as id from training_assignments a
    where a.user_id = ${userId} and exists (select from document_index i where i.document_id = a.document_id and i.is_restricted)`.execute(
    tx,
  )
  return rows.map(({ id }) => id)
}

/** The documents among these whose file the person may have. */
export async function listReadable(tx: Tx, userId: number, documents: number[], today: string): Promise<number[]> {
  const rows = await readings(tx, userId, today)
    .select('p.document_id as id')
    .distinct()
    .where('p.document_id', '=', sql<number>`any(${documents})`)
    .execute()
  return rows.map(({ id }) => id!)
}

/** Each of these people with each of these programs in which they are not validly trained. */
export async function listLacking(
  tx: Tx,
  { today, user_ids, program_ids }: { today: string; user_ids: readonly number[]; program_ids: readonly number[] },
): Promise<{ user_id: number; program: string }[]> {
  const { rows } = await sql<{ user_id: number; program: string }>`
    select u.id as user_id, p.number || ' ' || p.title as program
    from unnest(${user_ids}::bigint[]) as u (id) cross join training_programs p
    where p.id = any(${program_ids}::bigint[]) and not exists (
      select from training_assignments a where a.program_id = p.id and a.user_id = u.id and ${validlyCompleted(today)})
    order by u.id, p.id`.execute(tx)
  return rows
}

/** Somebody active was assigned the reading of a document, or a curriculum or a group will assign it to them. */
export async function hasReaders(tx: Tx, documentId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from training_programs p join (
        select program_id, user_id from training_assignments where status <> 'waived'
        union all select program_id, user_id from (${await requiredTraining(tx)}) as wanted) whose on whose.program_id = p.id
      join users u on u.id = whose.user_id and u.is_active
      where p.document_id = ${documentId} and p.type = 'read_and_understand' and p.status = 'active') as found`.execute(
    tx,
  )
  return rows[0]!.found
}

/** The document of a reading whose approved version waits for its training. */
export const findWaiting = (tx: Tx, programId: number): Promise<{ document_id: number } | undefined> =>
  tx
    .selectFrom('training_programs as p')
    .innerJoin('documents as d', 'd.id', 'p.document_id')
    .innerJoin('document_versions as v', 'v.id', 'd.latest_version_id')
    .select('d.id as document_id')
    .where('p.id', '=', programId)
    .where('p.type', '=', 'read_and_understand')
    .where('v.is_waiting', '=', true)
    .executeTakeFirst()
