import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { type TextTrouble, troubleQuery } from '#modules/search'
import { openAntivirus } from '#platform/antivirus/antivirus.ts'
import { type Config, ConfigError, readConfig } from '#platform/config.ts'
import { findSigningKeys } from '#platform/crypto/signing-key.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { refuseIfNotIsolated } from '#platform/db/isolation.ts'
import { refuseUnmigrated } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { loginsOf } from '#platform/db/provision.ts'
import { openMailer } from '#platform/mail/mailer.ts'
import { openStorage, placeOf } from '#platform/storage/open.ts'
import { extractor_version } from '#platform/text-extraction/index.ts'
import { type Command, type Environment, readOptions, say } from './command.ts'
import { isInUse } from './start.ts'

const quiet = { info() {}, warn() {}, error() {} }

/** Looks, and mends nothing: a database that is not there yet, or not migrated, stays so. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'Check configuration, database and storage',
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
      config = readConfig(env as Environment)
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
    await checkSigningKey(config, pool, check)
    await tellOfTexts(pool)
  } finally {
    await opened?.close()
  }
}

/** The key that seals, and that the database knows how to verify what it seals. */
async function checkSigningKey({ data_dir }: Config, pool: Pool, check: Check) {
  const { inUse, next } = await findSigningKeys(join(data_dir, 'keys')).catch(error => ({ inUse: error, next: error }))
  if (!inUse) return say('-     signing key: there is none yet, the first start makes it')
  await check('signing key', async () => {
    if (inUse instanceof Error) throw inUse
    if (next) throw new Error('a rotation did not come to its end: run signing-key rotate again')
    const { rowCount } = await pool.query('select from signing_keys where key_id = $1 and public_key = $2', [
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
