import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { SearchScope } from './scope.ts'

interface KnownModel {
  id: number
  name: string
  dimensions: number
}

/** The model whose vectors a query is compared with; undefined if there are no vectors yet. */
export const findSearched = (tx: Tx): Promise<KnownModel | undefined> =>
  tx
    .selectFrom('embedding_models')
    .select(['id', 'name', 'dimensions'])
    .where('is_searched', '=', true)
    .executeTakeFirst()

export const findModel = (tx: Tx, name: string): Promise<KnownModel | undefined> =>
  tx.selectFrom('embedding_models').select(['id', 'name', 'dimensions']).where('name', '=', name).executeTakeFirst()

/** The id of a model, which is stored on its first use. */
export const modelId = async (tx: Tx, { id, dimensions }: { id: string; dimensions: number }): Promise<number> =>
  (await sql<{ id: number }>`select embedding_model(${id}, ${dimensions}) as id`.execute(tx)).rows[0]!.id

export interface Progress {
  /** All versions of the installation that have a text. */
  versions: number
  made: number
}
export const readProgress = async (tx: Tx, model_id: number): Promise<Progress> =>
  (await sql<Progress>`select versions, made from vector_progress(${model_id})`.execute(tx)).rows[0]!

/** Switches the search to this model, if it has vectors of all texts. Returns whether the search uses it. */
export const searchByModel = async (tx: Tx, model_id: number): Promise<boolean> =>
  (await sql<{ is: boolean }>`select search_by_model(${model_id}) as is`.execute(tx)).rows[0]!.is

/** The newest first. */
export const listWithoutVectors = (
  tx: Tx,
  model_id: number,
  limit: number,
): Promise<{ tenant_id: number; version_id: number }[]> =>
  tx
    .selectFrom('document_texts as t')
    .select(['t.tenant_id', 't.version_id'])
    .where('t.status', '=', 'extracted')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('version_vectors as v')
            .whereRef('v.version_id', '=', 't.version_id')
            .where('v.model_id', '=', model_id),
        ),
      ),
    )
    .orderBy('t.version_id', 'desc')
    .limit(limit)
    .execute()

/** The models without vectors of a version, and the digest of its text; undefined if it has no text. */
export async function findWork(tx: Tx, version_id: number, model_ids: number[]) {
  const { rows } = await sql<{ digest: string | null; without: number[] }>`
    select ${digestOf(version_id)} as digest, array(select id from embedding_models where id = any(${model_ids}::bigint[])
      except select model_id from version_vectors where version_id = ${version_id}) as without
    from document_texts where version_id = ${version_id} and status = 'extracted'`.execute(tx)
  return rows[0]
}

const digestOf = (
  version_id: number,
) => sql`(select md5(v.title || string_agg(md5(concat_ws(chr(10), c.position, c.heading, c.body)), '' order by c.position))
  from document_versions v join document_chunks c on c.version_id = v.id where v.id = ${version_id} group by v.id)`

export interface Piece {
  position: number
  /** The title of the version. */
  title: string
  heading: string | null
  body: string
}
export const listPieces = (tx: Tx, version_id: number, from: number, limit: number): Promise<Piece[]> =>
  tx
    .selectFrom('document_chunks as c')
    .innerJoin('document_versions as v', 'v.id', 'c.version_id')
    .select(['c.position', 'v.title', 'c.heading', 'c.body'])
    .where('c.version_id', '=', version_id)
    .where('position', '>=', from)
    .orderBy('position')
    .limit(limit)
    .execute()

export interface MadeVectors {
  vectors: Buffer
  positions: number[]
  bits: string[]
}

/** Returns false and stores nothing if the text has changed in the meantime. */
export async function saveVectors(
  tx: Tx,
  { version_id, model_id, digest }: { version_id: number; model_id: number; digest: string | null },
  { vectors, positions, bits }: MadeVectors,
): Promise<boolean> {
  await tx.selectFrom('document_texts').select('version_id').where('version_id', '=', version_id).forShare().execute()
  const { rows } = await sql<{ digest: string | null }>`select ${digestOf(version_id)} as digest`.execute(tx)
  if (rows[0]!.digest !== digest) return false
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('version_vectors')
    .values({ version_id, model_id, vectors })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 1n)
    await sql`insert into chunk_bits (model_id, version_id, position, bits)
      select ${model_id}, ${version_id}, position, bits::bit varying
      from unnest(${positions}::integer[], ${bits}::text[]) as made (position, bits)`.execute(tx)
  return true
}

const outdated = (current: number) => sql`select id from embedding_models where not is_searched and id <> ${current}`

/** A tenant with vectors of models that are no longer used. */
export const findOutdated = async (tx: Tx, current: number): Promise<number | undefined> =>
  (
    await sql<{ tenant_id: number }>`
      select tenant_id from version_vectors where model_id in (${outdated(current)}) limit 1`.execute(tx)
  ).rows[0]?.tenant_id

/** Returns the number of versions whose vectors were removed. */
export async function removeOutdated(tx: Tx, current: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from version_vectors where (version_id, model_id) in (
      select version_id, model_id from version_vectors where model_id in (${outdated(current)}) limit ${limit})`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

interface Near {
  version_id: number
  position: number
  vector: Buffer
}
export const listNear = async (
  tx: Tx,
  scope: SearchScope,
  { model_id, bits, most }: { model_id: number; bits: string; most: number },
): Promise<Near[]> =>
  (
    await sql<Near>`select version_id, position, vector
      from nearest_passages(${JSON.stringify(scope)}::jsonb, ${model_id}, ${bits}::bit varying, ${most})`.execute(tx)
  ).rows
