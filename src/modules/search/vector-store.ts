import type { Database } from '#platform/db/database.ts'
import type { Embeddings } from '#platform/models/embeddings.ts'
import { findModel, findSearched, readProgress } from './vector-queries.ts'

interface VectorStoreState {
  status?: 'Degraded'
  detail?: string
}

/** Below it what was uploaded a moment ago is not the reason. */
const usual_share = 0.95

/** Whether texts are found by vectors: what makes them answers, and has seen them. Throws where it is not there; no text is sent. */
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
  if (share < usual_share || isOther) {
    const progress = `${Math.floor(100 * share)} % of ${versions.toLocaleString('en')} texts have vectors of ${embeddings.id}`
    return {
      status: 'Degraded',
      detail: isOther ? `${progress}; until all have, those of ${searched.name} are searched` : progress,
    }
  }
  return embeddings.isLexical ? { detail: 'Vectors of spelling, without a model: they know nothing of meaning' } : {}
}
