import type { Services } from '#action'
import { AppError } from '#kernel/errors.ts'
import type { Job } from '#modules/jobs'
import { indexText } from '#modules/projections'
import { isConnectionLost, type Tx } from '#platform/db/database.ts'
import { endingAmong, knownEndings } from '#platform/files/media-type.ts'
import type { Attempt, QueueItem } from '#platform/jobs/queue.ts'
import { CorruptFile, type FileStorage, MissingFile } from '#platform/storage/storage.ts'
import { openIntact } from '#platform/storage/verified.ts'
import { type Extraction, extractor_version } from '#platform/text-extraction/index.ts'
import { chunksOf } from './chunks.ts'
import { languageOf } from './language.ts'
import {
  deleteVectors,
  type FileToRead,
  findFile,
  listWaiting,
  lockText,
  replaceChunks,
  saveReading,
} from './text-queries.ts'
import { askForVectors } from './vectors.ts'

/** The queue holds ids only. */
interface VersionItem {
  tenant_id: number
  version_id: number
}

export const itemOf = (item: VersionItem, priority = 0): QueueItem => ({
  key: `${item.tenant_id}/${item.version_id}`,
  tenant_id: item.tenant_id,
  data: item,
  priority,
})

const maxRequeued = 1_000

const unread = (status: 'failed' | 'no_text', reason: string): Extraction => ({
  status,
  reason,
  pages: null,
  by_ocr: false,
  blocks: [],
})

const whole = (reason: string | null, left_out: number) =>
  left_out === 0
    ? reason
    : [reason, `It has too many different words: the ${left_out} rarest are not searched.`]
        .filter(each => each !== null)
        .join(' ')

/**
 * Extracts the text of a version outside of any transaction, and replaces the text that was read before. A bad file is reported on the
 * document at once; a failure of the store or the machine is tried again.
 */
export const textJob: Job<VersionItem> = {
  name: 'texts',
  queue: 'texts',
  at_once: 2,
  one_per_tenant: true,
  yields: true,
  run,
  records: 'texts',
  find: async tx => (await listWaiting(tx, maxRequeued)).map(item => itemOf(item)),
}

async function run(services: Services, item: VersionItem, attempt: Attempt) {
  const of = { tenantId: item.tenant_id, userId: null }
  const file = await services.database.transaction(of, 'read only', tx => findFile(tx, item.version_id))
  if (!file) return
  const extraction = await read(services, file, attempt)
  try {
    await keep(services, item, extraction)
  } catch (error) {
    if (!attempt.isLast || attempt.signal.aborted || isConnectionLost(error)) throw error
    await keep(services, item, unread('failed', 'It could not be indexed. The log of the service has the reason.'))
    throw error
  }
}

async function read({ storage, texts }: Services, file: FileToRead, { signal }: Attempt): Promise<Extraction> {
  const ending = endingAmong(file.name, knownEndings)
  if (ending === undefined) return unread('no_text', 'Files of this type have no text that can be read.')
  // An unknown type is refused without fetching the file.
  if (!texts.canRead(ending)) return texts.extract({ path: '', ending }, signal)
  const received = await fetch(storage, file)
  if (typeof received === 'string') return unread('failed', received)
  try {
    return await texts.extract({ path: received.path, ending }, signal)
  } finally {
    await storage.discard(received)
  }
}

/** Returns the reason as a string if the stored file is missing or differs from the record. */
async function fetch(storage: FileStorage, file: FileToRead) {
  try {
    return await storage.receive(await openIntact(storage, file), { max_bytes: file.size_bytes })
  } catch (error) {
    const isCorrupt = error instanceof CorruptFile || (error instanceof AppError && error.status === 413)
    if (isCorrupt) return 'The stored file differs from the one that was uploaded.'
    if (error instanceof MissingFile) return 'The file is missing from the store.'
    throw error
  }
}

async function keep(services: Services, { tenant_id, version_id }: VersionItem, { blocks, ...extraction }: Extraction) {
  const chunks = chunksOf(blocks)
  const language = await languageOf(blocks.map(({ text }) => text).join('\n'))
  const characters = blocks.reduce((sum, { text }) => sum + text.length, 0)
  await services.database.transaction(
    { tenantId: tenant_id, userId: null },
    'read write',
    async tx => {
      // Two processes that read the same file must write one after the other.
      await lockText(tx, version_id)
      // Its file may have been removed while it was read.
      if (!(await findFile(tx, version_id))) return
      await replaceChunks(tx, version_id, language, chunks)
      const left_out = await indexText(tx, version_id)
      await saveReading(tx, version_id, {
        ...extraction,
        ...{ reason: whole(extraction.reason, left_out), extractor: extractor_version, language, characters },
        extracted_at: services.clock.now().toISOString(),
      })
      await askForVectors(tx, services, { tenant_id, version_id })
    },
    { canRunAgain: true },
  )
}

const textOfRemoved = 'The file was removed.'

/** Takes all that was made of the file of a version out of the search, in the transaction that removes the file. */
export async function forgetText(tx: Tx, { clock }: Pick<Services, 'clock'>, version_id: number) {
  await lockText(tx, version_id)
  await deleteVectors(tx, version_id)
  await replaceChunks(tx, version_id, null, [])
  await indexText(tx, version_id)
  await saveReading(tx, version_id, {
    ...{ status: 'no_text', reason: textOfRemoved, extractor: extractor_version },
    ...{ language: null, pages: null, characters: 0, by_ocr: false },
    extracted_at: clock.now().toISOString(),
  })
}
