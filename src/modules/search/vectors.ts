import type { Services } from '#action'
import type { Job } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { enqueue, Postponed, type QueueItem } from '#platform/jobs/queue.ts'
import type { Embeddings } from '#platform/models/embeddings.ts'
import { ModelFailed } from '#platform/models/failure.ts'
import { bytesOf, isZero, signsOf } from './vector-bytes.ts'
import {
  findOutdated,
  findSearched,
  findWork,
  listPieces,
  listWithoutVectors,
  type MadeVectors,
  modelId,
  type Piece,
  removeOutdated,
  saveVectors,
  searchByModel,
} from './vector-queries.ts'

const maxRequeued = 10_000
const readBatch = 64
const removeBatch = 200
/** The work starts again if the text is replaced in the meantime. */
const maxStarts = 3

/** Without a version, vectors of unused models are removed. */
export interface VectorsItem {
  tenant_id: number
  version_id: number | null
}

/** The text of a passage for the model, with title and heading, because a piece alone does not show its subject. */
const passageText = ({ title, heading, body }: Omit<Piece, 'position'>) =>
  [title, ...(heading ? [heading] : []), body].join('\n')

const itemOf = (tenant_id: number, version_id: number | null, priority = 0): QueueItem => ({
  key: `${tenant_id}:${version_id ?? 'outdated'}`,
  tenant_id,
  data: { tenant_id, version_id } satisfies VectorsItem,
  priority,
})

/** Called in the transaction that writes a text. */
export const askForVectors = async (
  tx: Tx,
  { embeddings }: Pick<Services, 'embeddings'>,
  { tenant_id, version_id }: { tenant_id: number; version_id: number },
): Promise<void> => {
  if (embeddings) await enqueue(tx, 'vectors', [itemOf(tenant_id, version_id, 1)])
}

/** Vectors are made outside of any transaction, and stored if the text is unchanged by then. */
export const vectorsJob: Job<VectorsItem> = {
  name: 'vectors',
  queue: 'vectors',
  at_once: 2,
  one_per_tenant: true,
  isOn: ({ embeddings }) => embeddings !== undefined,
  async run(services, { tenant_id, version_id }, { signal }) {
    const maker: Maker = { embeddings: services.embeddings!, signal, bound: boundIn(services, tenant_id) }
    if (version_id === null) return forget(maker)
    try {
      for (let starts = 0; starts < maxStarts; starts++) if (await makeOf(maker, version_id)) return
    } catch (error) {
      if (signal.aborted) throw new Postponed('the process ends')
      if (error instanceof ModelFailed) throw new Postponed(error.message)
      throw error
    }
    throw new Postponed('the text is replaced over and over')
  },
  async find(tx, { embeddings }) {
    const current = await modelId(tx, embeddings!)
    const without = await listWithoutVectors(tx, current, maxRequeued)
    if (without.length > 0) return without.map(({ tenant_id, version_id }) => itemOf(tenant_id, version_id))
    const tenant_id = (await searchByModel(tx, current)) ? await findOutdated(tx, current) : undefined
    return tenant_id === undefined ? [] : [itemOf(tenant_id, null)]
  },
}

interface Maker {
  embeddings: Embeddings
  signal: AbortSignal
  bound<T>(access: 'read only' | 'read write', work: (tx: Tx) => Promise<T>): Promise<T>
}

const boundIn =
  ({ database }: Services, tenantId: number): Maker['bound'] =>
  (access, work) =>
    database.transaction({ tenantId, userId: null }, access, work, { canRunAgain: true })

/** The configured model, and until it has taken over also the one that is searched by, if it is still available. */
async function modelsOf(tx: Tx, embeddings: Embeddings): Promise<Map<number, Embeddings>> {
  const models = new Map([[await modelId(tx, embeddings), embeddings]])
  const searched = await findSearched(tx)
  const former = searched && searched.name !== embeddings.id ? embeddings.former(searched.name) : undefined
  if (searched && former) models.set(searched.id, former)
  return models
}

async function makeOf({ embeddings, signal, bound }: Maker, version_id: number): Promise<boolean> {
  const models = await bound('read write', tx => modelsOf(tx, embeddings))
  const work = await bound('read only', tx => findWork(tx, version_id, [...models.keys()]))
  for (const model_id of work?.without ?? []) {
    const made = await embedPieces(models.get(model_id)!, signal, from =>
      bound('read only', tx => listPieces(tx, version_id, from, readBatch)),
    )
    const isStored = await bound('read write', tx =>
      saveVectors(tx, { version_id, model_id, digest: work!.digest }, made),
    )
    if (!isStored) return false
  }
  return true
}

async function forget({ embeddings, signal, bound }: Maker) {
  const removeSome = () =>
    bound('read write', async tx => removeOutdated(tx, await modelId(tx, embeddings), removeBatch))
  while (!signal.aborted && (await removeSome()) === removeBatch);
}

async function embedPieces(
  embeddings: Embeddings,
  signal: AbortSignal,
  read: (from: number) => Promise<Piece[]>,
): Promise<MadeVectors> {
  const { dimensions } = embeddings
  const made = { positions: [] as number[], bits: [] as string[] }
  const parts: Buffer[] = []
  for (let from = 0; ; ) {
    const pieces = await read(from)
    const embedded = await embeddings.embed(
      pieces.map(piece => passageText(piece)),
      'passage',
      signal,
    )
    for (const [index, { position }] of pieces.entries()) {
      const vector = embedded[index]!
      // A vector is found by its position, so unused positions are filled with zeros.
      parts.push(Buffer.alloc((position - from) * dimensions), bytesOf(vector))
      from = position + 1
      if (isZero(vector)) continue
      made.positions.push(position)
      made.bits.push(signsOf(vector))
    }
    if (pieces.length < readBatch) return { ...made, vectors: Buffer.concat(parts) }
  }
}
