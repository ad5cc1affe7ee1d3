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
import { openProgress } from './progress.ts'

export const storageMove: Command = {
  options: {
    '--to TYPE':
      'local, s3 or gcp, with the variables that the service will have; one with TARGET_ before it goes first',
    '--verify-only': 'only read what is in the other store, and compare it with the records',
  },
  async run(args, env) {
    const options = readOptions(args, { to: { type: 'string' }, 'verify-only': { type: 'boolean', default: false } })
    const config = readConfig(env)
    const targetConfig = readConfig(targetOf(env, required('to', options.to)))
    if (describe(config) === describe(targetConfig))
      throw new Refusal(
        `The files are in ${placeOf(config)} already: say where else with --to, or by variables with TARGET_ before them`,
      )
    const list = join(config.upload_dir, '.tmp', `move-${randomUUID()}`)
    await makeFolder(join(config.upload_dir, '.tmp'))
    try {
      const { installation, ...total } = await listFiles(config, list)
      const [source, target] = [await openStorage(config), await openStorage(targetConfig)]
      try {
        const onlyVerify = options['verify-only']
        await refuseOtherStore(source, placeOf(config), installation).catch(stopped)
        const mark = await refuseOtherStore(target, placeOf(targetConfig), installation).catch(stopped)
        say(
          `${total.files} files, ${inUnits(total.bytes)}: ${onlyVerify ? 'reading them in' : `from ${placeOf(config)} to`} ${placeOf(targetConfig)}`,
        )
        const work = (file: StoredFile) => (onlyVerify ? verify(target, file) : copy(source, target, file))
        const outcome = await goThrough(readFileList(list), total, work)
        // Last: a store that a move was cut off from is none that a service may start with.
        if (installation && !mark && !onlyVerify) await markStore(target, installation).catch(stopped)
        return tell(outcome, targetConfig, onlyVerify)
      } finally {
        await source.close?.()
        await target.close?.()
      }
    } finally {
      await rm(list, { force: true })
    }
  },
}

/** The environment that the service will have afterwards. */
function targetOf(env: Environment, type: string): Environment {
  const target: Environment = { ...env, STORAGE_TYPE: type }
  for (const [name, value] of Object.entries(env))
    if (name.startsWith('TARGET_')) target[name.slice('TARGET_'.length)] = value
  return { ...target, STORAGE_TYPE: type }
}

const describe = ({ storage, upload_dir }: Config) =>
  JSON.stringify(storage.type === 'local' ? [upload_dir] : [storage])

/** Into a file, because there may be millions. The transaction is over before the first is copied. */
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
  throw new Refusal(
    `${error.message || error.code}\nIt ended after ${files} files: once that is put right, the same command goes on from there`,
    { cause: error },
  )
}

/** What is wrong with a file is told at the end; whatever else goes wrong ends it. */
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
      if (outcome === 'replaced') say(`${file.key}: the target had something else, which was replaced`)
      counts[outcome] += 1
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      faults.push(error.message)
    }
    progress.add(file.size_bytes)
  }).catch(error => stopped(error, counts.copied + counts.replaced + counts.there))
  return { counts, faults }
}

function tell(
  { counts, faults }: Awaited<ReturnType<typeof goThrough>>,
  { storage }: Config,
  onlyVerify: boolean,
): number {
  const { copied, replaced, there } = counts
  say(
    onlyVerify
      ? `${there} files are as they were recorded`
      : `${copied} files copied, ${replaced} replaced, ${there} were there`,
  )
  if (faults.length > 0) {
    process.stderr.write(`${faults.length} files are missing or not what was recorded:\n${faults.join('\n')}\n`)
    return 1
  }
  if (!onlyVerify)
    say(
      `All of them were read back and are right. If the service ran meanwhile, stop it and do the same again: it copies what has come since. Then set STORAGE_TYPE=${storage.type} and start.`,
    )
  return 0
}
