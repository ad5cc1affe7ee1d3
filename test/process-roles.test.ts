// Processes with roles: one that answers people, and others that do what is due, what is queued, and the sealing.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { type ConfigError, readConfig } from '#platform/config.ts'
import { programWith, type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { everybodysPassword } from '#test/world/people.ts'
import { cloneDatabase, urlsOf } from '#test/world/postgres.ts'
import { pdf } from '#test/world/world.ts'

const timing = { minute_ms: 1_000, poll_s: 1, queue_poll_s: 1 }

describe('PROCESS_ROLES (proves: OPS-02)', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-roles-'))
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  let database: pg.Client
  let web: ServiceProcess
  const running: ServiceProcess[] = []
  async function start(environment: Record<string, string>) {
    const service = await startService(
      { DATA_DIR: folder, ...urlsOf(postgres), ...environment },
      { program: programWith(timing) },
    )
    running.push(service)
    return service
  }
  before(async () => {
    postgres = await cloneDatabase({ withPeople: true })
    database = new pg.Client(postgres.superuser)
    await database.connect()
    web = await start({ PROCESS_ROLES: 'web', METRICS_PORT: '0' })
  })
  after(async () => {
    for (const { child, ended } of running) {
      child.kill('SIGTERM')
      assert.equal(await ended, 0)
    }
    await database?.end()
    await postgres?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function ask(path: string, { by, ...options }: RequestInit & { by?: string } = {}) {
    const token = by && (await logIn(by))
    return fetch(`${web.address}${path}`, {
      ...options,
      ...(token && { headers: { authorization: `Bearer ${token}` } }),
    })
  }
  async function logIn(username: string) {
    const answer = await fetch(`${web.address}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: everybodysPassword }),
    })
    return ((await answer.json()) as { access_token: string }).access_token
  }
  async function metrics() {
    const [line] = await web.until(/^metrics at /)
    return (await fetch(/http:\S+/.exec(String(line!.msg))![0])).text()
  }
  const count = async (from: string) =>
    Number((await database.query<{ count: string }>(`select count(*) from ${from}`)).rows[0]!.count)
  const waitingTexts = () => count(`pgboss.job where name = 'texts' and state < 'active'`)
  const unsealed = () => count('audit_pending')
  const rounds = () => count(`pgboss.job where name = 'clock' and state = 'completed'`)
  async function until(holds: () => Promise<boolean>, what: string) {
    for (const deadline = Date.now() + 20_000; !(await holds()); await setTimeout(100))
      assert.ok(Date.now() < deadline, what)
  }

  it('of a process without web are served by its health alone', async () => {
    const other = await start({ PROCESS_ROLES: 'jobs', JOB_QUEUES: 'mail,vectors' })
    const [line] = await other.until(/^listening on/)
    assert.match(String(line!.msg), /, for GET \/api\/health alone \(jobs\)$/)
    assert.equal((await fetch(`${other.address}/api/health`)).status, 200)
    for (const path of ['/', '/api/documents/', '/docs', '/api/status'])
      assert.equal((await fetch(`${other.address}${path}`)).status, 404, path)
  })

  it('of a web process are people alone: what is due, queued and unsealed waits for others', async () => {
    const types = (await (await ask('/api/document-types/', { by: 'alan' })).json()) as { items: { id: number }[] }
    const form = new FormData()
    form.set('title', 'Cleaning of the filling line')
    form.set('document_type', String(types.items[0]!.id))
    form.set('file', new Blob([new Uint8Array(pdf('Rinse twice'))]), 'sop.pdf')
    assert.equal((await ask('/api/documents/upload', { by: 'alan', method: 'POST', body: form })).status, 201)
    // Twice the time after which each of them would have been begun.
    await setTimeout(2_500)
    assert.equal(await waitingTexts(), 1, 'a queue that is of none of the two')
    assert.ok((await unsealed()) > 0)
    assert.equal(await rounds(), 0)
    assert.match(await metrics(), /^attest_dependency_state\{dependency="Background workers",state="Operational"\} 1$/m)
    assert.match(await metrics(), /^attest_queue_waiting\{queue="texts"\} 1$/m)
  })

  it('are done by whichever process has them', async () => {
    await start({ PROCESS_ROLES: 'jobs', JOB_QUEUES: 'texts' })
    await until(async () => (await waitingTexts()) === 0, 'the text is read')
    assert.ok((await unsealed()) > 0)
    await start({ PROCESS_ROLES: 'sealer' })
    await until(async () => (await unsealed()) === 0, 'the trail is sealed')
    assert.equal(await rounds(), 0)
    await start({ PROCESS_ROLES: 'schedules' })
    await until(async () => (await rounds()) > 10, 'the clock goes')
    const sees = /^attest_schedule_last_run_timestamp_seconds\{schedule="documents.make_effective"\} \d/m
    await until(async () => sees.test(await metrics()), 'the web process, which takes no rounds, sees when they ran')
  })

  it('that are unknown, or leave the embedded PostgreSQL without its work, are refused in a line each', () => {
    const linesOf = (environment: Record<string, string>) => {
      try {
        readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-process', ...environment })
        return []
      } catch (error) {
        return (error as ConfigError).lines
      }
    }
    assert.deepEqual(linesOf({ PROCESS_ROLES: 'web,clock', JOB_QUEUES: ',', DATABASE_HOSTS: 'db1:x' }), [
      `DATABASE_HOSTS has "db1:x": write host or host:port`,
      'PROCESS_ROLES has "clock": choose from web, schedules, jobs, sealer',
      'JOB_QUEUES names nothing: choose from mail, background_jobs, texts, exports, vectors',
      'PROCESS_ROLES leaves out work without DATABASE_URL: the embedded PostgreSQL belongs to one process, which does everything',
      'JOB_QUEUES is set, and PROCESS_ROLES has no jobs: this process does none',
    ])
    assert.deepEqual(linesOf({ DATABASE_HOSTS: 'db1,db2:5433' }), ['DATABASE_HOSTS is set without DATABASE_URL'])
  })
})
