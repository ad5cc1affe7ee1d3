import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { PoolClient } from 'pg'
import { escapeIdentifier } from 'pg'
import { platformTenantId } from '#modules/accounts'
import { AnchorsUnreadable, knownOutside, type PublicHalf } from '#modules/audit'
import { openAnchorStores } from '#platform/anchors/open.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { nameOfApiKey } from '#platform/crypto/api-key.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { findKeys, keyFileOf, publicKeyOf } from '#platform/crypto/signing-key.ts'
import { readMigrations } from '#platform/db/migrate.ts'
import { openDatabase } from '#platform/db/open.ts'
import { makeFolder, missing, sync, writeSynced } from '#platform/files/disk.ts'
import type { Mark } from '#platform/storage/mark.ts'
import { placeOf } from '#platform/storage/open.ts'
import { openAsOwner } from './backup/database.ts'
import { checkFiles, measureLines, readFileList, readLines, refuseMissing, requireSame } from './backup/files.ts'
import {
  fileList,
  filePath,
  hashesOfKeys,
  keyNames,
  keyPath,
  type Manifest,
  manifestName,
  readManifest,
  tablePath,
} from './backup/manifest.ts'
import { lines, reasons } from './backup/messages.ts'
import { openPlace, type Place } from './backup/place.ts'
import { verifySignatures } from './backup/signatures.ts'
import {
  appliedMigrations,
  begin,
  fileLinesOf,
  installationOf,
  liftGuards,
  linesOf,
  load,
  sequencesOf,
  setSequences,
  tablesOf,
} from './backup/tables.ts'
import { type Command, quiet, Refusal, readOptions, required, say } from './command.ts'
import { readFolderMark } from './identity.ts'
import { locationOf } from './location.ts'
import { lines as commandLines } from './messages.ts'

export const restore: Command = {
  options: {
    '--from FOLDER': 'the folder of the backup',
    '--digest HEX': `the SHA-256 of ${manifestName} that the backup printed, if SECRET_KEY has changed`,
    '--new-identity': 'make a copy that runs beside the original, as an installation of its own with its own keys',
    '--check': 'only check that the backup is complete and unchanged',
  },
  async run(args, env) {
    const options = readOptions(args, {
      from: { type: 'string' },
      digest: { type: 'string' },
      check: { type: 'boolean', default: false },
      'new-identity': { type: 'boolean', default: false },
    })
    const folder = resolve(required('from', options.from))
    const config = readConfig(env)
    const manifest = await readManifest(folder, deriveKeys(config).backup, options.digest)
    await checkBackup(folder, manifest)
    const { tables, files, snapshot_at } = manifest
    say(lines.restore_backup_intact({ tables: tables.length, files: files.count, snapshot_at }))
    if (options.check) return 0

    const last = lastMigration(manifest)
    const place = await openPlace(config, folder)
    try {
      await place.refuseUsed()
      const isCopy = options['new-identity']
      if (isCopy) await refuseKeysOfOriginal(config)
      else await refuseOtherKeys(folder, config, manifest)
      const database = await openAsOwner(config, { make: true })
      try {
        await refuseNewerDatabase(database.client, manifest)
        await database.migrate(last)
        await bringBack({ folder, manifest, client: database.client, config, place, isCopy })
        await database.client.query('analyze')
      } finally {
        await database.close()
      }
    } finally {
      await place.close()
    }
    // As a start does, this applies later migrations and checks the separation of tenants.
    const { close } = await openDatabase(locationOf(config), quiet)
    await close()
    say(options['new-identity'] ? lines.restore_copy_complete() : lines.restore_complete())
    return 0
  },
}

