import type { PrepareContext, Services, Sink } from '#action'
import type { Job } from '#modules/jobs'
import { bytesOf, cosine, findModel, isZero, modelId, nearest, ranking, signsOf } from '#modules/search'
import type { Tx } from '#platform/db/database.ts'
import { enqueue, Postponed, type QueueItem } from '#platform/jobs/queue.ts'
import type { Embeddings } from '#platform/models/embeddings.ts'
import { ModelFailed } from '#platform/models/failure.ts'
import { unit } from '#platform/models/unit.ts'
import { within } from '#platform/within.ts'
import type { SimilarFilter } from './schema.ts'
import { findText, findVector, listNear, listWithoutVector, saveVector } from './vector-queries.ts'

const maxRequeued = 10_000
/** A request waits no longer for the vector of its text. */
const timeoutMs = 1000
/** So many vectors are compared, after all were compared by signs. */
const maxCompared = 200
/** The work starts again if the content changes in the meantime. */
const maxStarts = 3

/** The model that knows meaning and runs in this process. Deviations are sent to no service for their vectors. */
export const modelOf = ({ embeddings }: Pick<Services, 'embeddings'>): Embeddings | undefined =>
  embeddings?.isLocal ? embeddings : undefined

interface VectorItem {
  tenant_id: number
  deviation_id: number
}
const name = 'deviation_vectors'
const itemOf = ({ tenant_id, deviation_id }: VectorItem, priority = 0): QueueItem => ({
  job: name,
  key: `${tenant_id}:deviation:${deviation_id}`,
  tenant_id,
  data: { tenant_id, deviation_id } satisfies VectorItem,
  priority,
})

/** Asks for the vectors of deviations whose content has changed. */
export const deviationVectorSink: Sink = async (tx, { services }, recorded) => {
  const model = modelOf(services)
  const ids = recorded.flatMap(({ event, id }) => (event.startsWith('deviation.') && id !== null ? [id] : []))
  if (!model || ids.length === 0) return
  const without = await listWithoutVector(tx, await modelId(tx, model), { limit: ids.length, ids })
  await enqueue(
    tx,
    'vectors',
    without.map(item => itemOf(item, 1)),
  )
}

/** A vector is made outside of any transaction. */
export const deviationVectorsJob: Job<VectorItem> = {
  name,
  queue: 'vectors',
  at_once: 2,
  one_per_tenant: true,
  isOn: services => modelOf(services) !== undefined,
  async run(services, { tenant_id, deviation_id }, { signal }) {
    const model = modelOf(services)!
    const bound = <T>(access: 'read only' | 'read write', work: (tx: Tx) => Promise<T>) =>
      services.database.transaction({ tenantId: tenant_id, userId: null }, access, work, { canRunAgain: true })
    const model_id = await bound('read write', tx => modelId(tx, model))
    for (let starts = 0; starts < maxStarts; starts++) {
      const found = await bound('read only', tx => findText(tx, deviation_id, model_id))
      if (!found) return
      const [vector] = await embedOne(model, found.text, signal)
      const made = { bits: signsOf(vector!), vector: bytesOf(vector!) }
      await bound('read write', tx =>
        saveVector(tx, { deviation_id, model_id, content_revision: found.content_revision, ...made }),
      )
    }
  },
  async find(tx, services) {
    const model_id = await modelId(tx, modelOf(services)!)
    return (await listWithoutVector(tx, model_id, { limit: maxRequeued })).map(item => itemOf(item))
  },
}

async function embedOne(model: Embeddings, text: string, signal: AbortSignal) {
  try {
    return await model.embed([text], 'passage', signal)
  } catch (error) {
    if (signal.aborted) throw new Postponed('the process ends')
    if (error instanceof ModelFailed) throw new Postponed(error.message)
    throw error
  }
}

interface AskedVector {
  model_id: number
  vector: Float32Array
}

/** The vector of what is asked for. Called outside any transaction. Undefined without a model, or if it is slow or fails. */
export async function embedAsked(
  { read, services }: Pick<PrepareContext, 'read' | 'services'>,
  { q, deviation_id }: SimilarFilter,
): Promise<AskedVector | undefined> {
  const model = modelOf(services)
  const found = model && (await read(tx => findModelAndVector(tx, model, deviation_id)))
  if (!found) return undefined
  const { model_id } = found
  if (found.vector) return { model_id, vector: unit(Float32Array.from(new Int8Array(found.vector))) }
  if (q === undefined) return undefined
  try {
    const [vector] = await within(model.embed([q], 'query'), timeoutMs, [])
    return vector && !isZero(vector) ? { model_id, vector } : undefined
  } catch {
    services.log.debug('a text that similar deviations are searched by has no vector')
    return undefined
  }
}

async function findModelAndVector(tx: Tx, { id }: Embeddings, deviation_id: number | undefined) {
  const model = await findModel(tx, id)
  return model && { model_id: model.id, vector: deviation_id && (await findVector(tx, deviation_id, model.id)) }
}

/** How near in meaning deviations are, by their ids: 1 is the nearest of all, and less the further behind it. */
export async function findByMeaning(
  tx: Tx,
  { model_id, vector }: AskedVector,
  filter: SimilarFilter,
): Promise<Map<number, number>> {
  const near = (await listNear(tx, { model_id, bits: signsOf(vector), most: maxCompared }, filter))
    .map(({ deviation_id, vector: bytes }) => ({ id: deviation_id, score: cosine(vector, bytes) }))
    .sort((a, b) => b.score - a.score || b.id - a.id)
  const { constant } = ranking
  return new Map(nearest(near, ranking).map(({ id }, place) => [id, (constant + 1) / (constant + place + 1)]))
}
