import type { PrepareContext } from '#action'
import type { Tx } from '#platform/db/database.ts'
import type { Asked } from './asked.ts'

/** What is asked for, as the model that is searched sees it. */
export interface QueryVector {
  model_id: number
  vector: Float32Array
}

export interface FoundByMeaning {
  version_id: number
  position: number
  /** Cosine. */
  score: number
}

/** Outside any transaction. Undefined where there are no vectors, or what makes them is slow or fails: search goes on without. */
export async function embedQuery(
  _context: Pick<PrepareContext, 'read' | 'services'>,
  _q: string,
): Promise<QueryVector | undefined> {
  return undefined
}

/** The best passage of each version that may be found and whose content may be known, the best first. */
export async function findByMeaning(
  _tx: Tx,
  _asked: Asked,
  _vector: QueryVector,
  _limit: number,
): Promise<FoundByMeaning[]> {
  return []
}
