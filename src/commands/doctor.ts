import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { TLSSocket } from 'node:tls'
import type { Pool } from 'pg'
import type { Message } from '#kernel/message.ts'
import { countSecondFactors, hasPassword, hasTenant, tenantsWithoutConfigurationApproval } from '#modules/accounts'
import { countSealed } from '#modules/identity-providers'
import type { Problem } from '#modules/installation'
import { countPasskeys } from '#modules/passkeys'
import { type TextTrouble, troubleQuery } from '#modules/search'
import { listSigningKeys, readTrustedKeys } from '#modules/signatures'
import { anchorFailure } from '#platform/anchors/failure.ts'
import { openAnchorStores } from '#platform/anchors/open.ts'
import { openAntivirus } from '#platform/antivirus/open.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { findKeys } from '#platform/crypto/signing-key.ts'
import { Database } from '#platform/db/database.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { isolationExamined, refuseIfNotIsolated } from '#platform/db/isolation.ts'
import { describeMissing, howToMigrate, readMigrationState } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { loginsOf } from '#platform/db/provision.ts'
import { openMailer } from '#platform/mail/mailer.ts'
import { openEmbeddings } from '#platform/models/open-embeddings.ts'
import { officePrograms } from '#platform/pdf/office.ts'
import { isInSystem, openSandbox } from '#platform/sandbox.ts'
import { openStorageToLook, placeOf } from '#platform/storage/open.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { extractor_version } from '#platform/text-extraction/index.ts'
import { findOcr } from '#platform/text-extraction/ocr.ts'
import { type Command, quiet, Refusal, readOptions } from './command.ts'
import { examineDeeply, sampledFiles } from './deep-examination.ts'
import { lines } from './doctor/messages.ts'
import { faultsOf, Report } from './doctor/report.ts'
import { examineIdentity, outdatedLine } from './identity.ts'
import { isInUse } from './location.ts'
import { checkProjections } from './projections.ts'
import { refuseBootstrap } from './start.ts'

/** Only inspects: it neither creates nor migrates a database. */
export const doctor: Command = {
  options: {
    '--deep': 'also verify every signature, the keys, the audit trail of each tenant, and stored files',
    '--files N|all': `with --deep: how many stored files of each tenant are read; a sample of ${sampledFiles} by default`,
  },
  async run(args, env) {
    const options = readOptions(args, { deep: { type: 'boolean', default: false }, files: { type: 'string' } })
    const depth = depthOf(options)
    const report = new Report()
    let config: Config | undefined
    await report.check(lines.doctor_about_configuration(), async () => {
      config = readConfig(env)
      await refuseUnwritable(config.data_dir, 'DATA_DIR')
      return lines.doctor_configuration({ environment: config.environment, folder: config.data_dir })
    })
    if (config) await examine(config, report, depth)
    else if (depth) report.note(lines.doctor_about_not_examined(), lines.doctor_deep_not_reached())
    return report.failures === 0 ? 0 : 1
  },
}

/** How many files of each tenant `--deep` reads; undefined without it. */
function depthOf({ deep, files }: { deep: boolean; files?: string | undefined }): Depth {
  if (!deep && files !== undefined) throw new Refusal(lines.doctor_files_without_deep())
  if (!deep || files === 'all') return deep ? 'all' : undefined
  if (files !== undefined && !/^[1-9][0-9]{0,8}$/.test(files))
    throw new Refusal(lines.doctor_files_invalid({ given: files }))
  return files === undefined ? sampledFiles : Number(files)
}
type Depth = number | 'all' | undefined

async function examine(config: Config, report: Report, depth: Depth) {
  const storage = await checkStorage(config, report)
  try {
    await checkServices(config, report)
    await reportConverters(config, report)
    let isExamined = false
    await examineDatabase(config, storage, report, async database => {
      if (depth === undefined) return
      isExamined = true
      await examineDeeply({ config, database, storage: storage?.opened, files: depth, report })
    })
    if (!isExamined)
      report.note(
        lines.doctor_about_not_examined(),
        depth === undefined ? lines.doctor_not_deep() : lines.doctor_deep_not_reached(),
      )
  } finally {
    await storage?.opened?.close?.()
  }
}