/** Reads the whole backup before anything is written. */
async function checkBackup(folder: string, manifest: Manifest) {
  for (const { name, ...expected } of manifest.tables) {
    const found = await measureLines(readLines(tablePath(folder, name))).catch(refuseMissing(`tables/${name}.jsonl`))
    requireSame(`tables/${name}.jsonl`, found, expected)
  }
  const list = join(folder, fileList)
  const found = await measureLines(readLines(list)).catch(refuseMissing(fileList))
  requireSame(fileList, found, { ...manifest.files, bytes: found.bytes })
  say(lines.restore_checking({ files: manifest.files.count }))
  await checkFiles(readFileList(list), key => filePath(folder, key))
  for (const name of keyNames) {
    const hash = manifest[hashesOfKeys[name]]
    if (!hash) continue
    const key = await readFile(keyPath(folder, name)).catch(refuseMissing(`keys/${name}.pem`))
    if (sha256(key) !== hash) throw new Refusal(lines.backup_key_differs({ file: `keys/${name}.pem` }))
  }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The migrations of the backup must be the first ones of this program. Later ones are applied after the restore. */
function lastMigration({ migrations, version }: Manifest): string {
  const own = readMigrations()
  for (const [index, { name, checksum }] of migrations.entries()) {
    if (own[index]?.name !== name || own[index].checksum !== checksum)
      throw new Refusal(lines.restore_migration_unknown({ version, migration: name }))
  }
  return migrations.at(-1)!.name
}

async function refuseOtherKeys(folder: string, config: Config, manifest: Manifest) {
  for (const name of keyNames) {
    if (!manifest[hashesOfKeys[name]]) continue
    const file = keyFileOf(config.keys, name)
    const here = await readFile(file, 'utf8').catch(missing)
    if (here && here.trim() !== (await readFile(keyPath(folder, name), 'utf8')).trim())
      throw new Refusal(lines.restore_key_differs({ file }))
  }
}

/** Signatures of a copy must be distinguishable from those of the original. */
async function refuseKeysOfOriginal({ keys }: Config) {
  const names = keys.files ? [] : keyNames.filter(name => existsSync(keyFileOf(keys, name)))
  if (names.length > 0) throw new Refusal(lines.restore_copy_has_keys({ folder: keys.folder }))
}

async function refuseNewerDatabase(client: PoolClient, { migrations }: Manifest) {
  const applied = await appliedMigrations(client)
  if (applied.length > migrations.length)
    throw new Refusal(lines.restore_database_newer({ migration: applied.at(-1)!.name, last: migrations.at(-1)!.name }))
}

/**
 * Restores the rows and all checks in one transaction, whose commit is the last step. The files are complete in the store before it; a
 * local folder is renamed just before. Any interruption leaves an empty database.
 */
async function bringBack({
  folder,
  manifest,
  client,
  config,
  place,
  isCopy,
}: {
  folder: string
  manifest: Manifest
  client: PoolClient
  config: Config
  place: Place
  isCopy: boolean
}) {
  await begin(client, '')
  await refuseUsedDatabase(client)
  const putBack = await liftGuards(client)
  await loadRows(folder, manifest, client)
  await putBack()
  await checkRows(manifest, client)
  const mark = await identify(client, config, place, isCopy)
  await beginEpochs(manifest, client, config)
  await endSessions(client)
  await endLogIns(client)

  try {
    say(lines.restore_files({ files: manifest.files.count }))
    const held = await keyOfBackup(folder, manifest, config)
    const verified = await verifySignatures(client, await place.bring(), held)
    const signatures = manifest.tables.find(({ name }) => name === 'signatures')?.rows ?? 0
    if (verified.count !== signatures)
      throw new Refusal(lines.restore_signatures_unverified({ count: signatures - verified.count }))
    say(lines.restore_signatures_valid({ ...verified, valid: verified.count - verified.voided }))
    if (!held) say(lines.restore_without_keys())
    if (!isCopy && !config.keys.files) await bringBackKeys(folder, manifest, config)
    say(lines.restore_finishing())
    await place.settle(mark)
  } catch (error) {
    await place.takeBack().catch(() => {}) // the first error is reported
    throw error
  }
  const keys = await liveApiKeys(client)
  // After a failed commit its outcome is unknown. Files without rows are harmless; rows without files would not be.
  await client.query('commit')
  for (const key of keys) say(lines.restore_live_api_key(key))
}

/** The signing key that the installation of the backup held; undefined if it is neither in the backup nor in place. */
async function keyOfBackup(folder: string, manifest: Manifest, config: Config) {
  if (manifest[hashesOfKeys.signature]) {
    const path = keyPath(folder, 'signature')
    return publicKeyOf(await readFile(path, 'utf8'), path)
  }
  return existsSync(keyFileOf(config.keys, 'signature')) ? (await findKeys(config.keys, 'signature')).inUse : undefined
}

/**
 * A restored installation keeps its identity, and a copy gets a new one. Refuses a store or keys of another installation. Resolves to the
 * mark for a store without one.
 */
async function identify(client: PoolClient, config: Config, place: Place, isCopy: boolean): Promise<Mark | undefined> {
  const before = await installationOf(client)
  // The installation was never started: its first start makes an identity.
  if (!before) return undefined
  const installation = isCopy ? randomUUID() : before
  if (isCopy) {
    // The service itself has no rights to do this.
    await client.query('alter table installation disable trigger append_only')
    await client.query('update installation set id = $1', [installation])
    await client.query('alter table installation enable always trigger append_only')
  }
  const [store, folder] = [
    await place.readMark(),
    config.keys.files ? undefined : await readFolderMark(config.keys.folder),
  ]
  const expected = isCopy ? null : installation
  for (const [place, found] of [
    [placeOf(config), store?.installation],
    [config.keys.folder, folder],
  ] as const)
    if (found && found !== installation) throw new Refusal(lines.restore_place_foreign({ place, found, expected }))
  return store ? undefined : { installation }
}

/** Tables in which migrations insert a row of the platform. */
const ofMigrations = ['audit_epochs', 'audit_logs', 'storage_use', 'tenants']

/** Locks the tables first, so that a service that starts meanwhile cannot fill them. */
async function refuseUsedDatabase(client: PoolClient) {
  const tables = await tablesOf(client)
  await client.query(
    `lock table ${tables.map(({ name }) => escapeIdentifier(name)).join(', ')} in access exclusive mode`,
  )
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: { id?: number; tenant_id?: number } }>(
      `select to_json(t) as row from ${escapeIdentifier(name)} t limit 2`,
    )
    const { id, tenant_id = id } = rows[0]?.row ?? {}
    const isNew =
      rows.length === 0 || (ofMigrations.includes(name) && rows.length === 1 && tenant_id === platformTenantId)
    if (!isNew) throw new Refusal(lines.restore_database_used({ table: name }))
  }
}

