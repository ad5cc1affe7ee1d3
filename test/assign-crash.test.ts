// Many people are assigned a training while the service is killed: real processes, and nobody is assigned it twice, or not at all.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg, { type ClientConfig } from 'pg'
import { programWith, type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { everybodysPassword } from '#test/world/people.ts'
import { cloneDatabase } from '#test/world/postgres.ts'

/** Ten steps of the job, each a transaction: there are some left after each kill, on a busy machine too. */
const people = 2000
const kills = 2

describe('a training that is assigned to many people', { timeout: 400_000 }, () => {
  let folder: string
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  let superuser: pg.Client
  let service: ServiceProcess
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-assign-'))
    database = await cloneDatabase({ withPeople: true })
    superuser = new pg.Client(database.superuser)
    await superuser.connect()
  })
  after(async () => {
    service?.child.kill('SIGKILL')
    await service?.ended
    await superuser.end()
    await database.drop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  const urlOf = ({ host, port, user, password, database: name }: ClientConfig) => {
    const parameters = new URLSearchParams()
    for (const [key, value] of Object.entries({ host, port, user, password }))
      if (value !== undefined) parameters.set(key, String(value))
    return `postgres:///${name}?${parameters.toString()}`
  }
  const start = async () => {
    service = await startService(
      {
        DATA_DIR: folder,
        DATABASE_URL: urlOf(database.app),
        MIGRATION_DATABASE_URL: urlOf(database.owner),
      },
      { program: programWith({ supervise_s: 1, queue_poll_s: 1 }) },
    )
  }
  async function call<T>(path: string, { token, body }: { token?: string; body?: object } = {}): Promise<T> {
    const answer = await fetch(`${service.address}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    assert.ok(answer.ok, `${answer.status} ${text}`)
    return JSON.parse(text)
  }
  /**
   * A process that says nothing for two seconds is taken for dead, and the next attempt comes at once: how long production waits for
   * both is not what this is about.
   */
  const beImpatient = () => superuser.query('update pgboss.queue set heartbeat_seconds = 2')
  const goOn = () => superuser.query(`update pgboss.job set start_after = now(), retry_count = 0 where state = 'retry'`)
  const logIn = async () =>
    (
      await call<{ access_token: string }>('/api/auth/token', {
        body: { username: 'quinn', password: everybodysPassword },
      })
    ).access_token
  async function crowd(): Promise<number[]> {
    await superuser.query('begin; set local session_replication_role = replica')
    const { rows } = await superuser.query<{ id: number }>(
      `insert into users (tenant_id, username, email, full_name, role_id)
       select u.tenant_id, 'crowd' || n, 'crowd' || n || '@example.com', 'Crowd ' || n, u.role_id
       from users u, generate_series(1, ${people}) n where u.username = 'uma' returning id::int`,
    )
    await superuser.query('commit')
    return rows.map(({ id }) => id)
  }
  /** The stored assignments and the progress that the job reports: they always agree. */
  async function stored() {
    const { rows } = await superuser.query<Record<string, number | string>>(
      `select j.status, j.done, (select count(*)::int from training_assignments) as assignments,
         (select count(distinct user_id)::int from training_assignments) as people,
         (select count(*)::int from audit_entries where action = 'training_assignment.assigned') as entries,
         (select count(*)::int from notifications where type = 'training_assigned') as notifications
       from background_jobs j where kind = 'training.assign'`,
    )
    const { status, ...counts } = rows[0]!
    assert.deepEqual(new Set(Object.values(counts)).size, 1, JSON.stringify(rows[0]))
    return { status, done: counts.done as number }
  }
  async function until(what: (now: { status: unknown; done: number }) => boolean) {
    for (const deadline = Date.now() + 90_000; ; await setTimeout(20)) {
      await goOn()
      const now = await stored()
      if (what(now)) return now
      assert.ok(Date.now() < deadline, `the job does not go on: ${JSON.stringify(now)}`)
    }
  }

  // proves: TRN-01
  it('is assigned to each of them once, though the process that does it is killed again and again', async () => {
    await beImpatient()
    const user_ids = await crowd()
    await start()
    const token = await logIn()
    const program = await call<{ id: number }>('/api/training/', {
      token,
      body: { title: 'Gowning', type: 'classroom' },
    })
    const body = { training_id: program.id, user_ids }
    const { job } = await call<{ job: { href: string } }>('/api/training/bulk-assign', { token, body })
    let done = 0
    for (let killed = 0; killed < kills; killed++) {
      const now = await until(each => each.done > done)
      done = now.done
      assert.ok(done < people, 'there is something left to do when it is killed')
      service.child.kill('SIGKILL')
      await service.ended
      const left = await stored()
      assert.ok(left.done >= done && left.done < people, `${left.done} when it was killed after ${done}`)
      done = left.done
      await start()
    }
    await until(({ status }) => status === 'completed')
    const finished = await call<{ status: string; done: number; skipped: number }>(job.href, { token: await logIn() })
    assert.deepEqual([finished.status, finished.done, finished.skipped], ['completed', people, 0])
    assert.equal((await stored()).done, people)
  })
})