/** Undefined if the storage fails; without `opened` if the first start would create it. */
async function checkStorage(config: Config, report: Report): Promise<{ opened: FileStorage | undefined } | undefined> {
  let opened: FileStorage | undefined
  let isThere = true
  const works = await report.check(lines.doctor_about_storage(), async () => {
    await refuseUnwritable(config.upload_dir, 'UPLOAD_DIR')
    opened = await openStorageToLook(config)
    isThere = opened !== undefined
    if (!opened) return lines.doctor_storage_missing({ place: placeOf(config) })
    await opened.check()
    for await (const _ of opened.list('')) break
    return lines.doctor_storage_works({ place: placeOf(config) })
  })
  if (works) return { opened: isThere ? opened : undefined }
  await opened?.close?.()
  return undefined
}

/** A start creates a missing folder, so its nearest existing parent must be writable. */
async function refuseUnwritable(folder: string, variable: string) {
  let nearest = folder
  while (!existsSync(nearest)) nearest = dirname(nearest)
  await access(nearest, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(lines.doctor_folder_unwritable({ variable, folder, nearest, error: String(error.code) }))
  })
}

async function checkServices(config: Config, report: Report) {
  const antivirus = await openAntivirus(config, quiet)
  if (antivirus) {
    await report.check(lines.doctor_about_virus_scanner(), async () => {
      await antivirus.check().catch((error: NodeJS.ErrnoException) => {
        throw new Refusal(lines.doctor_virus_scanner_silent({ error: error.code ?? error.message }))
      })
      return lines.doctor_virus_scanner_works()
    })
  }
  const mailer = openMailer(config, quiet)
  if (mailer) {
    await report.check(lines.doctor_about_mail_server(), async () => {
      await mailer.check().finally(() => mailer.close())
      const hasLogin = new URL(config.mail!.smtp_url).username !== ''
      return hasLogin ? lines.doctor_mail_server_works() : lines.doctor_mail_server_answers()
    })
  }
  for (const store of openAnchorStores(config))
    await report.check(lines.doctor_about_anchors(), async () => {
      await store.check().catch(error => {
        throw new Error(anchorFailure(store.name, error))
      })
      return lines.doctor_anchors_work({ store: store.name })
    })
  if (config.embeddings?.provider === 'onnx')
    await report.check(lines.doctor_about_embeddings(), async () => {
      await openEmbeddings(config)
      return lines.doctor_embeddings_installed()
    })
}

/** Whether the programs that read files of strangers are enclosed. Not every machine allows it, so it is no failure. */
async function reportConverters({ data_dir, upload_dir, keys }: Config, report: Report) {
  const about = lines.doctor_about_converters()
  const programs = [officePrograms.some(existsSync) ? 'LibreOffice' : [], findOcr() ? 'Tesseract' : []].flat()
  if (programs.length === 0) return report.note(about, lines.doctor_converters_none())
  const sandbox = await openSandbox().state()
  if (sandbox.status === 'works') {
    const { signature, audit, previous_audit } = keys.files ?? {}
    const places = [data_dir, upload_dir, keys.folder, signature, audit, previous_audit].filter(
      each => each !== undefined,
    )
    const folders = [...new Set(places)].filter(isInSystem)
    return folders.length > 0
      ? report.note(about, lines.doctor_converters_see({ programs, folders }))
      : report.ok(about, lines.doctor_converters_enclosed({ programs }))
  }
  report.note(
    about,
    sandbox.status === 'missing'
      ? lines.doctor_converters_no_sandbox({ programs })
      : lines.doctor_converters_sandbox_refused({ programs, reason: sandbox.reason }),
  )
}