async function loadRows(folder: string, { tables, sequences }: Manifest, client: PoolClient) {
  const found = await tablesOf(client)
  const described = (each: { name: string; columns: unknown[] }[]) => JSON.stringify(each.map(t => [t.name, t.columns]))
  const here = found.map(({ name, columns }) => ({ name, columns: columns.map(column => column.name) }))
  if (described(here) !== described(tables)) throw new Refusal(lines.restore_tables_differ())
  for (const table of found) {
    await client.query(`delete from ${escapeIdentifier(table.name)}`)
    await load(client, table, readLines(tablePath(folder, table.name)))
    say(lines.backup_table({ table: table.name, rows: tables.find(({ name }) => name === table.name)!.rows }))
  }
  await setSequences(client, sequences)
}

/** Each restored table must yield the same bytes as in the backup. */
async function checkRows({ tables, sequences, files }: Manifest, client: PoolClient) {
  const found = await tablesOf(client)
  for (const [index, { name, ...expected }] of tables.entries())
    requireSame(`the restored table ${name}`, await measureLines(linesOf(client, found[index]!)), expected)
  const list = await measureLines(fileLinesOf(client, found))
  requireSame('the list of the files that the records name', list, { ...files, bytes: list.bytes })
  if (JSON.stringify(await sequencesOf(client)) !== JSON.stringify(sequences))
    throw new Refusal(lines.restore_sequences_differ())
}

/**
 * Later entries may have been sealed and signed after the backup, and continuing from it would sign another root for the same size. So
 * each trail continues in a new epoch, begun in the same transaction, which records the checkpoint that is stored elsewhere.
 */
async function beginEpochs({ snapshot_at }: Manifest, client: PoolClient, config: Config) {
  const stores = openAnchorStores(config)
  const { rows: keys } = await client.query<PublicHalf>('select key_id, public_key from audit_keys')
  const { rows: logs } = await client.query<{ id: number; log_id: string }>(
    'select tenant_id as id, log_id from audit_logs order by 1',
  )
  for (const { id, log_id } of logs) {
    const known = await knownOutside(stores, log_id, keys).catch(error => {
      throw error instanceof AnchorsUnreadable
        ? new Refusal(commandLines.failure_reported({ reason: error.message }))
        : error
    })
    const anchored = known ? JSON.stringify(known.checkpoint) : null
    await client.query(`set local app.tenant_id = '${id}'; set local app.transaction_id = '${randomUUID()}'`)
    await client.query('select start_audit_epoch($1, $2)', [reasons.reason_restored({ snapshot_at }).text, anchored])
  }
}

/** More than any account has counted since the backup. */
const sessionVersions = 1000

/**
 * A log-out, a new password or a deactivation since the backup is lost with the rest of that time. So no session and no token of before
 * goes on, also one that the backup does not know.
 */
const endSessions = (client: PoolClient) =>
  client.query('update credentials set session_version = session_version + $1', [sessionVersions])

/** Log-ins that had begun when the backup was made: nobody who has kept an address or a cookie of one goes on with it. */
async function endLogIns(client: PoolClient) {
  const { rows } = await client.query(`select where to_regclass('public.login_attempts') is not null`)
  if (rows.length > 0) await client.query('delete from login_attempts')
}

/** Machines go on with their keys, so the operator is told of those that may have been revoked since the backup. */
async function liveApiKeys(client: PoolClient): Promise<{ key: string; account: string; tenant: string }[]> {
  const { rows: found } = await client.query(`select where to_regclass('public.api_keys') is not null`)
  if (found.length === 0) return []
  const { rows } = await client.query<{ tenant_id: string; id: string; username: string; slug: string }>(
    `select k.tenant_id, k.id, u.username, t.slug from api_keys k
      join users u on u.tenant_id = k.tenant_id and u.id = k.user_id join tenants t on t.id = k.tenant_id
      where k.revoked_at is null and k.expires_at > now() and u.is_active order by t.slug, u.username, k.id`,
  )
  return rows.map(({ tenant_id, id, username, slug }) => ({
    ...{ key: nameOfApiKey({ tenantId: Number(tenant_id), keyId: Number(id) }), account: username, tenant: slug },
  }))
}

async function bringBackKeys(folder: string, manifest: Manifest, config: Config) {
  for (const name of keyNames) {
    const to = keyFileOf(config.keys, name)
    if (!manifest[hashesOfKeys[name]] || existsSync(to)) continue
    await makeFolder(dirname(to))
    await writeSynced(to, await readFile(keyPath(folder, name)))
    await sync(dirname(to))
  }
}
