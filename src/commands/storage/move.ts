import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, type Environment, readConfig } from '#platform/config.ts'
import { makeFolder } from '#platform/files/disk.ts'
import { openStorage, placeOf } from '#platform/storage/open.ts'
import { openAsOwner } from '../backup/database.ts'
import { each, readFileList, type StoredFile, writeLines } from '../backup/files.ts'
import { begin, fileLinesOf, installationOf, tablesOf } from '../backup/tables.ts'
import { type Command, Refusal, readOptions, required, say } from '../command.ts'
import { markStore, refuseOtherStore } from '../identity.ts'
import { inUnits } from '../units.ts'
import { copy, FileFault, verify } from './copy.ts'
import { lines } from './messages.ts'
import { openProgress } from './progress.ts'

export const storageMove: Command = {
  options: {
    '--to TYPE': 'local, s3 or gcp, with the variables of the new store; TARGET_NAME overrides NAME',
    '--verify-only': 'only compare the files in the other store with the records',
  },
  async run(args, env) {
    const options = readOptions(args, { to: { type: 'string' }, 'verify-only': { type: 'boolean', default: false } })
    const config = readConfig(env)
    const targetConfig = readConfig(targetOf(env, required('to', options.to)))
    if (describe(config) === describe(targetConfig))
      throw new Refusal(lines.storage_same_store({ place: placeOf(config) }))
    const list = join(config.upload_dir, '.tmp', `move-${randomUUID()}`)
    await makeFolder(join(config.upload_dir, '.tmp'))
    try {
      const { installation, ...total } = await listFiles(config, list)
      const [source, target] = [await openStorage(config), await openStorage(targetConfig)]
      try {
        const onlyVerify = options['verify-only']
        await refuseOtherStore(source, placeOf(config), installation).catch(stopped)
        const mark = await refuseOtherStore(target, placeOf(targetConfig), installation).catch(stopped)
        const [files, size, place] = [total.files, inUnits(total.bytes), placeOf(targetConfig)]
        say(
          onlyVerify
            ? lines.storage_verifying({ files, size, place })
            : lines.storage_moving({ files, size, from: placeOf(config), to: place }),
        )
        const work = (file: StoredFile) => (onlyVerify ? verify(target, file) : copy(source, target, file))
        const outcome = await goThrough(readFileList(list), total, work)
        // Marked last, so that no service starts with an incomplete store.
        if (installation && !mark && !onlyVerify) await markStore(target, installation).catch(stopped)
        return report(outcome, targetConfig, onlyVerify)
      } finally {
        await source.close?.()
        await target.close?.()
      }
    } finally {
      await rm(list, { force: true })
    }
  },
}

/** The environment of the service after the move. */
function targetOf(env: Environment, type: string): Environment {
  const target: Environment = { ...env, STORAGE_TYPE: type }
  for (const [name, value] of Object.entries(env))
    if (name.startsWith('TARGET_')) target[name.slice('TARGET_'.length)] = value
  return { ...target, STORAGE_TYPE: type }
}

const describe = ({ storage, upload_dir }: Config) =>
  JSON.stringify(storage.type === 'local' ? [upload_dir] : [storage])

/** Lists the files in a file, because there may be millions, and ends the transaction before the first copy. */
async function listFiles(config: Config, path: string) {
  const database = await openAsOwner(config, { make: false })
  try {
    await begin(database.client, 'isolation level repeatable read read only')
    const { lines: files } = await writeLines(path, fileLinesOf(database.client, await tablesOf(database.client)))
    const installation = await installationOf(database.client)
    await database.client.query('commit')
    let bytes = 0
    for await (const { size_bytes } of readFileList(path)) bytes += size_bytes
    return { files, bytes, installation }
  } finally {
    await database.close()
  }
}

type Outcome = Awaited<ReturnType<typeof copy>>

function stopped(error: Error & { code?: string }, files = 0): never {
  if (error instanceof Refusal) throw error
  throw new Refusal(lines.storage_move_stopped({ reason: error.message || String(error.code), files }), {
    cause: error,
  })
}

/** Faults of files are reported at the end. Any other failure stops the move. */
async function goThrough(
  files: AsyncIterable<StoredFile>,
  total: { files: number; bytes: number },
  work: (file: StoredFile) => Promise<Outcome>,
) {
  const progress = openProgress(total)
  const counts: Record<Outcome, number> = { copied: 0, replaced: 0, there: 0 }
  const faults: string[] = []
  await each(files, async file => {
    try {
      const outcome = await work(file)
      if (outcome === 'replaced') say(lines.storage_file_replaced({ file: file.key }))
      counts[outcome] += 1
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      faults.push(error.message)
    }
    progress.add(file.size_bytes)
  }).catch(error => stopped(error, counts.copied + counts.replaced + counts.there))
  return { counts, faults }
}

function report(
  { counts, faults }: Awaited<ReturnType<typeof goThrough>>,
  { storage }: Config,
  onlyVerify: boolean,
): number {
  say(onlyVerify ? lines.storage_verified({ files: counts.there }) : lines.storage_moved(counts))
  if (faults.length > 0) {
    process.stderr.write(`${[lines.storage_faults({ count: faults.length }).text, ...faults].join('\n')}\n`)
    return 1
  }
  if (!onlyVerify) say(lines.storage_move_to_finish({ type: storage.type }))
  return 0
}
