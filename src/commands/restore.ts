import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { PoolClient } from 'pg'
import { escapeIdentifier } from 'pg'
import { platformTenantId } from '#modules/accounts'
import { type Config, readConfig } from '#platform/config.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { readMigrations } from '#platform/db/migrate.ts'
import { openDatabase } from '#platform/db/open.ts'
import { makeFolder, missing, sync, writeSynced } from '#platform/files/disk.ts'
import { openAsOwner } from './backup/database.ts'
import { checkFiles, measureLines, readFileList, readLines, refuseMissing, requireSame } from './backup/files.ts'
import { fileList, filePath, keyPath, type Manifest, manifestName, readManifest, tablePath } from './backup/manifest.ts'
import { openPlace, type Place } from './backup/place.ts'
import { verifySignatures } from './backup/signatures.ts'
import {
  appliedMigrations,
  begin,
  fileLinesOf,
  liftGuards,
  linesOf,
  load,
  sequencesOf,
  setSequences,
  tablesOf,
} from './backup/tables.ts'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { locationOf } from './start.ts'

const quiet = { info() {}, warn() {}, error() {} }

export const restore: Command = {
  name: 'restore',
  summary: 'Bring a backup into an empty installation',
  options: {
    '--from FOLDER': 'what the backup was written to',
    '--digest HEX': `the SHA-256 of ${manifestName} that the backup printed, where SECRET_KEY is another one now`,
    '--check': 'only check that the backup is whole and as it was made; change nothing',
  },
  async run(args, env) {
    const options = readOptions(args, {
      from: { type: 'string' },
      digest: { type: 'string' },
      check: { type: 'boolean', default: false },
    })
    const folder = resolve(required('from', options.from))
    const config = readConfig(env)
    const manifest = await readManifest(folder, deriveKeys(config.secret_key).backup, options.digest)
    await checkBackup(folder, manifest)
    say(
      `The backup is whole: ${manifest.tables.length} tables, ${manifest.files.count} files, as of ${manifest.snapshot_at}.`,
    )
    if (options.check) return 0

    const last = lastMigration(manifest)
    const place = await openPlace(config, folder)
    try {
      await place.refuseUsed()
      await refuseOtherKey(folder, config, manifest)
      const database = await openAsOwner(config, { make: true })
      try {
        await refuseNewerDatabase(database.client, manifest)
        await database.migrate(last)
        await bringBack(folder, manifest, database.client, config, place)
        await database.client.query('analyze')
      } finally {
        await database.close()
      }
    } finally {
      await place.close()
    }
    // As a start does: what has been added to the schema since is applied, and tenants must be kept apart.
    const { close } = await openDatabase(locationOf(config), quiet)
    await close()
    say('The restore is complete and verified. Start the service when SECRET_KEY and DATA_DIR/keys are in place.')
    return 0
  },
}