/** `examineRecords` is called where the database is one that a start would take. */
async function examineDatabase(
  config: Config,
  storage: { opened: FileStorage | undefined } | undefined,
  report: Report,
  examineRecords: (database: Database) => Promise<void>,
) {
  const examineRest = async (database: Database | undefined) => {
    if (storage) await checkIdentity(config, database, storage.opened, report)
    await checkBootstrap(config, database, report)
  }
  if (!config.database_url && !existsSync(join(config.data_dir, 'postgres'))) {
    report.note(lines.doctor_about_database(), lines.doctor_database_missing())
    return examineRest(undefined)
  }
  let opened: { pool: Pool; close(): Promise<void> } | undefined
  try {
    const isOpen = await report.check(lines.doctor_about_database(), async () => {
      opened = await open(config)
      const { version, name, socket } = await examineConnection(opened.pool)
      if (name !== 'attest_app') throw new Refusal(lines.doctor_database_wrong_login({ login: name }))
      return config.database_url
        ? describeTls(config.database_url, version, socket)
        : lines.doctor_database_embedded({ version })
    })
    if (!isOpen || !opened) return
    const { pool } = opened
    const mayMigrate = !config.database_url || config.migration_database_url !== undefined
    if (config.migration_database_url) await checkMigrationLogin(config.migration_database_url, report)
    const state = await checkMigrations(pool, mayMigrate, report)
    if (!state) return
    // Awaited here: the pool is closed at the end of this block.
    if (state.missing.length > 0) return await examineRest(state.isEmpty ? undefined : new Database(pool))
    await report.check(lines.doctor_about_isolation(), async () => {
      await refuseIfNotIsolated(pool)
      return lines.doctor_isolation(isolationExamined)
    })
    await examineRest(new Database(pool))
    await report.check(lines.doctor_about_second_factors(), () => checkSecondFactors(config, new Database(pool)))
    await report.check(lines.doctor_about_passkeys(), () => checkPasskeys(config, new Database(pool)))
    await report.check(lines.doctor_about_identity_providers(), () => checkProviders(config, new Database(pool)))
    await checkSigningKeys(config, new Database(pool), report)
    await report.check(lines.doctor_about_projections(), () => checkProjections(new Database(pool)))
    await reportConfigurationApproval(new Database(pool), report)
    await reportTexts(pool, report)
    await examineRecords(new Database(pool))
  } finally {
    await opened?.close()
  }
}

async function checkSecondFactors(config: Config, database: Database): Promise<Message> {
  const { current, previous, unreadable } = await countSecondFactors(database, deriveKeys(config))
  const has_previous = config.secret_key_previous !== undefined
  if (unreadable > 0) throw new Refusal(lines.doctor_second_factors_unreadable({ count: unreadable, has_previous }))
  if (previous > 0) throw new Refusal(lines.doctor_sealed_previous({ count: previous }))
  return lines.doctor_sealed({ count: current, has_previous })
}

async function checkPasskeys(config: Config, database: Database): Promise<Message> {
  const { current, previous, unreadable } = await countPasskeys(database, deriveKeys(config))
  const has_previous = config.secret_key_previous !== undefined
  if (unreadable > 0) throw new Refusal(lines.doctor_passkeys_unreadable({ count: unreadable, has_previous }))
  if (previous > 0) throw new Refusal(lines.doctor_sealed_previous({ count: previous }))
  return lines.doctor_sealed({ count: current, has_previous })
}

async function checkProviders(config: Config, database: Database): Promise<Message> {
  const { current, previous, secrets, links, altered } = await countSealed(database, deriveKeys(config))
  const has_previous = config.secret_key_previous !== undefined
  const faults = [
    ...(secrets > 0 ? [lines.doctor_provider_secrets_unreadable({ count: secrets, has_previous })] : []),
    ...(links > 0 ? [lines.doctor_provider_links_unreadable({ count: links, has_previous })] : []),
    ...(altered.length > 0 ? [lines.doctor_providers_altered({ providers: altered })] : []),
  ]
  if (faults.length > 0) throw new Refusal(faults)
  if (previous > 0) throw new Refusal(lines.doctor_sealed_previous({ count: previous }))
  return lines.doctor_providers({ count: current, has_previous })
}

