import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { type TextTrouble, troubleQuery } from '#modules/search'
import { anchorFailure } from '#platform/anchors/failure.ts'
import { openAnchorStores } from '#platform/anchors/store.ts'
import { openAntivirus } from '#platform/antivirus/antivirus.ts'
import { type Config, ConfigError, readConfig } from '#platform/config.ts'
import { findSigningKeys, type KeyName } from '#platform/crypto/signing-key.ts'
import { Database } from '#platform/db/database.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { refuseIfNotIsolated } from '#platform/db/isolation.ts'
import { refuseUnmigrated } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { loginsOf } from '#platform/db/provision.ts'
import { openMailer } from '#platform/mail/mailer.ts'
import { openStorage, placeOf } from '#platform/storage/open.ts'
import { extractor_version } from '#platform/text-extraction/index.ts'
import { type Command, readOptions, say } from './command.ts'
import { isInUse } from './location.ts'
import { checkStats } from './stats.ts'

const quiet = { info() {}, warn() {}, error() {} }

/** Looks, and mends nothing: a database that is not there yet, or not migrated, stays so. */
export const doctor: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    let failures = 0
    const check = async (name: string, work: () => Promise<string>) => {
      try {
        say(`ok    ${name}: ${await work()}`)
        return true
      } catch (error) {
        failures += 1
        const lines = error instanceof ConfigError ? error.lines : [(error as Error).message]
        for (const line of lines) say(`FAIL  ${name}: ${line}`)
        return false
      }
    }
    let config: Config | undefined
    await check('configuration', async () => {
      config = readConfig(env)
      return `${config.environment}, data in ${config.data_dir}`
    })
    if (config) await examine(config, check)
    return failures === 0 ? 0 : 1
  },
}

type Check = (name: string, work: () => Promise<string>) => Promise<boolean>

async function examine(config: Config, check: Check) {
  await check('storage', async () => {
    const storage = await openStorage(config)
    try {
      await storage.check()
      for await (const _ of storage.list('')) break
    } finally {
      await storage.close?.()
    }
    return `${placeOf(config)} can be listed, written, read and cleared`
  })
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
      return 'it answers, and lets the service in'
    })
  }
  for (const store of openAnchorStores(config))
    await check('anchors', async () => {
      await store.check().catch(error => {
        throw new Error(anchorFailure(store.name, error))
      })
      return `${store.name} takes checkpoints of the audit trail (audit anchor --check compares them)`
    })
  if (!config.database_url && !existsSync(join(config.data_dir, 'postgres'))) {
    say('-     database: there is none yet, the first start makes it')
    return
  }
  let opened: { pool: Pool; close(): Promise<void> } | undefined
  try {
    const isOpen = await check('database', async () => {
      opened = await open(config)
      const { rows } = await opened.pool.query<{ version: string; name: string }>(
        `select current_setting('server_version') as version, current_user as name`,
      )
      if (rows[0]!.name !== 'attest_app') throw new Error(`the login is ${rows[0]!.name}, it must be attest_app`)
      return `PostgreSQL ${rows[0]!.version}`
    })
    if (!isOpen || !opened) return
    const { pool } = opened
    const isMigrated = await check('migrations', async () => {
      await refuseUnmigrated(pool)
      return 'up to this program'
    })
    if (!isMigrated) return
    await check('isolation', async () => {
      await refuseIfNotIsolated(pool)
      return 'tenants are kept apart'
    })
    for (const name of ['signature', 'audit'] as const) await checkKey(name, config, pool, check)
    await check('statistics', () => checkStats(new Database(pool)))
    await tellOfTexts(pool)
  } finally {
    await opened?.close()
  }
}

const keysOf = {
  signature: { told: 'signing key', command: 'signing-key rotate', table: 'signing_keys' },
  audit: { told: 'key of the audit trail', command: 'audit-key rotate', table: 'audit_keys' },
} as const

/** The key that seals or signs, and that the database knows how to verify what it seals. */
async function checkKey(name: KeyName, { data_dir }: Config, pool: Pool, check: Check) {
  const { told, command, table } = keysOf[name]
  const { inUse, next } = await findSigningKeys(join(data_dir, 'keys'), name).catch(error => ({
    inUse: error,
    next: error,
  }))
  if (!inUse) return say(`-     ${told}: there is none yet, the first start makes it`)
  await check(told, async () => {
    if (inUse instanceof Error) throw inUse
    if (next) throw new Error(`a rotation did not come to its end: run ${command} again`)
    const { rowCount } = await pool.query(`select from ${table} where key_id = $1 and public_key = $2`, [
      inUse.key_id,
      inUse.public_key,
    ])
    if (rowCount === 0)
      throw new Error(
        `the database does not know ${inUse.key_id}: look whether ${join(data_dir, 'keys')} belongs to it; the next start makes it known`,
      )
    return `${inUse.key_id} is known to the database`
  })
}

/** What was read by older rules stays so until somebody asks for more: search works on it. */
async function tellOfTexts(pool: Pool) {
  const { outdated, failed, waiting } = (await pool.query<TextTrouble>(troubleQuery, [extractor_version])).rows[0]!
  const told = [
    [outdated, 'were read by an older program (qms reindex reads them again)'],
    [failed, 'cannot be read (qms reindex --failed tries again)'],
    [waiting, 'are still to be read'],
  ].filter(([count]) => Number(count) > 0)
  say(`-     texts of documents: ${told.length === 0 ? 'all are read' : told.map(each => each.join(' ')).join('; ')}`)
}

async function open({ database_url, data_dir }: Config) {
  if (database_url) {
    const pool = openPool({ connectionString: database_url }, quiet)
    return { pool, close: () => pool.end() }
  }
  const server = await openEmbedded(data_dir, quiet).catch(error => {
    if (isInUse(error))
      throw new Error('the service is running on this data and holds it: stop it first, or ask it at GET /api/health')
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