/** Reads all of it, before anything is written anywhere. */
async function checkBackup(folder: string, manifest: Manifest) {
  for (const { name, ...expected } of manifest.tables) {
    const found = await measureLines(readLines(tablePath(folder, name))).catch(refuseMissing(`tables/${name}.jsonl`))
    requireSame(`tables/${name}.jsonl`, found, expected)
  }
  const list = join(folder, fileList)
  const found = await measureLines(readLines(list)).catch(refuseMissing(fileList))
  requireSame(fileList, found, { ...manifest.files, bytes: found.bytes })
  say(`checking ${manifest.files.count} files`)
  await checkFiles(readFileList(list), key => filePath(folder, key))
  if (manifest.signing_key_sha256) {
    const key = await readFile(keyPath(folder)).catch(refuseMissing('the signing key'))
    if (sha256(key) !== manifest.signing_key_sha256) throw new Refusal('The signing key is not what was recorded')
  }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The history of the backup must be a beginning of this program's: later migrations are applied to the records when they are here. */
function lastMigration({ migrations, version }: Manifest): string {
  const ours = readMigrations()
  for (const [index, { name, checksum }] of migrations.entries()) {
    if (ours[index]?.name !== name || ours[index].checksum !== checksum)
      throw new Refusal(
        `The backup was made by version ${version} with migration ${name}, which is not this program's: restore it with the version that made it`,
      )
  }
  return migrations.at(-1)!.name
}

async function refuseOtherKey(folder: string, config: Config, { signing_key_sha256 }: Manifest) {
  if (!signing_key_sha256) return
  const here = await readFile(installedKey(config)).catch(missing)
  if (here && !here.equals(await readFile(keyPath(folder))))
    throw new Refusal(`${installedKey(config)} is another key than that of the backup: move one of them away`)
}

const installedKey = ({ data_dir }: Config) => join(data_dir, 'keys/signature.pem')

async function refuseNewerDatabase(client: PoolClient, { migrations }: Manifest) {
  const applied = await appliedMigrations(client)
  if (applied.length > migrations.length)
    throw new Refusal(
      `The database has migration ${applied.at(-1)!.name} already, the backup ends with ${migrations.at(-1)!.name}: restore into a new database`,
    )
}

/**
 * One transaction, whose commit is the last step: rows, and everything that can be said against them. The files are whole in the store
 * before it: in a folder under another name, and get theirs by a rename just before. Whatever ends this leaves an empty database.
 */
async function bringBack(folder: string, manifest: Manifest, client: PoolClient, config: Config, place: Place) {
  await begin(client, '')
  await refuseUsedDatabase(client)
  const putBack = await liftGuards(client)
  await loadRows(folder, manifest, client)
  await putBack()
  await checkRows(manifest, client)

  try {
    say(`bringing back ${manifest.files.count} files`)
    const verified = await verifySignatures(client, await place.bring())
    const signatures = manifest.tables.find(({ name }) => name === 'signatures')?.rows ?? 0
    if (verified !== signatures) throw new Error(`${signatures - verified} signatures were not looked at`)
    say(`${verified} signatures are valid`)
    await bringBackKey(folder, manifest, config)
    say('putting everything in its place')
    await place.settle()
  } catch (error) {
    await place.takeBack().catch(() => {}) // the first error is the one to tell
    throw error
  }
  // Where this fails nobody knows whether it was done: files without rows do no harm, rows without files would.
  await client.query('commit')
}

/** Locked first, so that a service that starts meanwhile does not begin to fill it. The platform's own row is the migrations'. */
async function refuseUsedDatabase(client: PoolClient) {
  const tables = await tablesOf(client)
  await client.query(
    `lock table ${tables.map(({ name }) => escapeIdentifier(name)).join(', ')} in access exclusive mode`,
  )
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: { id?: number } }>(
      `select to_json(t) as row from ${escapeIdentifier(name)} t limit 2`,
    )
    const isNew = rows.length === 0 || (name === 'tenants' && rows.length === 1 && rows[0]!.row.id === platformTenantId)
    if (!isNew) throw new Refusal(`The database is not empty (${name} has rows): restore into a new one`)
  }
}

async function loadRows(folder: string, { tables, sequences }: Manifest, client: PoolClient) {
  const found = await tablesOf(client)
  const described = (each: { name: string; columns: unknown[] }[]) => JSON.stringify(each.map(t => [t.name, t.columns]))
  const here = found.map(({ name, columns }) => ({ name, columns: columns.map(column => column.name) }))
  if (described(here) !== described(tables))
    throw new Refusal('The tables of the backup are not those of its migrations')
  for (const table of found) {
    await client.query(`delete from ${escapeIdentifier(table.name)}`)
    await load(client, table, readLines(tablePath(folder, table.name)))
    say(`${table.name}: ${tables.find(({ name }) => name === table.name)!.rows} rows`)
  }
  await setSequences(client, sequences)
}

/** Written out again, each table must be the same bytes as in the backup. */
async function checkRows({ tables, sequences, files }: Manifest, client: PoolClient) {
  const found = await tablesOf(client)
  for (const [index, { name, ...expected }] of tables.entries())
    requireSame(`the restored table ${name}`, await measureLines(linesOf(client, found[index]!)), expected)
  const list = await measureLines(fileLinesOf(client, found))
  requireSame('the list of the files that the records name', list, { ...files, bytes: list.bytes })
  if (JSON.stringify(await sequencesOf(client)) !== JSON.stringify(sequences))
    throw new Refusal('The sequences of the backup are not those of its migrations')
}

async function bringBackKey(folder: string, { signing_key_sha256 }: Manifest, config: Config) {
  const to = installedKey(config)
  if (!signing_key_sha256 || existsSync(to)) return
  await makeFolder(dirname(to))
  await writeSynced(to, await readFile(keyPath(folder)))
  await sync(dirname(to))
}
