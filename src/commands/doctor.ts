import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Pool } from 'pg'
import { countSecondFactors, hasPassword, hasTenant, tenantsWithoutConfigurationApproval } from '#modules/accounts'
import type { Problem } from '#modules/installation'
import { type TextTrouble, troubleQuery } from '#modules/search'
import { listSigningKeys, readTrustedKeys } from '#modules/signatures'
import { anchorFailure } from '#platform/anchors/failure.ts'
import { openAnchorStores } from '#platform/anchors/open.ts'
import { openAntivirus } from '#platform/antivirus/open.ts'
import { type Config, ConfigError, readConfig } from '#platform/config.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { findKeys } from '#platform/crypto/signing-key.ts'
import { Database } from '#platform/db/database.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { refuseIfNotIsolated } from '#platform/db/isolation.ts'
import { describeMissing, howToMigrate, readMigrationState } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { loginsOf } from '#platform/db/provision.ts'
import { openMailer } from '#platform/mail/mailer.ts'
import { openEmbeddings } from '#platform/models/open-embeddings.ts'
import { officePrograms } from '#platform/pdf/office.ts'
import { openSandbox } from '#platform/sandbox.ts'
import { openStorageToLook, placeOf } from '#platform/storage/open.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { extractor_version } from '#platform/text-extraction/index.ts'
import { findOcr } from '#platform/text-extraction/ocr.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { examineDeeply, Faults, sampledFiles } from './deep-examination.ts'
import { examineIdentity, outdatedLine } from './identity.ts'
import { isInUse } from './location.ts'
import { checkProjections } from './projections.ts'
import { refuseBootstrap } from './start.ts'

const quiet = { info() {}, warn() {}, error() {} }

/** Only inspects: it neither creates nor migrates a database. */
export const doctor: Command = {
  options: {
    '--deep': 'also verify every signature, the keys, the audit trail of each tenant, and stored files',
    '--files N|all': `with --deep: how many stored files of each tenant are read; a sample of ${sampledFiles} by default`,
  },
  async run(args, env) {
    const options = readOptions(args, { deep: { type: 'boolean', default: false }, files: { type: 'string' } })
    const depth = depthOf(options)
    let failures = 0
    const check = async (name: string, work: () => Promise<string>) => {
      try {
        say(`ok    ${name}: ${await work()}`)
        return true
      } catch (error) {
        failures += 1
        const lines =
          error instanceof ConfigError || error instanceof Faults
            ? error.lines
            : [describeError(error as Error & { code?: string })]
        for (const line of lines) say(`FAIL  ${name}: ${line}`)
        return false
      }
    }
    let config: Config | undefined
    await check('configuration', async () => {
      config = readConfig(env)
      await refuseUnwritable(config.data_dir, 'DATA_DIR')
      return `${config.environment}, data in ${config.data_dir}`
    })
    if (config) await examine(config, check, depth)
    else if (depth) say(notExamined)
    return failures === 0 ? 0 : 1
  },
}

/** How many files of each tenant `--deep` reads; undefined without it. */
function depthOf({ deep, files }: { deep: boolean; files?: string | undefined }): Depth {
  if (!deep && files !== undefined) throw new Refusal('--files is for --deep')
  if (!deep || files === 'all') return deep ? 'all' : undefined
  if (files !== undefined && !/^[1-9][0-9]{0,8}$/.test(files))
    throw new Refusal(`--files is a number or all, not ${files}`)
  return files === undefined ? sampledFiles : Number(files)
}
type Depth = number | 'all' | undefined

const notExamined = '-     not examined: signatures, audit trails and stored files'

/** Some errors of connections have no message. */
const describeError = ({ message, code }: Error & { code?: string }) => message || (code ?? 'it failed')

type Check = (name: string, work: () => Promise<string>) => Promise<boolean>

async function examine(config: Config, check: Check, depth: Depth) {
  const storage = await checkStorage(config, check)
  try {
    await checkServices(config, check)
    await reportConverters()
    let isExamined = false
    await examineDatabase(config, storage, check, async database => {
      if (depth === undefined) return
      isExamined = true
      await examineDeeply({ config, database, storage: storage?.opened, files: depth, check })
    })
    if (!isExamined) say(`${notExamined}${depth === undefined ? ' (doctor --deep examines them)' : ''}`)
  } finally {
    await storage?.opened?.close?.()
  }
}

