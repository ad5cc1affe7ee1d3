import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { SimilarFilter } from './schema.ts'

/** A model reads some hundred words at most, and reporters say in the first sentences what happened. */
const maxCharacters = 2000

const textOf = sql<string>`left(concat_ws(chr(10), d.title, d.description, d.investigation), ${maxCharacters})`

/** Deviations whose content has no vector of the model, the newest first; `ids`: of these alone. */
export async function listWithoutVector(
  tx: Tx,
  model_id: number,
  { limit, ids }: { limit: number; ids?: readonly number[] },
) {
  const { rows } = await sql<{ tenant_id: number; deviation_id: number }>`
    select i.tenant_id, i.deviation_id from deviation_index i left join deviation_vectors v
      on v.deviation_id = i.deviation_id and v.model_id = ${model_id} and v.content_revision = i.content_revision
    where v.deviation_id is null ${ids ? sql`and i.deviation_id = any(${ids}::bigint[])` : sql``}
    order by i.deviation_id desc limit ${limit}`.execute(tx)
  return rows
}

/** The text of a deviation for the model, if it has no vector of it. */
export async function findText(tx: Tx, deviation_id: number, model_id: number) {
  const { rows } = await sql<{ text: string; content_revision: number }>`
    select ${textOf} as text, d.content_revision from deviations d where d.id = ${deviation_id} and not exists (
      select from deviation_vectors v where v.deviation_id = d.id and v.model_id = ${model_id}
        and v.content_revision = d.content_revision)`.execute(tx)
  return rows[0]
}

interface MadeVector {
  deviation_id: number
  model_id: number
  content_revision: number
  bits: string
  vector: Buffer
}

/** Replaces the vector of a deviation, unless another process has stored one of a later content. */
export async function saveVector(tx: Tx, { deviation_id, model_id, content_revision, bits, vector }: MadeVector) {
  await sql`insert into deviation_vectors as v (deviation_id, model_id, content_revision, bits, vector)
    values (${deviation_id}, ${model_id}, ${content_revision}, ${bits}::bit varying, ${vector})
    on conflict (tenant_id, deviation_id) do update set (model_id, content_revision, bits, vector) =
      row(excluded.model_id, excluded.content_revision, excluded.bits, excluded.vector)
      where v.content_revision <= excluded.content_revision`.execute(tx)
}

/** The vector of a deviation by this model. */
export const findVector = async (tx: Tx, deviation_id: number, model_id: number): Promise<Buffer | undefined> =>
  (
    await tx
      .selectFrom('deviation_vectors')
      .select('vector')
      .where('deviation_id', '=', deviation_id)
      .where('model_id', '=', model_id)
      .executeTakeFirst()
  )?.vector

/** The deviations whose signs differ least from these, with their vectors. */
export async function listNear(
  tx: Tx,
  { model_id, bits, most }: { model_id: number; bits: string; most: number },
  { deviation_id, severity, category }: Pick<SimilarFilter, 'deviation_id' | 'severity' | 'category'>,
): Promise<{ deviation_id: number; vector: Buffer }[]> {
  const { rows } = await sql<{ deviation_id: number; vector: Buffer }>`
    select v.deviation_id, v.vector from (
      select v.deviation_id from deviation_vectors v join deviation_index i on i.deviation_id = v.deviation_id
      where v.model_id = ${model_id} and v.deviation_id <> ${deviation_id ?? 0}
        ${severity === undefined ? sql`` : sql`and i.severity = ${severity}`}
        ${category === undefined ? sql`` : sql`and i.category = ${category}`}
      order by bit_count(v.bits # ${bits}::bit varying), v.deviation_id desc limit ${most}) near
      join deviation_vectors v on v.deviation_id = near.deviation_id`.execute(tx)
  return rows
}
