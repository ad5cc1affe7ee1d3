// Several processes on one port: the service as it is started, on an external PostgreSQL.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ClientConfig } from 'pg'
import { type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { emptyDatabase } from '#test/world/postgres.ts'
import { timed } from '#test/world/steadily.ts'

const password = 'Correct horse 1 battery'

describe('WEB_CONCURRENCY', { timeout: 600_000 }, () => {
  let folder: string
  let database: Awaited<ReturnType<typeof emptyDatabase>>
  let service: ServiceProcess
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-workers-'))
    database = await emptyDatabase()
    service = await startService(
      {
        WEB_CONCURRENCY: '3',
        METRICS_PORT: '0',
        DATA_DIR: folder,
        DATABASE_URL: urlOf(database.app),
        MIGRATION_DATABASE_URL: urlOf(database.owner),
        BOOTSTRAP_TENANT: 'Acme',
        BOOTSTRAP_ADMIN_USERNAME: 'ada',
        BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
        BOOTSTRAP_ADMIN_PASSWORD: password,
      },
      { listeners: 3 },
    )
  })
  after(async () => {
    service?.child.kill('SIGKILL')
    await service?.ended
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  function urlOf({ host, port, user, password: secret, database: name }: ClientConfig) {
    const given = { host, port, user, password: secret }
    const parameters = new URLSearchParams()
    for (const [key, value] of Object.entries(given)) if (value !== undefined) parameters.set(key, String(value))
    return `postgres:///${name}?${parameters.toString()}`
  }
  const processesOf = (lines: Record<string, unknown>[]) => new Set(lines.map(each => each.process as number))
  /** Each by a connection of its own, so that every process has its share. */
  const ask = (
    path: string,
    { method = 'GET', token = '', body }: { method?: string; token?: string; body?: object } = {},
  ) =>
    new Promise<{ status: number; json: Record<string, never> }>((done, failed) => {
      const agent = new Agent()
      const headers = {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      }
      request({ port: service.port, host: '127.0.0.1', path, method, headers, agent }, response => {
        let text = ''
        response.on('data', chunk => {
          text += chunk
        })
        response.on('end', () => {
          agent.destroy()
          done({ status: response.statusCode!, json: text ? JSON.parse(text) : {} })
        })
      })
        .on('error', failed)
        .end(body && JSON.stringify(body))
    })
  const logIn = async (username: string) =>
    (await ask('/api/auth/token', { method: 'POST', body: { username, password } })).json
      .access_token as unknown as string
  /** Asks until every process has answered `count` times. */
  async function askAll(path: string, token: string) {
    const from = service.lines.length
    const statuses: number[] = []
    for (;;) {
      statuses.push((await ask(path, { token })).status)
      const lines = service.lines.slice(from).filter(({ logger }) => logger === 'server.access')
      if (processesOf(lines).size === 3) return statuses
      assert.ok(statuses.length < 500, 'every process gets requests')
    }
  }

  it('shares the requests between processes, after one migration', async () => {
    const token = await logIn('ada')
    assert.ok((await askAll('/api/documents/', token)).every(status => status === 200))
    const migrated = service.lines.filter(({ msg }) => /^migrated 0001/.test(String(msg)))
    assert.deepEqual(
      migrated.map(each => each.process),
      [undefined],
      'by the first process, once',
    )
  })

  // proves: AUTH-04
  it('lets a change of an account bite in every process within a second', async () => {
    const admin = await logIn('ada')
    const user = { username: 'uma', email: 'uma@example.com', full_name: 'Uma', password }
    const made = await ask('/api/users/', { method: 'POST', token: admin, body: user })
    assert.equal(made.status, 201, JSON.stringify(made.json))
    const token = await logIn('uma')
    await askAll('/api/auth/me', token)
    const { id, revision } = made.json
    const changed = await ask(`/api/users/${id}/deactivate`, {
      method: 'POST',
      token: admin,
      body: { revision },
    })
    assert.equal(changed.status, 200, JSON.stringify(changed.json))
    const [, took_ms] = await timed(async () => {
      while ((await askAll('/api/auth/me', token)).some(status => status !== 401));
    })
    assert.ok(took_ms < 4_000, `${took_ms} ms: one second, and what it takes to ask them all on a busy machine`)
  })

  // proves: AUTH-04
  it('takes the token of who has just changed their password in every process, at once', async () => {
    const admin = await logIn('ada')
    const user = { username: 'nina', email: 'nina@example.com', full_name: 'Nina', password }
    assert.equal((await ask('/api/users/', { method: 'POST', token: admin, body: user })).status, 201)
    let token = await logIn('nina')
    let current = password
    const statuses: number[] = []
    for (let round = 0; round < 4; round++) {
      await askAll('/api/auth/me', token)
      const body = { current_password: current, new_password: `Changed horse ${round} battery` }
      const changed = await ask('/api/auth/change-password', { method: 'POST', token, body })
      assert.equal(changed.status, 200, JSON.stringify(changed.json))
      token = changed.json.access_token as unknown as string
      current = body.new_password
      const asked = await Promise.all(Array.from({ length: 20 }, () => ask('/api/documents/', { token })))
      statuses.push(...asked.map(({ status }) => status))
    }
    const refused = statuses.filter(status => status !== 200)
    assert.equal(
      refused.length,
      0,
      `${refused.length} of ${statuses.length} were refused: ${[...new Set(refused)].join()}`,
    )
  })

  it('has the metrics of all of them in one place', async () => {
    const asked = await askAll('/api/health', '')
    const [line] = await service.until(/^metrics at /)
    const text = await (await fetch(/http:\S+/.exec(String(line!.msg))![0])).text()
    const counts = text.matchAll(/^attest_http_request_duration_seconds_count\{.*route="\/api\/health".*\} (\d+)$/gm)
    const counted = [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
    assert.equal(counted, asked.length, 'of three processes together')
    assert.match(text, /^attest_dependency_state\{dependency="Database",state="Operational"\} 1$/m)
  })

  it('replaces a process that is killed, and serves meanwhile', async () => {
    const from = service.lines.length
    const [killed] = processesOf(service.lines.filter(({ msg }) => /^listening/.test(String(msg))))
    process.kill(killed!, 'SIGKILL')
    const [told] = await service.until(/has ended \(SIGKILL\)/, { from })
    assert.equal(told!.level, 'error')
    assert.equal((await ask('/api/health')).status, 200)
    const [listening] = await service.until(/^listening on /, { from })
    assert.notEqual(listening!.process, killed)
    await askAll('/api/health', '')
  })

  it('ends all of them in order on SIGTERM', async () => {
    const pids = processesOf(service.lines.filter(each => each.process !== undefined))
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
    assert.equal(service.lines.at(-1)!.msg, 'closed')
  })

  // proves: OPS-02
  it('of more than one is refused with the embedded PostgreSQL, in one line', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['src/main.ts', 'serve'], {
      cwd: new URL('..', import.meta.url).pathname,
      env: { PATH: process.env.PATH, SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-process', WEB_CONCURRENCY: '2' },
      encoding: 'utf8',
    })
    assert.deepEqual([status, stdout], [1, ''])
    assert.equal(stderr, 'WEB_CONCURRENCY is 2 without DATABASE_URL: the embedded PostgreSQL belongs to one process\n')
  })

  // proves: OPS-02
  it('gives up where no process can listen', async () => {
    const busy = await startService({ DATA_DIR: folder, DATABASE_URL: urlOf(database.app) })
    try {
      const refused = startService({
        DATA_DIR: folder,
        DATABASE_URL: urlOf(database.app),
        WEB_CONCURRENCY: '2',
        PORT: String(busy.port),
      })
      await assert.rejects(refused, /it ended with 1.*Cannot listen on/s)
    } finally {
      busy.child.kill('SIGTERM')
      await busy.ended
    }
  })
})
