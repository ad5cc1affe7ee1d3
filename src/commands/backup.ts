import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { version } from '#kernel/version.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { keyFileOf } from '#platform/crypto/signing-key.ts'
import { makeFolder, sync, writeSynced } from '#platform/files/disk.ts'
import { openStorage, placeOf } from '#platform/storage/open.ts'
import { MissingFile } from '#platform/storage/storage.ts'
import { type OwnersDatabase, openAsOwner } from './backup/database.ts'
import { copyFiles, readFileList, writeLines } from './backup/files.ts'
import {
  fileList,
  hashesOfKeys,
  keyNames,
  keyPath,
  type Manifest,
  manifestName,
  tablePath,
  writeManifest,
} from './backup/manifest.ts'
import { lines } from './backup/messages.ts'
import {
  appliedMigrations,
  begin,
  fileLinesOf,
  insertBackup,
  installationOf,
  linesOf,
  sequencesOf,
  tablesOf,
} from './backup/tables.ts'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { refuseOtherStore } from './identity.ts'
import { storeFailed } from './storage/copy.ts'

export const backup: Command = {
  options: {
    '--to FOLDER': 'a folder that is empty or not there yet',
    '--include-keys': 'copy the signing keys too; without it, keep DATA_DIR/keys elsewhere',
  },
  async run(args, env) {
    const options = readOptions(args, { to: { type: 'string' }, 'include-keys': { type: 'boolean', default: false } })
    const folder = resolve(required('to', options.to))
    const config = readConfig(env)
    await refuseUsed(folder)
    const database = await openAsOwner(config, { make: false })
    try {
      await makeFolder(folder)
      const { manifest, digest } = await write(folder, database, config, options['include-keys'])
      await note(database, manifest, digest)
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
      const { files, snapshot_at } = manifest
      say(lines.backup_complete({ folder, rows, files: files.count, snapshot_at }))
      say(lines.backup_digest({ manifest: manifestName, digest }))
      const keys = config.keys.files ? 'the key files' : config.keys.folder
      say(lines.backup_to_keep({ keys: options['include-keys'] ? null : keys }))
    } catch (error) {
      await remove(folder)
      throw error
    } finally {
      await database.close()
    }
    return 0
  },
}

/** Nothing is overwritten, not even an unfinished backup. */
async function refuseUsed(folder: string) {
  if (!existsSync(folder)) return
  const names = (await readdir(folder)).filter(name => name !== 'lost+found')
  if (names.length === 0) return
  const isUnfinished = names.includes('tables') && !names.includes(manifestName)
  throw new Refusal(
    isUnfinished
      ? lines.backup_folder_unfinished({ folder, manifest: manifestName })
      : lines.backup_folder_used({ folder }),
  )
}

/** Removes the files of this run: the folder was empty before. */
async function remove(folder: string) {
  for (const name of [manifestName, 'tables', fileList, 'files', 'keys'])
    await rm(join(folder, name), { recursive: true, force: true })
}

/**
 * Database first, files second: a file is stored before its row and stays as long as it, so that each row of the snapshot has its file
 * whatever is uploaded meanwhile. The snapshot is closed before the files are copied, because an old one keeps PostgreSQL from vacuuming.
 */
async function write(folder: string, { client }: OwnersDatabase, config: Config, includeKeys: boolean) {
  await makeFolder(join(folder, 'tables'))
  await begin(client, 'isolation level repeatable read read only')
  const migrations = await appliedMigrations(client)
  if (migrations.length === 0) throw new Refusal(lines.backup_no_tables())
  const { rows: facts } = await client.query<{ snapshot_at: string; postgresql: string }>(
    `select now() as snapshot_at, current_setting('server_version') as postgresql`,
  )
  const found = await tablesOf(client)
  const tables: Manifest['tables'] = []
  for (const table of found) {
    const { lines: rows, ...measure } = await writeLines(tablePath(folder, table.name), linesOf(client, table))
    tables.push({ name: table.name, columns: table.columns.map(({ name }) => name), rows, ...measure })
    say(lines.backup_table({ table: table.name, rows }))
  }
  const list = join(folder, fileList)
  const listed = await writeLines(list, fileLinesOf(client, found))
  // Read last, because sequences must not be behind the snapshot.
  const sequences = await sequencesOf(client)
  const installation = await installationOf(client)
  await client.query('commit')

  const storage = await openStorage(config)
  await refuseOtherStore(storage, placeOf(config), installation).catch(storeFailed(config))
  const root = join(folder, 'files')
  await makeFolder(root)
  say(lines.backup_copying({ files: listed.lines }))
  const copied = await copyFiles(readFileList(list), key => storage.open(key).catch(refuseMissing), root).catch(
    storeFailed(config),
  )
  await storage.close?.()

  const manifest: Manifest = {
    format: 'attest-backup-1',
    ...facts[0]!,
    version,
    release: config.release,
    migrations,
    tables,
    sequences,
    files: { ...copied, sha256: listed.sha256 },
    ...(includeKeys && (await copyKeys(folder, config))),
  }
  for (const each of [join(folder, 'tables'), folder]) await sync(each)
  const digest = await writeManifest(folder, manifest, deriveKeys(config).backup)
  await sync(folder)
  return { manifest, digest }
}

/** For the operators' page, which shows how old the newest backup is. A standby takes no note, and its backup is as good. */
async function note({ client }: OwnersDatabase, manifest: Manifest, digest: string) {
  try {
    await insertBackup(client, { ...manifest, digest })
  } catch (error) {
    say(lines.backup_not_noted({ reason: (error as Error).message }))
  }
}

async function copyKeys(folder: string, { keys }: Config) {
  const hashes: Record<string, string> = {}
  for (const name of keyNames) {
    const [from, to] = [keyFileOf(keys, name), keyPath(folder, name)]
    // An installation that was never started with checkpoints has no audit key.
    if (name === 'audit' && !existsSync(from)) continue
    await makeFolder(dirname(to))
    await writeSynced(to, await readFile(from))
    hashes[hashesOfKeys[name]] = createHash('sha256')
      .update(await readFile(to))
      .digest('hex')
  }
  await sync(join(folder, 'keys'))
  return hashes
}

function refuseMissing(error: unknown): never {
  throw error instanceof MissingFile ? new Refusal(lines.backup_file_missing({ reason: error.message })) : error
}