async function examineConnection(pool: Pool) {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ version: string; name: string }>(
      `select current_setting('server_version') as version, current_user as name`,
    )
    return { ...rows[0]!, socket: (client as unknown as { connection: { stream: Socket } }).connection.stream }
  } finally {
    client.release()
  }
}

/**
 * By the connection itself: a proxy may encrypt its own connection to the server alone, and NODE_TLS_REJECT_UNAUTHORIZED has Node accept a
 * certificate that it did not find good.
 */
function describeTls(url: string, version: string, socket: Socket): Message {
  const tls = socket instanceof TLSSocket ? socket.getProtocol() : null
  if (!tls) return lines.doctor_database_plain({ version })
  const is_verified = (socket as TLSSocket).authorized && new URL(url).searchParams.get('sslmode') !== 'no-verify'
  return lines.doctor_database_encrypted({ version, tls, is_verified })
}

/** A start migrates with this login, and fails with any other. */
const checkMigrationLogin = (url: string, report: Report) =>
  report.check(lines.doctor_about_migration_login(), async () => {
    const pool = openPool({ connectionString: url }, quiet)
    try {
      const { rows } = await pool.query<{ name: string }>('select current_user as name')
      if (rows[0]!.name !== 'attest_owner')
        throw new Refusal(lines.doctor_migration_login_wrong({ login: rows[0]!.name }))
    } finally {
      await pool.end()
    }
    return lines.doctor_migration_login()
  })

/** Undefined if the database has another history. Migrations that a start would apply are not a failure. */
async function checkMigrations(pool: Pool, mayMigrate: boolean, report: Report) {
  const about = lines.doctor_about_migrations()
  let state: Awaited<ReturnType<typeof readMigrationState>> | undefined
  try {
    state = await readMigrationState(pool)
  } catch (error) {
    report.fail(about, faultsOf(error as Error))
    return undefined
  }
  const { missing } = state
  if (missing.length === 0) report.ok(about, lines.doctor_migrations_applied())
  else if (mayMigrate) report.note(about, lines.doctor_migrations_waiting({ missing: describeMissing(state) }))
  else report.fail(about, [lines.doctor_migrations_missing({ missing: describeMissing(state), remedy: howToMigrate })])
  return state
}

/** Names the keys in the database that no key in use has confirmed: everybody who can write there could add one. */
async function checkSigningKeys({ keys }: Config, database: Database, report: Report) {
  const held = (await findKeys(keys, 'signature')).inUse
  if (!held) return
  await report.check(lines.doctor_about_signing_keys(), async () => {
    const [known, trusted] = await database.transaction({ tenantId: null, userId: null }, 'read only', async tx => [
      await listSigningKeys(tx),
      await readTrustedKeys(tx, [held]),
    ])
    const unknown = known.filter(({ public_key }) => !trusted.has(public_key)).map(({ key_id }) => key_id)
    if (unknown.length > 0) throw new Refusal(lines.doctor_signing_keys_unknown({ keys: unknown }))
    return lines.doctor_signing_keys_known({ count: known.length })
  })
}

const keysOf = {
  signature: { about: lines.doctor_about_signature(), command: 'signing-key rotate' },
  audit: { about: lines.doctor_about_audit(), command: 'audit-key rotate' },
} as const

