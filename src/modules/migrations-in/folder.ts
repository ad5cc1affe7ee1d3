// Brings in the files of a folder on this machine: for more than is sent in archives.
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Origin, Services } from '#action'
import { requireAll } from '#action/allowed.ts'
import { actorOfUser } from '#modules/accounts'
import { stageFiles } from './actions.ts'
import { actsOn } from './acts.ts'
import { lockBatch } from './queries.ts'
import { isRefused, type ReceivedFile, type RefusedFile, receiveOne } from './staging/files.ts'
import { cleanPath } from './staging/values.ts'
import { requireBatch, stateOf } from './view.ts'

const filesPerTransaction = 100

/** The files below a folder. A link may lead anywhere, so none is followed. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (entry.isFile()) yield path
  }
}

export interface FolderImport {
  tenantId: number
  batchId: number
  folder: string
  origin: Origin
  /** Called after each transaction. */
  progress(taken: number): void
}

/** On behalf of the person who began the batch. What an interruption leaves out is taken by repeating it. */
export async function importFolder(
  services: Services,
  { tenantId, batchId, folder, origin, progress }: FolderImport,
): Promise<{ taken: number; refused: RefusedFile[] }> {
  const { database, runner, storage } = services
  const person = await database.transaction(
    { tenantId, userId: null },
    'read only',
    async tx => (await actorOfUser(tx, (await requireBatch(tx, batchId)).started_by.id))!,
  )
  const refused: RefusedFile[] = []
  let taken = 0
  let waiting: ReceivedFile[] = []

  async function store() {
    const files = waiting
    waiting = []
    if (files.length === 0) return
    try {
      await runner.inSeparateTransaction(person, origin, async context => {
        await lockBatch(context.tx, batchId)
        const batch = await requireBatch(context.tx, batchId)
        await requireAll(actsOn(person, await stateOf(context.tx, batch)).stage)
        await stageFiles(context, batch, files)
      })
    } catch (error) {
      for (const { file_key } of files) await storage.remove(file_key)
      throw error
    }
    taken += files.length
    progress(taken)
  }

  for await (const path of filesBelow(folder)) {
    const clean = cleanPath(relative(folder, path))
    if (clean === undefined) continue
    const file = await receiveOne(services, tenantId, { path: clean, content: createReadStream(path) })
    if (isRefused(file)) {
      refused.push(file)
      const { auditEntry } = file
      if (auditEntry) await runner.auditDenial(person, origin, auditEntry)
    } else waiting.push(file)
    if (waiting.length >= filesPerTransaction) await store()
  }
  await store()
  return { taken, refused }
}
