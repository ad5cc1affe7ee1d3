import type { PrepareContext } from '#action'
import type { Tx } from '#platform/db/database.ts'
import { within } from '#platform/within.ts'
import type { Asked } from './asked.ts'
import { shownQuery } from './shown.ts'
import { cosine, saysNothing, signsOf } from './vector-bytes.ts'
import { findSearched, listNear } from './vector-queries.ts'

/** What is asked for, as the model that is searched sees it. */
interface QueryVector {
  model_id: number
  vector: Float32Array
  /** The model knows spelling alone. */
  is_lexical: boolean
}

interface FoundByMeaning {
  version_id: number
  position: number
  /** Cosine. */
  score: number
}

/** So long a search waits for the vector of what it is asked. */
const longest_ms = 1000
/** Passages that are compared by their vectors, after all were by their signs. */
const least_compared = 500
const most_compared = 1000
/** Of one version, several may be among the nearest. */
const compared_for_each = 4

/** Outside any transaction. Undefined where there are no vectors, or what makes them is slow or fails: search goes on without. */
export async function embedQuery(
  { read, services: { embeddings, log } }: Pick<PrepareContext, 'read' | 'services'>,
  q: string,
): Promise<QueryVector | undefined> {
  const searched = embeddings && (await read(findSearched))
  if (!searched) return undefined
  const model = searched.name === embeddings.id ? embeddings : embeddings.former(searched.name)
  if (!model) return undefined
  try {
    const [vector] = await within(model.embed([shownQuery(q, model)], 'query'), longest_ms, [])
    return vector && !saysNothing(vector) ? { model_id: searched.id, vector, is_lexical: model.isLexical } : undefined
  } catch {
    log.debug('a query has no vector')
    return undefined
  }
}

/** The best passage of each version that may be found and whose content may be known, the best first. */
export async function findByMeaning(
  tx: Tx,
  asked: Asked,
  { model_id, vector }: QueryVector,
  limit: number,
): Promise<FoundByMeaning[]> {
  const most = Math.min(most_compared, Math.max(least_compared, compared_for_each * limit))
  const near = await listNear(tx, asked, { model_id, bits: signsOf(vector), most })
  const best = new Map<number, FoundByMeaning>()
  for (const { version_id, position, vector: bytes } of near) {
    const score = cosine(vector, bytes)
    const known = best.get(version_id)
    if (!known || score > known.score) best.set(version_id, { version_id, position, score })
  }
  return [...best.values()].sort((a, b) => b.score - a.score || b.version_id - a.version_id).slice(0, limit)
}