/** Reports the problems that a start would refuse, in the same words, or else the keys that exist or would be made. */
async function checkIdentity(
  config: Config,
  database: Database | undefined,
  storage: FileStorage | undefined,
  report: Report,
) {
  let seen: Awaited<ReturnType<typeof examineIdentity>> | undefined
  const installation = lines.doctor_about_installation()
  try {
    seen = await examineIdentity(config, database, storage)
  } catch (error) {
    report.fail(installation, faultsOf(error as Error))
    return
  }
  const { problems, records, around, outdated } = seen
  /** Whether there was a problem. */
  const reportProblems = (about: Message, what: Problem['about']) => {
    const found = problems.filter(problem => problem.about === what)
    for (const { line } of found) report.fail(about, [line])
    return found.length > 0
  }
  if (!reportProblems(installation, 'installation')) {
    if (records.installation) report.ok(installation, lines.doctor_installation({ installation: records.installation }))
    else report.note(installation, lines.doctor_installation_new())
  }
  for (const name of ['signature', 'audit'] as const) {
    const { about, command } = keysOf[name]
    if (reportProblems(about, name)) continue
    const inUse = around.keys.inUse[name]
    const isKnown = records.keys[name].some(({ public_key }) => public_key === inUse?.public_key)
    if (records.keys[name].length === 0)
      report.note(about, inUse ? lines.doctor_key_new({ key: inUse.key_id }) : lines.doctor_key_missing())
    else if (isKnown && inUse)
      await report.check(about, async () => {
        if ((await findKeys(config.keys, name)).next)
          throw new Refusal(lines.doctor_key_rotation_unfinished({ command }))
        return outdated.includes(name)
          ? outdatedLine(records, name, around.keys.fileOf(name))
          : lines.doctor_key_known({ key: inUse.key_id })
      })
  }
}

/** Reports the problems of the BOOTSTRAP_ variables that a start would refuse. */
async function checkBootstrap({ bootstrap }: Config, database: Database | undefined, report: Report) {
  if (!bootstrap) return
  const about = lines.doctor_about_first_tenant()
  if (database && (await hasTenant(database))) {
    const isInUse = await hasPassword(database, bootstrap.username, bootstrap.password)
    return report.note(
      about,
      isInUse
        ? lines.doctor_first_tenant_password_in_use({ username: bootstrap.username })
        : lines.doctor_first_tenant_exists(),
    )
  }
  await report.check(about, async () => {
    await refuseBootstrap(bootstrap)
    return lines.doctor_first_tenant({ tenant: bootstrap.tenant, admin: bootstrap.username })
  })
}

/** A company decides itself whether its configuration needs two people, so the setting is no failure where it is off. */
async function reportConfigurationApproval(database: Database, report: Report) {
  const about = lines.doctor_about_configuration_changes()
  const tenants = await tenantsWithoutConfigurationApproval(database)
  if (tenants.length === 0) report.ok(about, lines.doctor_configuration_approved())
  else report.note(about, lines.doctor_configuration_unapproved({ tenants }))
}

/** Informs about outdated texts, which stay in use until somebody has the files read again. */
async function reportTexts(pool: Pool, report: Report) {
  const { outdated, failed, waiting } = (await pool.query<TextTrouble>(troubleQuery, [extractor_version])).rows[0]!
  const found = [
    [outdated, lines.doctor_texts_outdated],
    [failed, lines.doctor_texts_failed],
    [waiting, lines.doctor_texts_waiting],
  ] as const
  const troubles = found.filter(([count]) => count > 0).map(([count, line]) => line({ count }))
  for (const each of troubles.length > 0 ? troubles : [lines.doctor_texts_read()])
    report.note(lines.doctor_about_texts(), each)
}

async function open({ database_url, data_dir }: Config) {
  if (database_url) {
    const pool = openPool({ connectionString: database_url }, quiet)
    return { pool, close: () => pool.end() }
  }
  const server = await openEmbedded(data_dir, quiet).catch(error => {
    if (isInUse(error)) throw new Refusal(lines.doctor_database_in_use())
    throw error
  })
  const pool = openPool(loginsOf({ ...server.connection, user: 'postgres' }, 'attest').app, quiet)
  return {
    pool,
    close: async () => {
      await pool.end()
      await server.close()
    },
  }
}