/** Undefined if the storage fails; without `opened` if the first start would create it. */
async function checkStorage(config: Config, check: Check): Promise<{ opened: FileStorage | undefined } | undefined> {
  let opened: FileStorage | undefined
  let isThere = true
  const works = await check('storage', async () => {
    await refuseUnwritable(config.upload_dir, 'UPLOAD_DIR')
    opened = await openStorageToLook(config)
    isThere = opened !== undefined
    if (!opened) return `${placeOf(config)} does not exist yet; the first start creates it`
    await opened.check()
    for await (const _ of opened.list('')) break
    return `${placeOf(config)} can be listed, written, read and cleared`
  })
  if (works) return { opened: isThere ? opened : undefined }
  await opened?.close?.()
  return undefined
}

/** A start creates a missing folder, so its nearest existing parent must be writable. */
async function refuseUnwritable(folder: string, name: string) {
  let nearest = folder
  while (!existsSync(nearest)) nearest = dirname(nearest)
  await access(nearest, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${name} is ${folder}, and ${nearest} cannot be written (${error.code})`)
  })
}

async function checkServices(config: Config, check: Check) {
  const antivirus = await openAntivirus(config, quiet)
  if (antivirus) {
    await check('virus scanner', async () => {
      await antivirus.check().catch((error: NodeJS.ErrnoException) => {
        throw new Error(`it does not answer at CLAMAV_URL: ${error.code ?? error.message}`)
      })
      return 'it answers'
    })
  }
  const mailer = openMailer(config, quiet)
  if (mailer) {
    await check('mail server', async () => {
      await mailer.check().finally(() => mailer.close())
      return 'it answers and accepts the log-in'
    })
  }
  for (const store of openAnchorStores(config))
    await check('anchors', async () => {
      await store.check().catch(error => {
        throw new Error(anchorFailure(store.name, error))
      })
      return `${store.name} takes checkpoints of the audit trail (audit anchor --check compares them)`
    })
  if (config.embeddings?.provider === 'onnx')
    await check('embeddings', async () => {
      await openEmbeddings(config)
      return 'the library is installed'
    })
}

/** Whether the programs that read files of strangers are enclosed. Not every machine allows it, so it is no failure. */
async function reportConverters() {
  const found = [officePrograms.some(existsSync) ? 'LibreOffice' : [], findOcr() ? 'Tesseract' : []].flat()
  if (found.length === 0) return say('-     converters: neither LibreOffice nor Tesseract is installed')
  const names = found.join(' and ')
  const sandbox = await openSandbox().state()
  if (sandbox.status === 'works')
    return say(`ok    converters: ${names} see no key, no file of the service and no network`)
  const why =
    sandbox.status === 'missing'
      ? 'bubblewrap is not installed. Install it (Debian: apt-get install bubblewrap)'
      : `bubblewrap is not allowed to work here (${sandbox.reason}). Allow user namespaces`
  say(
    `-     converters: ${names} could read the keys and files of the service, because ${why}: docs/operations.md, Converters`,
  )
}

/** `examineRecords` is called where the database is one that a start would take. */
async function examineDatabase(
  config: Config,
  storage: { opened: FileStorage | undefined } | undefined,
  check: Check,
  examineRecords: (database: Database) => Promise<void>,
) {
  const examineRest = async (database: Database | undefined) => {
    if (storage) await checkIdentity(config, database, storage.opened, check)
    await checkBootstrap(config, database, check)
  }
  if (!config.database_url && !existsSync(join(config.data_dir, 'postgres'))) {
    say('-     database: there is none yet; the first start creates it')
    return examineRest(undefined)
  }
  let opened: { pool: Pool; close(): Promise<void> } | undefined
  try {
    const isOpen = await check('database', async () => {
      opened = await open(config)
      const { rows } = await opened.pool.query<{ version: string; name: string; tls: string | null }>(
        `select current_setting('server_version') as version, current_user as name,
          (select s.version from pg_stat_ssl s where s.pid = pg_backend_pid()) as tls`,
      )
      const { version, name, tls } = rows[0]!
      if (name !== 'attest_app') throw new Error(`the login is ${name}, it must be attest_app`)
      return `PostgreSQL ${version}${config.database_url ? `, ${describeTls(config.database_url, tls)}` : ''}`
    })
    if (!isOpen || !opened) return
    const { pool } = opened
    const mayMigrate = !config.database_url || config.migration_database_url !== undefined
    if (config.migration_database_url) await checkMigrationLogin(config.migration_database_url, check)
    const state = await checkMigrations(pool, mayMigrate, check)
    if (!state) return
    // Awaited here: the pool is closed at the end of this block.
    if (state.missing.length > 0) return await examineRest(state.isEmpty ? undefined : new Database(pool))
    await check('isolation', async () => {
      await refuseIfNotIsolated(pool)
      return 'tenants are separated'
    })
    await examineRest(new Database(pool))
    await check('second factors', () => checkSecondFactors(config, new Database(pool)))
    await checkSigningKeys(config, new Database(pool), check)
    await check('projections', () => checkProjections(new Database(pool)))
    await reportConfigurationApproval(new Database(pool))
    await reportTexts(pool)
    await examineRecords(new Database(pool))
  } finally {
    await opened?.close()
  }
}

async function checkSecondFactors(config: Config, database: Database) {
  const { current, previous, unreadable } = await countSecondFactors(database, deriveKeys(config))
  if (unreadable > 0)
    throw new Error(
      `${unreadable} cannot be opened with SECRET_KEY${config.secret_key_previous === undefined ? '. Set the key of before as SECRET_KEY_PREVIOUS, or reset them' : ' or SECRET_KEY_PREVIOUS. Reset them'} (docs/operations.md, A new SECRET_KEY)`,
    )
  if (previous > 0)
    throw new Error(
      `${previous} are still sealed with SECRET_KEY_PREVIOUS. Run secret-key reseal once every host has SECRET_KEY`,
    )
  return config.secret_key_previous === undefined
    ? `all ${current} open with SECRET_KEY`
    : `all ${current} open with SECRET_KEY. SECRET_KEY_PREVIOUS can be removed`
}

function describeTls(url: string, tls: string | null) {
  if (!tls) return 'the connection is not encrypted'
  const isVerified = new URL(url).searchParams.get('sslmode') !== 'no-verify'
  return `encrypted with ${tls}, the certificate of the server is ${isVerified ? 'verified' : 'NOT verified'}`
}

/** A start migrates with this login, and fails with any other. */
const checkMigrationLogin = (url: string, check: Check) =>
  check('migration login', async () => {
    const pool = openPool({ connectionString: url }, quiet)
    try {
      const { rows } = await pool.query<{ name: string }>('select current_user as name')
      if (rows[0]!.name !== 'attest_owner')
        throw new Error(`MIGRATION_DATABASE_URL logs in as ${rows[0]!.name}, it must be attest_owner`)
    } finally {
      await pool.end()
    }
    return 'attest_owner'
  })

/** Undefined if the database has another history. Migrations that a start would apply are not a failure. */
async function checkMigrations(pool: Pool, mayMigrate: boolean, check: Check) {
  let state: Awaited<ReturnType<typeof readMigrationState>> | undefined
  try {
    state = await readMigrationState(pool)
  } catch (error) {
    await check('migrations', () => Promise.reject(error))
    return undefined
  }
  const { missing } = state
  if (missing.length > 0 && mayMigrate)
    say(`-     migrations: ${describeMissing(state)}; the next start or qms migrate applies them`)
  else
    await check('migrations', async () => {
      if (missing.length > 0) throw new Error(`${describeMissing(state)}: ${howToMigrate}`)
      return 'all are applied'
    })
  return state
}

/** Names the keys in the database that no key in use has confirmed: everybody who can write there could add one. */
async function checkSigningKeys({ keys }: Config, database: Database, check: Check) {
  const held = (await findKeys(keys, 'signature')).inUse
  if (!held) return
  await check('keys of signatures', async () => {
    const [known, trusted] = await database.transaction({ tenantId: null, userId: null }, 'read only', async tx => [
      await listSigningKeys(tx),
      await readTrustedKeys(tx, [held]),
    ])
    const unknown = known.filter(({ public_key }) => !trusted.has(public_key)).map(({ key_id }) => key_id)
    if (unknown.length > 0)
      throw new Error(
        `no key of this service has confirmed ${unknown.join(', ')}: signatures with such a key are refused. Find out who added it to the database. If it is an earlier key of this service, run signing-key confirm`,
      )
    return `all ${known.length} are of this service`
  })
}

const keysOf = {
  signature: { label: 'signing key', command: 'signing-key rotate' },
  audit: { label: 'key of the audit trail', command: 'audit-key rotate' },
} as const

/** Reports the problems that a start would refuse, in the same words, or else the keys that exist or would be made. */
async function checkIdentity(
  config: Config,
  database: Database | undefined,
  storage: FileStorage | undefined,
  check: Check,
) {
  let seen: Awaited<ReturnType<typeof examineIdentity>> | undefined
  const fail = (name: string, line: string) => check(name, () => Promise.reject(new Error(line)))
  try {
    seen = await examineIdentity(config, database, storage)
  } catch (error) {
    await fail('installation', (error as Error).message)
    return
  }
  const { problems, records, around, outdated } = seen
  const about = (what: Problem['about']) => problems.filter(problem => problem.about === what)
  for (const { line } of about('installation')) await fail('installation', line)
  if (about('installation').length === 0)
    say(
      records.installation
        ? `ok    installation: database, storage and keys belong to ${records.installation}`
        : '-     installation: it has no identity yet; the first start creates it',
    )
  for (const name of ['signature', 'audit'] as const) {
    const { label, command } = keysOf[name]
    for (const { line } of about(name)) await fail(label, line)
    const inUse = around.keys.inUse[name]
    const isKnown = records.keys[name].some(({ public_key }) => public_key === inUse?.public_key)
    if (about(name).length > 0) continue
    if (records.keys[name].length === 0)
      say(
        `-     ${label}: ${inUse ? `the first start registers ${inUse.key_id} in the database` : 'there is none yet; the first start creates it'}`,
      )
    else if (isKnown && inUse)
      await check(label, async () => {
        if ((await findKeys(config.keys, name)).next)
          throw new Error(`a rotation is not finished: run ${command} again`)
        return outdated.includes(name)
          ? outdatedLine(records, name, around.keys.fileOf(name))
          : `${inUse.key_id} is known to the database`
      })
  }
}

/** Reports the problems of the BOOTSTRAP_ variables that a start would refuse. */
async function checkBootstrap({ bootstrap }: Config, database: Database | undefined, check: Check) {
  if (!bootstrap) return
  if (database && (await hasTenant(database))) {
    const isInUse = await hasPassword(database, bootstrap.username, bootstrap.password)
    return say(
      `-     first tenant: there is a tenant already, so the BOOTSTRAP_ variables have no effect. Remove them, BOOTSTRAP_ADMIN_PASSWORD above all${
        isInUse ? `: it is still the password of ${bootstrap.username}, who should change it` : ''
      }`,
    )
  }
  await check('first tenant', async () => {
    await refuseBootstrap(bootstrap)
    return `the first start creates ${bootstrap.tenant} with the Admin ${bootstrap.username}`
  })
}

/** A company decides itself whether its configuration needs two people, so the setting is no failure where it is off. */
async function reportConfigurationApproval(database: Database) {
  const off = await tenantsWithoutConfigurationApproval(database)
  say(
    off.length === 0
      ? 'ok    changes of the configuration: another person approves them in every tenant'
      : `-     changes of the configuration: one person alone can make them in ${off.join(', ')}, where the setting configuration_needs_approval is off`,
  )
}

/** Informs about outdated texts, which stay in use until somebody has the files read again. */
async function reportTexts(pool: Pool) {
  const { outdated, failed, waiting } = (await pool.query<TextTrouble>(troubleQuery, [extractor_version])).rows[0]!
  const counts = [
    [outdated, 'were read by an older program (qms reindex reads them again)'],
    [failed, 'cannot be read (qms reindex --failed tries again)'],
    [waiting, 'are still to be read'],
  ].filter(([count]) => Number(count) > 0)
  say(
    `-     texts of documents: ${counts.length === 0 ? 'all are read' : counts.map(each => each.join(' ')).join('; ')}`,
  )
}

async function open({ database_url, data_dir }: Config) {
  if (database_url) {
    const pool = openPool({ connectionString: database_url }, quiet)
    return { pool, close: () => pool.end() }
  }
  const server = await openEmbedded(data_dir, quiet).catch(error => {
    if (isInUse(error)) throw new Error('the service is running on this data. Stop it first, or use GET /api/health')
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
