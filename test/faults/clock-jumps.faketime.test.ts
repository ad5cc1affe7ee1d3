// The clock of the machine jumps, of the service and of its database server at the same moment, while people write: by an hour, by a
// day, forwards and back, and over midnight.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openSmtp, type Smtp } from '#test/fakes/smtp.ts'
import { programWith } from '#test/processes/service-process.ts'
import { everybodysPassword as password } from '#test/world/people.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { findFaketime } from '../../tools/find-faketime.ts'
import { type Company, openCompany } from './company.ts'
import { findingsOf, trailOf } from './findings.ts'
import { openServer, type Server } from './soak-faults.ts'
import { keepWorking, openJournal } from './work.ts'

const library = process.env.TEST_FAKETIME ?? findFaketime()
const hour_s = 3600
const day_s = 24 * hour_s
/** So long the library keeps what it has read of the time to give. */
const read_again_s = 1
const records_each = 2
const patience_ms = 180_000
/** About as long as a record takes: somebody is nearly always in the middle of one. */
const pause_ms = 250
/** A look at what is due follows a jump within seconds. What a process may be silent for is as in production. */
const timing = { minute_ms: 2_000, queue_poll_s: 1, poll_s: 1 }

describe('the clock of the machine jumps while people work', {
  timeout: 1_200_000,
  skip: !library && 'no faketime',
}, () => {
  let folder: string
  let server: Server
  let smtp: Smtp
  let company: Company
  let superuser: pg.Client
  let ahead_s = 0
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-jumps-'))
    const environment = {
      LD_PRELOAD: library!,
      FAKETIME_TIMESTAMP_FILE: join(folder, 'ahead'),
      FAKETIME_CACHE_DURATION: String(read_again_s),
      FAKETIME_DISABLE_SHM: '1',
      // A clock that is set does not change how time passes, nor what stands on the disk.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
    writeFileSync(environment.FAKETIME_TIMESTAMP_FILE, '+0')
    server = await openServer(folder, environment)
    smtp = await openSmtp()
    company = await openCompany({
      folder: join(folder, 'data'),
      database: server.superuser,
      program: programWith(timing),
      environment: {
        ...environment,
        ...urlsOf({
          app: { ...server.superuser, user: 'attest_app' },
          owner: { ...server.superuser, user: 'attest_owner' },
        }),
        SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
        MAIL_FROM: 'attest@example.com',
        ACCESS_TOKEN_EXPIRE_MINUTES: String(4 * 24 * 60),
      },
    })
    superuser = new pg.Client(server.superuser)
    await superuser.connect()
    await company.start()
  })
  after(async () => {
    await superuser?.end()
    await company?.close()
    await server?.stop()
    await smtp?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const count = async (what: string) =>
    (await superuser.query<{ n: number }>(`select count(*)::int as n from ${what}`)).rows[0]!.n
  async function until(what: string, isSo: () => Promise<boolean>) {
    for (const deadline = performance.now() + patience_ms; !(await isSo()); await setTimeout(100))
      assert.ok(performance.now() < deadline, `not within ${patience_ms} ms: ${what}`)
  }
  const isNear = (moment: Date) => Math.abs(moment.getTime() - Date.now() - ahead_s * 1000) < 30_000

  /** From now on every process is so many seconds ahead of the clock of this one. */
  async function jumpTo(seconds: number) {
    ahead_s = seconds
    const file = join(folder, 'ahead')
    writeFileSync(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`)
    const written = performance.now()
    // The library counts whole seconds. A connection that still has the other time would take an entry of now for one of days ago.
    await until(
      'no process has the time that it read before',
      async () => performance.now() > written + 2_000 * read_again_s,
    )
    await until('the service has the other time', async () => {
      const { headers } = await fetch(`${company.service().address}/api/health`)
      return isNear(new Date(headers.get('date')!))
    })
    await until('the database has the other time', async () =>
      isNear((await superuser.query('select clock_timestamp() as now')).rows[0].now),
    )
  }

  async function logIn(username: string, given = password) {
    const reply = await fetch(`${company.service().address}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: given }),
    })
    return { status: reply.status, token: ((await reply.json()) as { access_token?: string }).access_token ?? '' }
  }
  const statusWith = async (token: string) =>
    (await fetch(`${company.service().address}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status

  it('loses no record, seals in order, lets in who may come in, and tells of a due date once', async t => {
    const journal = openJournal()
    const over = new AbortController()
    await company.logIn()
    const { token } = await logIn('uma')
    const tomorrow = new Date(Date.now() + day_s * 1000).toISOString().slice(0, 10)
    const { alan } = company.ids()
    const late = await company.post('alan', '/api/capa/', {
      title: 'Dosing is done by hand',
      description: 'Three deviations in a quarter had the same cause.',
      type: 'corrective',
      source: 'trend',
      root_cause: 'The pump was never ordered',
      assigned_to: alan,
      due_date: tomorrow,
      actions: [{ description: 'Fit a dosing pump', assigned_to: alan }],
    })
    await company.post('petra', `/api/capa/${late.id}/approve-draft`, { comment: 'Sound' })
    const work = keepWorking(company, journal, over.signal, { at_once: 2, pause_ms })
    const goOn = async () => {
      const enough = journal.acknowledged.length + records_each
      await until('people go on working', async () => {
        await Promise.race([work, setTimeout(100)])
        return journal.acknowledged.length >= enough
      })
      await until('everything is sealed', async () => {
        const { rows } = await superuser.query('select max(id) as newest from audit_entries')
        return (await count(`audit_leaves where entry_id = ${rows[0].newest}`)) === 1
      })
      assert.deepEqual(await trailOf(company), [])
    }
    try {
      await goOn()
      await jumpTo(hour_s)
      await goOn()
      assert.equal(await statusWith(token), 200)
      const ofAnHourLater = await logIn('uma')
      assert.deepEqual([ofAnHourLater.status, await statusWith(ofAnHourLater.token)], [200, 200])

      await jumpTo(0)
      await goOn()
      const { warnings } = await company.get('otto', '/api/audit/verify')
      assert.ok(
        warnings.length > 0 && warnings.every(({ check }: { check: string }) => check === 'time'),
        'the trail tells that the clock was set back',
      )
      assert.equal(await statusWith(ofAnHourLater.token), 401, 'a token of a time that is yet to come')
      assert.equal(await statusWith(token), 200)

      await jumpTo(2 * day_s)
      const told = () =>
        count(`audit_entries where action = 'capa.overdue' and resource_type = 'capa' and resource_id = ${late.id}`)
      await until('it is told that it and its action are overdue', async () => (await told()) === 2)
      for (let attempt = 0; attempt < 5; attempt++) assert.equal((await logIn('anna', 'wrong')).status, 401)
      assert.equal((await logIn('anna')).status, 401, 'locked')
      await goOn()

      await jumpTo(0)
      assert.equal((await logIn('anna')).status, 200, 'not locked for two days')
      await goOn()

      const midnight = new Date(Date.now()).setUTCHours(24, 0, 0, 0)
      await jumpTo(Math.floor((midnight - Date.now()) / 1000) - 5)
      await until('it is another day', async () => Date.now() + ahead_s * 1000 > midnight)
      await goOn()

      await jumpTo(5 * day_s)
      assert.equal(await statusWith(token), 401, 'expired')
      assert.equal(await told(), 2)
    } finally {
      over.abort()
      await work.catch(() => {})
    }
    await jumpTo(0)
    await until('what was queued is done', async () => {
      return (
        (await count(`mails where status = 'queued'`)) +
          (await count(`pgboss.job where name <> 'clock' and state < 'completed'`)) ===
        0
      )
    })
    const { records, entries, orphans, ...wrong } = await findingsOf(company, journal)
    assert.deepEqual(wrong, { lost: [], halves: [], untrue: [] })
    t.diagnostic(`${records} answers checked, ${entries} entries of the trail, ${orphans.length} files for the sweep`)
    assert.equal(await company.stop(), 0)
  })
})
