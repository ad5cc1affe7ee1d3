// The service behind Debian's PgBouncer, in both of its modes.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { migrate } from '#platform/db/migrate.ts'
import { openCommands } from '#test/processes/commands.ts'
import { type PoolMode, startPgBouncer } from '#test/processes/pgbouncer.ts'
import { cloneDatabase, quiet, urlsOf } from '#test/world/postgres.ts'
import { openCompany } from './faults/company.ts'
import { findingsOf, trailOf } from './faults/findings.ts'
import { keepWorking, openJournal } from './faults/work.ts'

describe('PgBouncer before PostgreSQL (proves: OPS-02)', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-pgbouncer-'))
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  let poolers: Record<PoolMode, Awaited<ReturnType<typeof startPgBouncer>>>
  const commands = openCommands(() => ({
    SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-process',
    DATA_DIR: join(folder, 'data'),
  }))
  before(async () => {
    chmodSync(folder, 0o755)
    postgres = await cloneDatabase({ withPeople: true })
    const start = (mode: PoolMode) => startPgBouncer(process.env.TEST_PGBOUNCER!, folder, postgres.app, { mode })
    poolers = { session: await start('session'), transaction: await start('transaction') }
  })
  after(async () => {
    await commands.close()
    for (const each of Object.values(poolers ?? {})) await each.stop()
    await postgres?.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const through = (mode: PoolMode) => ({
    ...urlsOf(postgres),
    DATABASE_URL: poolers[mode].urlOf('attest_app'),
  })

  /** People write at once, jobs and rounds run beside them, and all that was answered for is there. */
  async function work(environment: Record<string, string>, { most }: { most: number }) {
    const company = await openCompany({
      folder: join(folder, 'data'),
      database: postgres.superuser,
      environment,
    })
    try {
      await company.start()
      await company.logIn()
      const journal = openJournal()
      const over = new AbortController()
      const working = keepWorking(company, journal, over.signal, { at_once: 4 })
      while (journal.acknowledged.length < most) await Promise.race([working, setTimeout(20)])
      over.abort()
      await working
      const { orphans: _, records, entries: __, ...wrong } = await findingsOf(company, journal)
      assert.deepEqual(wrong, { lost: [], halves: [], untrue: [] })
      assert.deepEqual(await trailOf(company), [])
      assert.ok(records >= most)
      const failed = company.answers.filter(({ status }) => status >= 500)
      assert.deepEqual(failed, [])
      assert.deepEqual(
        company.service().lines.filter(({ level }) => level === 'error'),
        [],
      )
    } finally {
      assert.equal(await company.stop(), 0)
    }
  }

  it('in transaction mode, without prepared statements, does all the work', () =>
    work({ ...through('transaction'), DATABASE_PREPARED_STATEMENTS: 'false' }, { most: 14 }))

  it('in session mode does all the work as it is', () => work(through('session'), { most: 6 }))

  it('in transaction mode with prepared statements is refused at the start, and by doctor', async () => {
    const refused = await commands.run(['signing-key', 'list'], through('transaction'))
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(
      refused.err,
      /^The database cannot be opened: DATABASE_URL leads through a pooler that lends a connection for one transaction and loses prepared statements: set DATABASE_PREPARED_STATEMENTS=false, [^\n]*\n$/,
    )
    const looked = await commands.run(['doctor'], through('transaction'))
    assert.equal(looked.code, 1)
    assert.match(looked.out, /^FAIL {2}database: .*loses prepared statements/m)
  })

  it('is refused where a pooler has a single connection', async () => {
    const single = await startPgBouncer(
      process.env.TEST_PGBOUNCER!,
      mkdtempSync(join(folder, 'single-')),
      postgres.app,
      {
        mode: 'transaction',
        size: 1,
      },
    )
    try {
      const environment = { ...urlsOf(postgres), DATABASE_URL: single.urlOf('attest_app') }
      const refused = await commands.run(['signing-key', 'list'], environment)
      assert.match(refused.err, /loses prepared statements/)
    } finally {
      await single.stop()
    }
  })

  it('migrates by session alone', async () => {
    await assert.rejects(migrate({ connectionString: poolers.transaction.urlOf('attest_owner') }, quiet), {
      message:
        'MIGRATION_DATABASE_URL leads through a pooler that lends a connection for one transaction, and a migration needs one of its own: let it name the server itself',
    })
    await migrate({ connectionString: poolers.session.urlOf('attest_owner') }, quiet)
  })
})
