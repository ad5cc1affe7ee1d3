// The schedules of services as they are started: several processes on one external PostgreSQL.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg, { type ClientConfig } from 'pg'
import { usualTiming } from '#platform/jobs/boss.ts'
import { programWith, type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { emptyDatabase } from '#test/world/postgres.ts'

/** A schedule that runs once a minute. */
const task = 'documents.make_effective'
/** A minute lasts five seconds here. What production waits for is checked of the service as it is started. */
const hasty = programWith({ minute_ms: 5_000, supervise_s: 1, poll_s: 1, retry_s: 0 })

describe('what is due by itself', { timeout: 900_000 }, () => {
  let folder: string
  let database: Awaited<ReturnType<typeof emptyDatabase>>
  let superuser: pg.Client
  const running: ServiceProcess[] = []
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-clock-'))
    database = await emptyDatabase()
    superuser = new pg.Client(database.superuser)
    await superuser.connect()
  })
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGKILL')
      await ended
    }
  })
  after(async () => {
    await superuser.end()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const urlOf = ({ host, port, user, password, database: name }: ClientConfig) => {
    const parameters = new URLSearchParams()
    for (const [key, value] of Object.entries({ host, port, user, password }))
      if (value !== undefined) parameters.set(key, String(value))
    return `postgres:///${name}?${parameters.toString()}`
  }
  async function start(program?: string[]) {
    const environment = {
      DATA_DIR: folder,
      DATABASE_URL: urlOf(database.app),
      MIGRATION_DATABASE_URL: urlOf(database.owner),
      BOOTSTRAP_TENANT: 'Acme',
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'Correct horse 1 battery',
    }
    const service = await startService(environment, { ...(program && { program }) })
    running.push(service)
    return service
  }
  /** The missing build of the operators' page does not concern the clock. */
  const troubles = ({ lines }: ServiceProcess) =>
    lines.filter(({ level, msg }) => level !== 'info' && !/is not built/.test(String(msg))).map(({ msg }) => msg)
  const rounds = async (state: string) =>
    (
      await superuser.query<{ slot: string; at: Date }>(
        `select singleton_on::text as slot, completed_on as at from pgboss.job where singleton_key = $1 and state::text = $2 order by created_on`,
        [task, state],
      )
    ).rows
  async function until(what: () => Promise<boolean>, within_ms: number) {
    for (const deadline = performance.now() + within_ms; !(await what()); await setTimeout(100))
      assert.ok(performance.now() < deadline, `not within ${within_ms} ms`)
  }

  it('is looked for at the start, and in each minute once, however many processes there are; a killed one is not missed', async () => {
    const [first] = [await start(hasty), await start(hasty)]
    await until(async () => (await rounds('completed')).length >= 1, 60_000)
    const before = (await rounds('completed')).length
    first.child.kill('SIGKILL')
    await first.ended
    // At the next minute, by the other.
    await until(async () => (await rounds('completed')).length > before, 120_000)
    const slots = (await rounds('completed')).map(({ slot }) => slot)
    assert.deepEqual(slots, [...new Set(slots)])
    for (const service of running) assert.deepEqual(troubles(service), [])
  })

  it('is taken over from a process that was killed in the middle of it', async () => {
    const service = await start(hasty)
    await until(async () => (await rounds('completed')).length >= 1, 120_000)
    const silent_s = 5
    // As such a process leaves it: begun, and silent from now on.
    await superuser.query('delete from pgboss.job where singleton_key = $1', [task])
    await superuser.query(
      `insert into pgboss.job (name, data, state, singleton_key, policy, retry_limit, retry_delay, started_on, heartbeat_on, heartbeat_seconds, expire_seconds)
       values ('clock', $1, 'active', $2, 'exclusive', 3, 0, now(), now(), $3, 900)`,
      [{ schedule: task }, task, silent_s],
    )
    const begun = performance.now()
    await until(async () => (await rounds('completed')).length >= 1, 180_000)
    assert.ok(performance.now() - begun > silent_s * 1000, 'not before it was silent for a while')
    assert.deepEqual(await rounds('active'), [])
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
  })

  it('is asked for at each minute of the clock, and taken over a minute or so after a kill', async () => {
    await superuser.query('delete from pgboss.job where singleton_key = $1', [task])
    await start()
    await until(async () => (await rounds('completed')).length >= 1, 60_000)
    const { rows } = await superuser.query(
      `select extract(epoch from singleton_on)::int % 60 as past_the_minute_s, heartbeat_seconds, retry_limit, retry_delay
       from pgboss.job where singleton_key = $1`,
      [task],
    )
    for (const row of rows)
      assert.deepEqual(row, { past_the_minute_s: 0, heartbeat_seconds: 20, retry_limit: 3, retry_delay: 15 })
    // As docs/operations.md says. The test above shows that these are the waits there are, with shorter ones.
    const { heartbeat_s, supervise_s, retry_s, poll_s } = usualTiming
    assert.ok(heartbeat_s + supervise_s + retry_s + poll_s <= 75)
  })

  it('does not keep a service from ending in order, also at the moment of its first look', async () => {
    for (let round = 0; round < 3; round++) {
      const service = await start()
      await setTimeout(round * 100)
      const begun = performance.now()
      service.child.kill('SIGTERM')
      assert.equal(await service.ended, 0)
      assert.ok(performance.now() - begun < 18_000)
      assert.deepEqual(await rounds('active'), [])
      assert.deepEqual(troubles(service), [])
    }
  })
})
