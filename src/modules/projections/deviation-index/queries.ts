import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { differing, isOneOf, listOf, overwritten } from '../columns-queries.ts'

const kept = ['title', 'words', 'items', 'severity', 'category', 'root_cause_category', 'content_revision'] as const

const fromRecords = sql`
  select d.id as deviation_id, plain_words(d.title) as title,
    setweight(to_tsvector('english_unaccented', concat_ws(' ', d.number, replace(d.number, '-', ' '), d.legacy_number, d.title)), 'A')
      || setweight(to_tsvector('english_unaccented', d.description), 'B')
      || setweight(to_tsvector('english_unaccented', coalesce(d.investigation, '')), 'C') as words,
    plain_items(d.affected_items) as items, d.severity, d.category, d.root_cause_category, d.content_revision
  from deviations d`

const insertRows = sql`insert into deviation_index as i (deviation_id, ${listOf(kept)})`
const replaceRows = sql`on conflict (tenant_id, deviation_id) do update set ${overwritten(kept, 'i')}`

/** Writes the rows of these deviations whose content has changed. */
export const updateRows = (tx: Tx, ids: readonly number[]) =>
  sql`
  ${insertRows} select deviation_id, ${listOf(kept)} from (${fromRecords} where d.id ${isOneOf(ids)} and not exists (
    select from deviation_index i where i.deviation_id = d.id and i.content_revision = d.content_revision)) changed
  ${replaceRows}`.execute(tx)

/** Deviations in the order of their ids, for work in batches. */
export const listDeviations = async (tx: Tx, after: number, limit: number): Promise<number[]> =>
  (await tx.selectFrom('deviations').select('id').where('id', '>', after).orderBy('id').limit(limit).execute()).map(
    ({ id }) => id,
  )

const of = (ids: readonly number[]) => sql`(${fromRecords} where d.id = any(${ids}::bigint[]))`

/** Writes all rows of these deviations that differ. Nobody can change the deviations until the end of the transaction. */
export async function rebuildRows(tx: Tx, ids: readonly number[]) {
  await sql`select from deviations where id = any(${ids}::bigint[]) order by id for share`.execute(tx)
  await sql`${insertRows} select deviation_id, ${listOf(kept)} from ${of(ids)} computed ${replaceRows}`.execute(tx)
}

/** The rows of these deviations that differ from them. No row is without its deviation, which a foreign key holds. */
export async function listDrift(tx: Tx, ids: readonly number[]) {
  const { rows } = await sql<{ deviation_id: number; columns: string[] }>`
    select r.deviation_id, ${differing(kept, 'i', 'r')} as columns
    from ${of(ids)} r left join deviation_index i on i.deviation_id = r.deviation_id
    where (${listOf(kept, 'i')}) is distinct from (${listOf(kept, 'r')}) order by r.deviation_id`.execute(tx)
  return rows
}
