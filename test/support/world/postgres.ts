import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import pg from 'pg'
import { openEmbedded } from '#platform/db/embedded.ts'
import { migrate } from '#platform/db/migrate.ts'
import { loginsOf, provision } from '#platform/db/provision.ts'
import type { Log } from '#platform/log/log.ts'

/** Deliberate failures are not logged, and other failures show by their error. */
export const quiet: Log = { info() {}, warn() {}, error() {} }

/** A server with a migrated database to clone. Kept in the environment, which is how test files, each a process, get to it. */
interface TestServer {
  superuser: ClientConfig
  template: string
  /** As `template`, with the people of the tests' world in it. */
  peopled?: string
}

/** One server for a whole test run: an embedded one, or that of a superuser's TEST_DATABASE_URL. */
export async function openTestServer({ settings = {} }: { settings?: Record<string, string> } = {}) {
  const { superuser, close } = process.env.TEST_DATABASE_URL
    ? external(process.env.TEST_DATABASE_URL)
    : await embedded(settings)
  const template = newName()
  try {
    const { owner } = await provision(superuser, template)
    // Where the server wants a password, one serves for all three: their connections differ in the role alone.
    const password = superuser.password && pg.escapeLiteral(String(superuser.password))
    if (password) {
      await asSuperuser(
        superuser,
        `alter role attest_owner password ${password}; alter role attest_app password ${password}`,
      )
    }
    await migrate(owner, quiet)
    await allowMovedClocks(owner)
  } catch (error) {
    await close()
    throw error
  }
  const server: TestServer = { superuser, template }
  const publish = () => {
    process.env.TEST_SERVER = JSON.stringify(server)
  }
  publish()
  return {
    /** Once for the whole run, because people take longer to make than to clone. */
    async addPeopled(fill: (app: ClientConfig) => Promise<void>) {
      const { app } = await cloneDatabase()
      await fill(app)
      server.peopled = app.database as string
      publish()
    },
    close: async () => {
      if (server.peopled) await dropDatabase(superuser, server.peopled)
      await dropDatabase(superuser, template)
      await close()
    },
  }
}

/** A test moves the clock of the service by days, and not that of the database; test/attacks/signatures.test.ts has the limit of production. */
async function allowMovedClocks(owner: ClientConfig) {
  const client = new pg.Client(owner)
  await client.connect()
  await client.query(
    `create or replace function signature_clock_tolerance() returns interval language sql immutable as $$ select interval '100 years' $$`,
  )
  await client.end()
}

/** `once` on each connection; `as in production`, for its values at first, where how fast it is or how much it reads is tested. */
export type Plans = 'once' | 'as in production'

/** A database of one's own, migrated and with the rows of the migrations alone: a clone, made in a tenth of a second. */
export async function cloneDatabase({
  withPeople = false,
  plans = 'once',
}: {
  withPeople?: boolean
  plans?: Plans
} = {}) {
  await midnightIsFar()
  const server = serverOfThisRun()
  const { superuser } = server
  const template = withPeople ? server.peopled : server.template
  const name = newName()
  // Rights to a database are not cloned with it; those inside it are.
  await asSuperuser(
    superuser,
    // Its files are copied. By default each of their pages goes through the log as well, which takes twice the time of a processor.
    `create database ${name} template ${template} owner attest_owner strategy file_copy`,
    `revoke temporary on database ${name} from public`,
    // Nobody looks at what is left of it after a loss of power: a commit need not wait for the disk.
    `alter database ${name} set synchronous_commit = off`,
    ...(plans === 'as in production' ? [`alter database ${name} set plan_cache_mode = auto`] : []),
  )
  return { ...loginsOf(superuser, name), drop: () => dropDatabase(superuser, name) }
}

/** One with nothing in it, for tests that migrate it themselves. */
export async function emptyDatabase() {
  await midnightIsFar()
  const { superuser } = serverOfThisRun()
  const name = newName()
  return { ...(await provision(superuser, name)), drop: () => dropDatabase(superuser, name) }
}

const day_ms = 86_400_000
const longest_file_ms = 120_000
/** Most tests are of what happens on one day: a file that would end on the next one begins then. Of midnight are those that move the clock. */
async function midnightIsFar() {
  const left_ms = day_ms - (Date.now() % day_ms)
  if (left_ms < longest_file_ms) await setTimeout(left_ms + 1000)
}

function serverOfThisRun(): TestServer {
  if (!process.env.TEST_SERVER) {
    throw new Error(
      'no test server: run node --test with --test-global-setup=test/support/world/global-setup.ts, as npm test -- --only NAME does',
    )
  }
  return JSON.parse(process.env.TEST_SERVER)
}

/**
 * The settings of a server that a run makes and throws away: nobody needs it after a loss of power. With fsync each database that
 * is dropped waits for the files of all others. Tests of kills have servers of their own, as in production.
 */
export const settingsOfRun = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '1GB',
  // Nobody follows it, and what is looked at is analyzed by who fills it in.
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  // A statement is planned for its values five times before its plan is kept, and most tests send it fewer times on one connection.
  plan_cache_mode: 'force_generic_plan',
}

async function embedded(settings: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'attest-test-'))
  const server = await openEmbedded(folder, quiet, { settings })
  const superuser: ClientConfig = { ...server.connection, user: 'postgres' }
  const close = async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  }
  return { superuser, close }
}

function external(connectionString: string) {
  const { host, port, user, password } = new pg.Client({ connectionString })
  const superuser: ClientConfig = { host, port, ...(user && { user }), ...(password && { password }) }
  return { superuser, close: async () => {} }
}

const newName = () => `attest_test_${randomUUID().replaceAll('-', '')}`
const dropDatabase = (superuser: ClientConfig, name: string) =>
  asSuperuser(superuser, `drop database ${name} with (force)`)

async function asSuperuser(superuser: ClientConfig, ...statements: string[]) {
  const client = new pg.Client({ ...superuser, database: 'postgres' })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const urlOf = ({ user, host, port, password, database }: ClientConfig) => {
  const query = new URLSearchParams({ host: host ?? 'localhost', ...(port && { port: String(port) }) })
  const login = `${user}${password ? `:${encodeURIComponent(String(password))}` : ''}`
  return `postgres://${login}@localhost/${database}?${query.toString()}`
}

/** As a program's own environment has them. */
export const urlsOf = ({ app, owner }: { app: ClientConfig; owner: ClientConfig }) => ({
  DATABASE_URL: urlOf(app),
  MIGRATION_DATABASE_URL: urlOf(owner),
})
