import type { PrepareContext } from '#action'
import type { Tx } from '#platform/db/database.ts'
import { within } from '#platform/within.ts'
import type { SearchScope } from './scope.ts'
import { cosine, isZero, signsOf } from './vector-bytes.ts'
import { findSearched, listNear } from './vector-queries.ts'

/** The query as a vector of the model that is searched by. */
interface QueryVector {
  model_id: number
  vector: Float32Array
}

interface FoundByMeaning {
  version_id: number
  position: number
  /** Cosine. */
  score: number
}

/** A search waits no longer for the vector of its query. */
const timeoutMs = 1000
/** The number of passages whose vectors are compared, after all passages were compared by signs. */
const minCompared = 500
const maxCompared = 1000
/** Several passages of one version may be among the nearest. */
const comparedPerVersion = 4

/** Called outside any transaction. Returns undefined without a model, or if it is slow or fails: the search then goes by words alone. */
export async function embedQuery(
  { read, services: { embeddings, log } }: Pick<PrepareContext, 'read' | 'services'>,
  q: string,
): Promise<QueryVector | undefined> {
  const searched = embeddings && (await read(findSearched))
  if (!searched) return undefined
  const model = searched.name === embeddings.id ? embeddings : embeddings.former(searched.name)
  if (!model) return undefined
  try {
    const [vector] = await within(model.embed([q], 'query'), timeoutMs, [])
    return vector && !isZero(vector) ? { model_id: searched.id, vector } : undefined
  } catch {
    log.debug('a query has no vector')
    return undefined
  }
}

/** The best passage of each version in scope whose content may be known, the best first. */
export async function findByMeaning(
  tx: Tx,
  scope: SearchScope,
  { model_id, vector }: QueryVector,
  limit: number,
): Promise<FoundByMeaning[]> {
  const most = Math.min(maxCompared, Math.max(minCompared, comparedPerVersion * limit))
  const near = await listNear(tx, scope, { model_id, bits: signsOf(vector), most })
  const best = new Map<number, FoundByMeaning>()
  for (const { version_id, position, vector: bytes } of near) {
    const score = cosine(vector, bytes)
    const known = best.get(version_id)
    if (!known || score > known.score) best.set(version_id, { version_id, position, score })
  }
  return [...best.values()].sort((a, b) => b.score - a.score || b.version_id - a.version_id).slice(0, limit)
}
