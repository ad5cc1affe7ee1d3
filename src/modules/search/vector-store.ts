import type { Database } from '#platform/db/database.ts'
import type { Embeddings } from '#platform/models/embeddings.ts'
import { findModel, findSearched, readProgress } from './vector-queries.ts'

interface VectorStoreState {
  status?: 'Degraded'
  detail?: string
}

/** A lower share cannot be explained by recent uploads. */
const usualShare = 0.95

/** The state of the search by meaning: the model answers, and has vectors of the texts. Throws if it does not answer; no text is sent. */
export async function visitVectorStore(
  { database, embeddings }: { database: Database; embeddings: Embeddings },
  signal: AbortSignal,
): Promise<VectorStoreState> {
  const [found] = await Promise.all([
    database.transaction({ tenantId: null, userId: null }, 'read only', async tx => {
      const searched = await findSearched(tx)
      const current = await findModel(tx, embeddings.id)
      return { searched, ...(current ? await readProgress(tx, current.id) : { versions: 0, made: 0 }) }
    }),
    embeddings.reach(signal),
  ])
  const { searched, versions, made } = found
  const { status, detail } = embeddings.state()
  if (status === 'Down') return { status: 'Degraded', detail: `Search is by words alone: ${detail}` }
  const share = versions === 0 ? 1 : made / versions
  const isOther = searched !== undefined && searched.name !== embeddings.id
  if (share < usualShare || isOther) {
    const progress = `${Math.floor(100 * share)} % of ${versions.toLocaleString('en')} texts have vectors of ${embeddings.id}`
    return {
      status: 'Degraded',
      detail: isOther ? `${progress}; until all have them, the vectors of ${searched.name} are searched` : progress,
    }
  }
  return {}
}
