import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { openStates } from '../rules.ts'
import { requiredTraining } from './audience-queries.ts'

/** The version that the assignments of a reading should be about; without one, `is_under_way` tells whether a draft exists. */
export interface Target {
  program_id: number
  document_id: number
  version: { id: number; version: string } | undefined
  is_under_way: boolean
}

export const isUnderWay = async (tx: Tx, documentId: number): Promise<boolean> => {
  const found = await tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.latest_version_id')
    .select('v.id')
    .where('d.id', '=', documentId)
    .where('v.status_kind', 'in', ['initial', 'review'])
    .executeTakeFirst()
  return found !== undefined
}

/** A condition: this version, or an earlier one, requires the person of the assignment `a` to read the document again. */
const isReplacedBy = (versionId: number) => sql<boolean>`exists (
  select from document_versions later left join document_versions was on was.id = a.version_id
  where later.document_id = a.document_id and later.training_impact = 'reassign_all'
    and (later.id = ${versionId} or later.effective_at is not null)
    and (was.id is null or (later.major, later.minor) > (was.major, was.minor)))`

/** A person whose assignment is not yet about the target version. */
export interface OutdatedReader {
  user_id: number
  /** The open assignment of another version; null if the person needs a new assignment. */
  assignment_id: number | null
}

async function outdatedReaders(
  tx: Tx,
  { program_id, version, is_under_way }: Target,
  able: RawBuilder<boolean>,
): Promise<RawBuilder<OutdatedReader>> {
  if (!version) {
    const isLeft = is_under_way ? sql`a.version_id is not null` : sql`true`
    return sql`(select a.user_id, a.id as assignment_id from training_assignments a
      where a.program_id = ${program_id} and a.status = any(${openStates}) and ${isLeft})`
  }
  return sql`(select u.id as user_id, o.id as assignment_id
    from (select user_id from training_assignments where program_id = ${program_id}
        union select user_id from (${await requiredTraining(tx)}) as wanted where wanted.program_id = ${program_id}) whose
      join users u on u.id = whose.user_id
      left join training_assignments o on o.program_id = ${program_id} and o.user_id = u.id and o.status = any(${openStates})
    where u.is_active and case
      when o.id is not null then o.version_id is distinct from ${version.id}
      else ${able} and coalesce((select case a.status
          when 'waived' then false
          when 'cancelled' then a.updated_by is null
          else ${isReplacedBy(version.id)} end
        from training_assignments a where a.program_id = ${program_id} and a.user_id = u.id order by a.id desc limit 1), true)
      end)`
}

export async function listOutdatedReaders(
  tx: Tx,
  target: Target,
  able: RawBuilder<boolean>,
  limit: number,
): Promise<OutdatedReader[]> {
  const { rows } = await sql<OutdatedReader>`select * from ${await outdatedReaders(tx, target, able)} as people
    order by user_id limit ${limit}`.execute(tx)
  return rows
}

export async function countOutdatedReaders(tx: Tx, target: Target, able: RawBuilder<boolean>): Promise<number> {
  const { rows } = await sql<{
    n: number
  }>`select count(*) as n from ${await outdatedReaders(tx, target, able)} as people`.execute(tx)
  return rows[0]!.n
}

interface Moving {
  id: number
  user_id: number
  due_date: string
  version: string | null
  revision: number
}

/** Locks the assignments that are still open, by id so that two transactions cannot deadlock. */
export const lockOpen = (tx: Tx, ids: readonly number[]): Promise<Moving[]> =>
  tx
    .selectFrom('training_assignments as a')
    .leftJoin('document_versions as v', 'v.id', 'a.version_id')
    .select(['a.id', 'a.user_id', 'a.due_date', 'a.revision', 'v.version'])
    .where('a.id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('a.status', 'in', openStates)
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute()

export const moveOpen = (
  tx: Tx,
  versionId: number | null,
  to: readonly { id: number; due_date: string; notice_on: string | null }[],
) =>
  tx
    .updateTable('training_assignments as a')
    .from(
      sql<{ id: number; due_date: string; notice_on: string | null }>`unnest(${to.map(({ id }) => id)}::bigint[],
        ${to.map(({ due_date }) => due_date)}::date[], ${to.map(({ notice_on }) => notice_on)}::date[])`.as<'moved'>(
        sql`moved (id, due_date, notice_on)`,
      ),
    )
    .set(e => ({
      version_id: versionId,
      due_date: e.ref('moved.due_date'),
      notice_on: e.ref('moved.notice_on'),
      content_revision: sql`a.content_revision + 1`,
      revision: sql`a.revision + 1`,
      updated_at: sql`now()`,
      updated_by: sql`current_actor()`,
    }))
    .whereRef('a.id', '=', 'moved.id')
    .execute()

export const findImpact = async (tx: Tx, versionId: number): Promise<string> =>
  (
    await tx
      .selectFrom('document_versions')
      .select('training_impact')
      .where('id', '=', versionId)
      .executeTakeFirstOrThrow()
  ).training_impact
