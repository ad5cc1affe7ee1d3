// The health of the service: everybody sees whether it works, the platform's operators see all of it. In time, whatever hangs.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type ConfigError, readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log/log.ts'
import { giveSecondFactor } from '#test/builders/samples.ts'
import { spellingModel } from '#test/fakes/spelling-model.ts'
import { openFaultProxy, openMailServer, openTcpServer } from '#test/faults/fault-proxy.ts'
import { until } from '#test/world/background.ts'
import { steady, timed } from '#test/world/steadily.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { start } from '../src/commands/start.ts'

interface Report {
  status: string
  dependencies: {
    name: string
    status: string
    response_time_ms: number | null
    checked_at: string
    since: string
    detail: string | null
  }[]
  [field: string]: unknown
}

/** Less than two of the longest budgets one behind the other, as they would be if nobody gave up in time; a busy machine adds to one. */
const report_ms = 5500

const up = { status: 'ok', database: 'up', version: '1.0.0' }
const down = { status: 'unavailable', database: 'down', version: '1.0.0' }

/** Takes connections and what is said on them, and never says a word. */
const silentServer = () => openTcpServer(socket => socket.resume())

async function modelServer() {
  const state = { status: 404 }
  const asked: { method: string | undefined; url: string | undefined; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      asked.push({ method: request.method, url: request.url, body })
      response.writeHead(state.status, { connection: 'close' }).end('{}')
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { port, state, asked, close: () => new Promise(done => server.close(done)) }
}

async function reportOf(world: World): Promise<Report> {
  const reply = await world.as('pat').get('/api/status')
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json()
}
const of = ({ dependencies }: Report, name: string) => dependencies.find(each => each.name === name)!
const statuses = ({ dependencies }: Report) =>
  Object.fromEntries(dependencies.map(({ name, status }) => [name, status]))

describe('the health report', () => {
  let world: World
  let mail: Awaited<ReturnType<typeof openMailServer>>
  let model: Awaited<ReturnType<typeof modelServer>>
  before(async () => {
    mail = await openMailServer()
    model = await modelServer()
    world = await openWorld(
      {
        AI_PROVIDER: 'openai',
        AI_MODEL: 'a-model',
        AI_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
        AI_API_KEY: 'key-that-nobody-may-see',
        SMTP_URL: `smtp://mail-account:password-of-mail@127.0.0.1:${mail.port}`,
        MAIL_FROM: 'attest@example.com',
        BACKEND_RELEASE_SHA: 'abc123',
      },
      { embeddings: spellingModel },
    )
  })
  after(async () => {
    await world.close()
    await mail.close()
    await model.close()
  })

  // proves: HLTH-03, AUTH-07
  it('is for platform users with a second factor alone: 401 without a token, 403 for everybody else', async () => {
    const nobody = await world.server.inject('/api/status')
    assert.equal(nobody.statusCode, 401)
    assert.equal(nobody.headers['www-authenticate'], 'Bearer')
    for (const name of ['ada', 'quinn', 'otto', 'uma']) {
      const reply = await world.as(name).get('/api/status')
      assert.deepEqual(
        [reply.statusCode, reply.json()],
        [
          403,
          {
            detail: 'You need the permission platform.read_status.',
            code: 'permission_required',
            params: { permission: 'platform.read_status' },
          },
        ],
        name,
      )
    }
    const without = await world.as('pat').get('/api/status')
    assert.equal(without.statusCode, 403)
    assert.match(without.json().detail, /second factor/)
    await giveSecondFactor(world, 'pat')
    world.services.accounts.changed()
    assert.equal((await world.as('pat').get('/api/status')).statusCode, 200)
  })

  // proves: HLTH-03
  it(
    'names the seven dependencies, each with its status, response time and since when',
    steady(async () => {
      // A machine that stood still before is told of for two seconds.
      await until(async () => of(await reportOf(world), 'API endpoints').status === 'Operational')
      const report = await reportOf(world)
      assert.deepEqual(statuses(report), {
        Database: 'Operational',
        'Vector store': 'Operational',
        'AI integration': 'Operational',
        Storage: 'Operational',
        'API endpoints': 'Operational',
        'Email service': 'Operational',
        'Background workers': 'Not configured',
      })
      assert.equal(report.status, 'Operational')
      for (const { name, status, response_time_ms, checked_at, since, detail } of report.dependencies) {
        const isThere = status !== 'Not configured'
        assert.equal(typeof response_time_ms === 'number', isThere, name)
        // A provider without a list of models says nothing of the key.
        assert.equal(detail === null, isThere && name !== 'AI integration', name)
        assert.ok(since <= checked_at && checked_at <= String(report.time), name)
      }
      const { version, release, ai, mail: post, storage, workers } = report
      assert.deepEqual(
        { version, release, ai, post, storage, workers },
        {
          version: '1.0.0',
          release: 'abc123',
          ai: { provider: 'openai', model: 'a-model' },
          post: { configured: true, waiting: 0, failed: 0 },
          storage: { type: 'local', writable: true, used_bytes: 0, tenants_nearly_full: 0 },
          workers: { queue_depth: 0, oldest_job_seconds: null, schedules: [], queues: [] },
        },
      )
      assert.match(String(report.time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      assert.ok(Number.isInteger(report.uptime_seconds))
    }),
  )

  it(
    'keeps since when a dependency is as it is, and tells the log of each change once',
    steady(async () => {
      model.state.status = 200
      const first = of(await reportOf(world), 'AI integration')
      const from = world.lines.length
      model.state.status = 503
      const broken = of(await reportOf(world), 'AI integration')
      assert.deepEqual([broken.status, broken.detail], ['Degraded', 'It answers with status 503'])
      assert.ok(broken.since > first.since)
      const later = await reportOf(world)
      assert.equal(of(later, 'AI integration').since, broken.since)
      assert.equal(later.status, 'Degraded')
      model.state.status = 200
      const mended = of(await reportOf(world), 'AI integration')
      assert.deepEqual([mended.status, mended.detail], ['Operational', null])
      const ofStatus = world.lines.slice(from).filter(({ logger }) => logger === 'attest.status')
      const told = ofStatus.map(({ level, msg }) => [level, msg])
      assert.deepEqual(told, [
        ['warning', 'AI integration is Degraded: It answers with status 503'],
        ['info', 'AI integration is Operational'],
      ])
    }),
  )

  // proves: HLTH-03
  it(
    'says that the model is down where it refuses the key, and degraded where it is there and answers no question',
    steady(async () => {
      const { languageModel } = world.services
      const ask = () => languageModel!.answer({ system: 'Be brief.', prompt: 'Are you there?', max_output_tokens: 10 })
      const found = async () => {
        const { status, detail } = of(await reportOf(world), 'AI integration')
        return [status, detail]
      }
      model.state.status = 401
      assert.deepEqual(await found(), ['Down', 'It does not accept the key'])
      model.state.status = 500
      await assert.rejects(ask())
      model.state.status = 200
      assert.deepEqual(await found(), ['Degraded', 'Questions are not answered: It answers with status 500'])
      // It is there, says how it likes it to be asked, and so ends what was wrong: once it is asked at all again.
      model.state.status = 400
      const questions = model.asked.length
      await until(async () => {
        await assert.rejects(ask())
        return model.asked.length > questions
      })
      model.state.status = 200
      assert.deepEqual(await found(), ['Operational', null])
    }),
  )

  it(
    'says that the endpoints are degraded while everything waits for its turn',
    steady(async () => {
      await reportOf(world)
      const deadline = performance.now() + 3000
      while (performance.now() < deadline) {
        const blocked_until = performance.now() + 350
        while (performance.now() < blocked_until);
        await setImmediate()
      }
      const report = await reportOf(world)
      const { status, detail } = of(report, 'API endpoints')
      assert.equal(status, 'Degraded')
      assert.match(String(detail), /^Requests wait \d{3,} ms before they are processed$/)
      assert.equal(report.status, 'Degraded')
      await until(async () => of(await reportOf(world), 'API endpoints').status === 'Operational')
    }),
  )

  it('asks the model no question and the mail server for no letter, and shows neither a secret', async () => {
    const before = model.asked.length
    await reportOf(world)
    const asked = model.asked.slice(before)
    assert.ok(asked.length > 0)
    for (const { method, url, body } of asked) assert.deepEqual([method, url, body], ['GET', '/v1/models', ''])
    const told = JSON.stringify([await reportOf(world), world.lines])
    for (const secret of ['key-that-nobody-may-see', 'password-of-mail']) assert.ok(!told.includes(secret), secret)
    assert.deepEqual([...new Set(mail.heard)], ['EHLO attest.invalid', 'QUIT'])
  })

  it(
    'looks at the mail server once in a minute and at the storage once in 15 seconds, however many ask at the same moment',
    steady(async t => {
      // As when it has been looked at long ago, and then once.
      const now = performance.now.bind(performance)
      t.mock.method(performance, 'now', () => now() + 600_000)
      await reportOf(world)
      const greeted = mail.heard.length
      const checks: number[] = []
      const { check } = world.services.storage
      world.services.storage.check = async () => {
        checks.push(1)
        await check()
      }
      const asked = model.asked.length
      const reports = await Promise.all(Array.from({ length: 20 }, () => reportOf(world)))
      world.services.storage.check = check
      t.mock.restoreAll()
      assert.equal(mail.heard.length, greeted)
      assert.equal(checks.length, 0)
      assert.ok(model.asked.length - asked >= 1 && model.asked.length - asked <= 3, `${model.asked.length - asked}`)
      assert.ok(reports.every(({ status }) => status === 'Operational'))
    }),
  )

  // proves: HLTH-01, HLTH-02, AUTH-06, HLTH-05
  it('is not what everybody is told, which is one word of it, and is not at /status', async () => {
    for (const url of ['/api/health', '/api/status/health']) {
      const reply = await world.server.inject(url)
      assert.deepEqual([reply.statusCode, reply.json()], [200, up], url)
    }
    for (const url of ['/status', '/status/', '/health'])
      assert.equal((await world.as('pat').get(url)).statusCode, 404, url)
  })
})

describe('where the model and the mail server are', () => {
  it('is refused at the start where it cannot work, without a word of a password', () => {
    const linesOf = (more: Record<string, string>) => {
      try {
        readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test', ...more })
        return []
      } catch (error) {
        return (error as ConfigError).lines
      }
    }
    const url = 'https://models.example/v1'
    const compatible = { AI_PROVIDER: 'openai-compatible', AI_MODEL: 'm', AI_BASE_URL: url }
    for (const right of [
      { ...compatible, SMTP_URL: 'smtps://a:b@mail.example', MAIL_FROM: 'a@b' },
      { AI_PROVIDER: 'openai', AI_MODEL: 'm', AI_API_KEY: 'k' },
      { ...compatible, AI_PROVIDER: 'none' },
      { ...compatible, AI_MAX_CONCURRENCY: '3', SERVER_LIMIT_CONCURRENCY: '4' },
    ])
      assert.deepEqual(linesOf(right), [])
    assert.deepEqual(linesOf({ AI_PROVIDER: 'x' }), [
      'AI_PROVIDER is "x": it must be one of none, openai, anthropic, openai-compatible',
    ])
    assert.deepEqual(linesOf({ AI_PROVIDER: 'openai-compatible' }), [
      'AI_MODEL is not set: AI_PROVIDER=openai-compatible needs it',
      'AI_BASE_URL is not set: AI_PROVIDER=openai-compatible needs it',
    ])
    assert.deepEqual(linesOf({ AI_PROVIDER: 'anthropic', AI_MODEL: 'm' }), [
      'AI_API_KEY is not set: AI_PROVIDER=anthropic needs it',
    ])
    assert.deepEqual(linesOf({ AI_BASE_URL: url, AI_MODEL: 'm', AI_API_KEY: 'secret' }), [
      'AI_MODEL is set without AI_PROVIDER',
      'AI_BASE_URL is set without AI_PROVIDER',
      'AI_API_KEY is set without AI_PROVIDER',
    ])
    assert.deepEqual(linesOf({ ...compatible, AI_BASE_URL: 'ftp://models.example' }), [
      'AI_BASE_URL is not an http:// or https:// URL',
    ])
    assert.deepEqual(linesOf({ ...compatible, AI_BASE_URL: 'https://a:secret@models.example' }), [
      'AI_BASE_URL must not hold a user name or a password',
    ])
    assert.deepEqual(linesOf({ ...compatible, AI_API_KEY: 'secret\nkey' }), [
      'AI_API_KEY has characters that a header cannot have',
    ])
    assert.deepEqual(linesOf({ ...compatible, AI_MAX_CONCURRENCY: '4', SERVER_LIMIT_CONCURRENCY: '4' }), [
      'AI_MAX_CONCURRENCY is 4: it must be less than SERVER_LIMIT_CONCURRENCY, or a model that hangs stops everything',
    ])
    for (const wrong of ['mail.example', 'https://u:secret@mail.example', 'smtp://'])
      assert.deepEqual(linesOf({ SMTP_URL: wrong, MAIL_FROM: 'a@b' }), ['SMTP_URL is not an smtp:// or smtps:// URL'])
  })
})

describe('nothing secret', () => {
  // proves: HLTH-01, HLTH-02, HLTH-03
  it(
    'is in any answer, also where each variable holds a secret and each dependency fails',
    steady(async () => {
      const secret = 'do-not-tell-anybody'
      const nobody = await silentServer()
      await nobody.close()
      const world = await openWorld({
        SECRET_KEY: `${secret}-0d1c2b3a495867718293a4b5c6d7e8f`,
        AI_PROVIDER: 'openai',
        AI_MODEL: 'a-model',
        AI_BASE_URL: `http://127.0.0.1:${nobody.port}/${secret}`,
        AI_API_KEY: secret,
        SMTP_URL: `smtp://${secret}:${secret}@127.0.0.1:${nobody.port}`,
        MAIL_FROM: 'attest@example.com',
        DATABASE_URL: `postgres://attest_app:${secret}@${secret}.invalid/attest`,
        MIGRATION_DATABASE_URL: `postgres://attest_owner:${secret}@${secret}.invalid/attest`,
        BACKEND_CORS_ORIGINS: `https://${secret}.example`,
        REGISTRATION_TENANT: secret,
        BOOTSTRAP_TENANT: secret,
        BOOTSTRAP_ADMIN_USERNAME: secret,
        BOOTSTRAP_ADMIN_EMAIL: `${secret}@example.org`,
        BOOTSTRAP_ADMIN_PASSWORD: secret,
      })
      try {
        await giveSecondFactor(world, 'pat')
        rmSync(join(world.folder, 'uploads'), { recursive: true })
        const report = await reportOf(world)
        assert.deepEqual(
          report.dependencies.filter(({ status }) => status === 'Down').map(({ name, detail }) => [name, detail]),
          [
            ['AI integration', 'The connection was refused'],
            ['Storage', 'Its folder or socket is not there'],
            ['Email service', 'The connection was refused'],
          ],
        )
        assert.deepEqual(report.storage, { type: 'local', writable: false, used_bytes: 0, tenants_nearly_full: 0 })
        assert.equal(report.status, 'Degraded')
        for (const [name, url] of [
          ['pat', '/api/status'],
          ['pat', '/api/health'],
          ['pat', '/api/status/health'],
          ['ada', '/api/status'],
        ] as const) {
          const reply = await world.as(name).get(url)
          for (const word of [secret, world.folder, '127.0.0.1', String(nobody.port), world.postgres.app.database!])
            assert.ok(!(reply.body + JSON.stringify(reply.headers)).includes(word), `${url} tells ${word}`)
        }
      } finally {
        await world.close()
      }
    }),
  )
})

describe('a dependency that does not answer', () => {
  let world: World
  let proxy: Awaited<ReturnType<typeof openFaultProxy>>
  let mail: Awaited<ReturnType<typeof silentServer>>
  let model: Awaited<ReturnType<typeof silentServer>>
  before(async () => {
    mail = await silentServer()
    model = await silentServer()
    world = await openWorld(
      {
        AI_PROVIDER: 'openai-compatible',
        AI_MODEL: 'a-model',
        AI_BASE_URL: `http://127.0.0.1:${model.port}`,
        SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        MAIL_FROM: 'attest@example.com',
      },
      {
        through: async app => {
          proxy = await openFaultProxy(app)
          return proxy.connection
        },
        embeddings: spellingModel,
      },
    )
    await giveSecondFactor(world, 'pat')
  })
  after(async () => {
    await world.close()
    await proxy.close()
    await mail.close()
    await model.close()
  })

  // proves: HLTH-04
  it(
    'is Down past its budget, and the others are as they are: the model and the mail server',
    steady(async () => {
      const [report, taken_ms] = await timed(() => reportOf(world))
      assert.deepEqual(statuses(report), {
        Database: 'Operational',
        'Vector store': 'Operational',
        'AI integration': 'Down',
        Storage: 'Operational',
        'API endpoints': 'Operational',
        'Email service': 'Down',
        'Background workers': 'Not configured',
      })
      for (const name of ['AI integration', 'Email service'])
        assert.deepEqual(
          [of(report, name).response_time_ms, of(report, name).detail],
          [null, 'No answer within 3 s'],
          name,
        )
      assert.ok(taken_ms < report_ms, `${taken_ms} ms`)
      // A connection that nobody gives up would keep the test waiting to its end.
      while (mail.connections() > 0) await setImmediate()
    }),
  )

  // proves: HLTH-04
  it(
    'is Down past its budget also where the file system hangs, which is then not asked twice',
    steady(async () => {
      // A file system that hangs for real takes a thread of the test with it.
      const fresh = await openWorld()
      const { check } = fresh.services.storage
      const asked: (() => void)[] = []
      fresh.services.storage.check = () => new Promise<void>(resolve => asked.push(resolve))
      try {
        await giveSecondFactor(fresh, 'pat')
        const [report, taken_ms] = await timed(() => reportOf(fresh))
        assert.equal(of(report, 'Storage').detail, 'No answer within 2 s')
        assert.deepEqual(report.storage, { type: 'local', writable: false, used_bytes: 0, tenants_nearly_full: 0 })
        assert.ok(taken_ms < report_ms, `${taken_ms} ms`)
        const again = await Promise.all([timed(() => reportOf(fresh)), timed(() => reportOf(fresh))])
        for (const [report, taken_ms] of again) {
          assert.equal(of(report, 'Storage').status, 'Down')
          assert.ok(taken_ms < report_ms, `${taken_ms} ms`)
        }
        assert.equal(asked.length, 1)
        fresh.services.storage.check = check
        asked[0]!()
        assert.equal(of(await reportOf(fresh), 'Storage').status, 'Operational')
      } finally {
        await fresh.close()
      }
    }),
  )

  // proves: HLTH-01, HLTH-02, HLTH-04
  it(
    'is the database: health is a 503 within 1.5 s, and an operator who was here before still gets the report',
    steady(async () => {
      await reportOf(world)
      proxy.swallow()
      try {
        for (const url of ['/api/health', '/api/status/health']) {
          const [reply, taken_ms] = await timed(async () => world.server.inject(url))
          assert.deepEqual([reply.statusCode, reply.json()], [503, down], url)
          assert.ok(taken_ms < 1500, `${url}: ${taken_ms} ms`)
        }
        // All at once: the model, the mail server and the database.
        const [report, taken_ms] = await timed(() => reportOf(world))
        assert.equal(report.status, 'Down')
        assert.deepEqual(
          report.dependencies.filter(({ status }) => status === 'Down').map(({ name, detail }) => [name, detail]),
          [
            ['Database', 'No answer within 1 s'],
            ['Vector store', 'No answer within 2 s'],
            ['AI integration', 'No answer within 3 s'],
            ['Email service', 'No answer within 3 s'],
          ],
        )
        assert.ok(taken_ms < report_ms, `${taken_ms} ms`)
      } finally {
        proxy.heal()
      }
      assert.deepEqual((await world.server.inject('/api/health')).json(), up)
      assert.equal(of(await reportOf(world), 'Database').status, 'Operational')
    }),
  )
})

describe('an operator whom the service remembers while the database is silent', () => {
  // proves: AUTH-07
  it('is forgotten at once by a change of users, after a quarter of an hour, and where the token has expired', async t => {
    let proxy!: Awaited<ReturnType<typeof openFaultProxy>>
    const world = await openWorld(
      {},
      {
        through: async app => {
          proxy = await openFaultProxy(app)
          return proxy.connection
        },
      },
    )
    try {
      await giveSecondFactor(world, 'pat')
      await reportOf(world)
      // A tenant's user is never remembered: their refusal is an entry of the trail, which needs the database.
      await world.as('ada').get('/api/status')
      const token = await world.tokenOf('pat')
      const ask = () => world.server.inject({ url: '/api/status', headers: { authorization: `Bearer ${token}` } })
      await proxy.close()
      const remembered = await ask()
      assert.equal(remembered.statusCode, 200, remembered.body)
      assert.equal(of(remembered.json(), 'Database').status, 'Down')
      assert.equal((await world.as('ada').get('/api/status')).statusCode, 500)
      world.clock.moved_ms = 9 * 3_600_000
      assert.equal((await ask()).statusCode, 401)
      world.clock.moved_ms = 0
      const now = performance.now.bind(performance)
      const later = t.mock.method(performance, 'now', () => now() + 16 * 60_000)
      assert.equal((await ask()).statusCode, 500)
      later.mock.restore()
      assert.equal((await ask()).statusCode, 200)
      world.services.accounts.changed()
      assert.equal((await ask()).statusCode, 500)
    } finally {
      await world.close()
    }
  })
})

describe('a PostgreSQL of our own', () => {
  // proves: HLTH-01, HLTH-02
  it(
    'that is frozen or gone makes health a 503 within 1.5 s, and a 200 again once it goes on',
    steady(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'attest-health-'))
      const config = readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test', DATA_DIR: folder, PORT: '0' })
      const service = await start(config, createLog({ format: 'json', level: 'critical', write() {} }))
      const signalAll = (signal: NodeJS.Signals) => {
        for (const pid of [main, ...childrenOf(main)]) process.kill(pid, signal)
      }
      const [line] = readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')
      const main = Number(line)
      try {
        const ask = () => timed(async () => service.server.inject('/api/health'))
        assert.deepEqual((await ask())[0].json(), up)
        signalAll('SIGSTOP')
        try {
          for (let again = 0; again < 3; again++) {
            const [frozen, taken_ms] = await ask()
            assert.deepEqual([frozen.statusCode, frozen.json()], [503, down])
            assert.ok(taken_ms < 1500, `${taken_ms} ms`)
          }
        } finally {
          signalAll('SIGCONT')
        }
        assert.deepEqual((await ask())[0].json(), up)
        process.kill(main, 'SIGINT')
        await service.died
        const [gone, taken_ms] = await ask()
        assert.deepEqual([gone.statusCode, gone.json()], [503, down])
        assert.ok(taken_ms < 1500, `${taken_ms} ms`)
      } finally {
        await service.close()
        rmSync(folder, { recursive: true })
      }
    }),
  )

  const childrenOf = (pid: number) =>
    spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .stdout.split('\n')
      .map(line => line.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === pid)
      .map(([child]) => child!)
})
