import type { ClientConfig } from 'pg'
import { asOwner } from '#platform/db/owner.ts'

interface VectorIndex {
  /** pgvector is in the database, and is 0.8 or later. */
  hasExtension: boolean
  /** The model of the index; undefined if there are no vectors yet. */
  model?: string
}

/**
 * Creates the pgvector index for the model that is searched by, and drops the indexes of other models and of interrupted runs. The
 * service keeps running. After a change of model the index must be created again.
 */
export const makeVectorIndex = (owner: ClientConfig): Promise<VectorIndex> =>
  asOwner(owner, async client => {
    const { rows } = await client.query<{ schema: string }>(
      `select extnamespace::regnamespace::text as schema from pg_extension
       where extname = 'vector' and string_to_array(substring(extversion from '^[0-9.]+'), '.')::integer[] >= '{0,8}'`,
    )
    if (!rows[0]) return { hasExtension: false }
    const { schema } = rows[0]
    const { rows: models } = await client.query<{ id: string; name: string; dimensions: number; wanted: string }>(
      'select id, name, dimensions, vector_index_name(id) as wanted from embedding_models where is_searched',
    )
    const model = models[0]
    const { rows: others } = await client.query<{ name: string }>(
      `select c.relname as name from pg_index x join pg_class c on c.oid = x.indexrelid
       where x.indrelid = 'chunk_bits'::regclass and starts_with(c.relname, vector_index_name(null))
         and not (x.indisvalid and c.relname is not distinct from $1)`,
      [model?.wanted],
    )
    for (const { name } of others) await client.query(`drop index concurrently ${client.escapeIdentifier(name)}`)
    if (!model) return { hasExtension: true }
    await client.query(
      `create index concurrently if not exists ${model.wanted} on chunk_bits
       using hnsw ((bits::bit(${model.dimensions})) ${schema}.bit_hamming_ops) where model_id = ${model.id}`,
    )
    return { hasExtension: true, model: model.name }
  })
