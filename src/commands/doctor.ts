import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { type Config, readConfig } from '#platform/config.ts'
import { Database } from '#platform/db/database.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { openPool } from '#platform/db/pool.ts'
import { refuseLostStatements, refusePoolingByTransaction } from '#platform/db/pooling.ts'
import { loginsOf } from '#platform/db/provision.ts'
import { openStorageToLook, placeOf } from '#platform/storage/open.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { type Command, quiet, Refusal, readOptions } from './command.ts'
import { examineDeeply, sampledFiles } from './deep-examination.ts'
import {
  checkIdentity,
  checkIsolation,
  checkMigrations,
  checkRecords,
  checkServices,
  describeConnection,
  refuseUnwritable,
  reportBootstrap,
  reportConverters,
} from './doctor/checks.ts'
import { lines } from './doctor/messages.ts'
import { Report } from './doctor/report.ts'
import { isInUse, loginTo } from './location.ts'
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
      const client = await opened.pool.connect()
      const described = await describeConnection(client, config).finally(() => client.release())
      if (config.database_url && config.database_prepared_statements) await refuseLostStatements(opened.pool)
      return described
    })
    if (!isOpen || !opened) return
    const { pool } = opened
    const mayMigrate = !config.database_url || config.migration_database_url !== undefined
    if (config.migration_database_url) await checkMigrationLogin(config.migration_database_url, config, report)
    const state = await checkMigrations(pool, mayMigrate, report)
    if (!state) return
    // Awaited here: the pool is closed at the end of this block.
    if (state.missing.length > 0) return await examineRest(state.isEmpty ? undefined : new Database(pool))
    await checkIsolation(pool, report)
    await examineRest(new Database(pool))
    await checkRecords(config, new Database(pool), report, (text, values) => pool.query(text, values))
    await examineRecords(new Database(pool))
  } finally {
    await opened?.close()
  }
}

/** A start migrates with this login, and fails with any other. */
const checkMigrationLogin = (url: string, config: Config, report: Report) =>
  report.check(lines.doctor_about_migration_login(), async () => {
    const login = await loginTo(url, config)
    const pool = openPool(login, quiet)
    try {
      const client = await pool.connect()
      await refusePoolingByTransaction(client, login).finally(() => client.release())
      const { rows } = await pool.query<{ name: string }>('select current_user as name')
      if (rows[0]!.name !== 'attest_owner')
        throw new Refusal(lines.doctor_migration_login_wrong({ login: rows[0]!.name }))
    } finally {
      await pool.end()
    }
    return lines.doctor_migration_login()
  })

/** Reports the problems of the BOOTSTRAP_ variables that a start would refuse. */
async function checkBootstrap({ bootstrap }: Config, database: Database | undefined, report: Report) {
  if (!bootstrap) return
  const about = lines.doctor_about_first_tenant()
  if (database && (await reportBootstrap(bootstrap, database, report))) return
  await report.check(about, async () => {
    await refuseBootstrap(bootstrap)
    return lines.doctor_first_tenant({ tenant: bootstrap.tenant, admin: bootstrap.username })
  })
}

async function open(config: Config) {
  const { database_url, data_dir } = config
  if (database_url) {
    const pool = openPool(await loginTo(database_url, config), quiet)
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
