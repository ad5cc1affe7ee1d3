// The reports of the service to an error tracker of the test's own, which keeps every byte.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import { getGlobalScope } from '@sentry/core'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { command, openAction, query } from '#action'
import { messages } from '#action/messages.ts'
import { mount, openRoute, route } from '#http'
import { conflict } from '#kernel/errors.ts'
import { authenticator } from '#modules/accounts'
import { openSentry } from '#platform/error-tracking/sentry.ts'
import { requestContext } from '#platform/log/request-context.ts'
import { openIngest } from '#test/fakes/ingest.ts'
import { noLimits } from '#test/fakes/no-limits.ts'
import { timed } from '#test/world/steadily.ts'
import { openWorld, type World } from '#test/world/world.ts'

const anything = Type.Object({})
const nothing = Type.Object({})
const same = new Error('the same error again')

/** The failures, by the last part of their path. */
const failures = {
  bug(): never {
    const password = 'LOCAL-VALUE'
    const cause = new TypeError('the cause of it')
    throw new Error(`calling https://h/p?token=MESSAGE-VALUE failed after ${password.length}`, { cause })
  },
  same(): never {
    throw same
  },
  text(): never {
    throw 'TEXT-VALUE'
  },
  refusal(): never {
    throw conflict(messages.conflicting_change())
  },
}

/** The whole service, and beside its own routes some that fail. */
async function openFailing(environment: Record<string, string>) {
  const world = await openWorld({ BACKEND_RELEASE_SHA: 'abc1234', ...environment })
  const { services } = world
  const shape = { permission: 'documents.read', input: { query: anything }, response: nothing } as const
  const routes = Object.entries(failures).map(([name, run]) =>
    route('GET', `/api/test/${name}`, query({ ...shape, summary: name, run: async () => run() })),
  )
  const inDatabase = query({
    ...shape,
    summary: 'Fails in the database',
    run: async ({ tx }) => {
      try {
        return await sql<object>`select ${'ROW-VALUE'}::text::integer`.execute(tx)
      } catch (cause) {
        throw new Error(`not stored: ${(cause as Error).message}`, { cause })
      }
    },
  })
  const withBody = command({ ...shape, input: { body: anything }, summary: 'Fails', run: async () => failures.bug() })
  const open = openAction({ summary: 'Fails', input: { query: anything }, response: nothing, run: failures.bug })
  const authenticate = authenticator(services.accounts, services.keys, services.clock)
  mount(
    world.server,
    [
      ...routes,
      route('GET', '/api/test/database/:id', inDatabase),
      route('POST', '/api/test/body', withBody),
      openRoute('GET', '/api/auth/fails', open),
    ],
    { services, authenticate, limits: noLimits, uploadTypes: async () => [] },
  )
  return world
}

const errorLines = (world: World) => world.lines.filter(({ logger }) => logger === 'app.errors')

describe('an error that nobody handled', () => {
  let ingest: Awaited<ReturnType<typeof openIngest>>
  let world: World
  before(async () => {
    ingest = await openIngest()
    world = await openFailing({ ERRORTRACKER_DSN: ingest.dsn, ERRORTRACKER_TRACES_SAMPLE_RATE: '0' })
  })
  after(async () => {
    await world.close()
    await ingest.close()
  })
  afterEach(() => {
    ingest.clear()
    world.lines.length = 0
    getGlobalScope().clearBreadcrumbs().setExtra('deep', undefined)
  })

  // proves: TRK-01, TRK-02, RID-03, LOG-05
  it('is one event and one line, with the same request id', async () => {
    const reply = await world.as('quinn').get('/api/test/bug', { 'x-request-id': 'request-0001' })
    assert.equal(reply.statusCode, 500)
    await ingest.received(1)
    const [event, ...others] = ingest.events()
    assert.deepEqual(others, [])
    assert.deepEqual(event!.tags, { request_id: 'request-0001', tenant_id: world.people.quinn!.tenant_id })
    assert.deepEqual(event!.user, { id: world.people.quinn!.id })
    assert.equal(event!.release, 'abc1234')
    assert.equal(event!.environment, 'development')
    assert.equal(event!.transaction, 'GET /api/test/bug')
    const told = event!.exception.values.map(({ type, value }: Record<string, string>) => `${type}: ${value}`)
    assert.deepEqual(told, [
      'TypeError: the cause of it',
      'Error: calling https://h/p?token=[Filtered] failed after 11',
    ])
    const frames = event!.exception.values[1].stacktrace.frames
    assert.match(frames.at(-1).filename, /error-tracking\.test\.ts$/)
    const lines = errorLines(world)
    assert.equal(lines.length, 1)
    assert.equal(lines[0]!.level, 'error')
    assert.equal(lines[0]!.request_id, 'request-0001')
    assert.equal(reply.json().request_id, 'request-0001')
  })

  it('is an event each time, also where it is the same object', async () => {
    await Promise.all([world.as('quinn').get('/api/test/same'), world.as('ada').get('/api/test/same')])
    await ingest.received(2)
    assert.equal(ingest.events().length, 2)
    assert.equal(new Set(ingest.events().map(({ tags }) => tags.request_id)).size, 2)
  })

  // proves: TRK-03, TRK-04, TRK-05, TRK-06
  it('is told without body, cookies, secret headers, secret parameters and the values of variables', async () => {
    const secret = {
      cookie: 'a=COOKIE-VALUE',
      'x-api-key': 'HEADER-VALUE',
      'x-csrf-token': 'HEADER-VALUE',
      'client-secret': 'HEADER-VALUE',
      referer: 'https://user:USER-VALUE@h/?code=REFERER-VALUE',
    }
    const parameters = 'q=kept&access_token=QUERY-VALUE&%74oken=QUERY-VALUE&user[email]=QUERY-VALUE'
    await world.as('quinn').get(`/api/test/bug?${parameters}`, { ...secret, 'user-agent': 'a browser' })
    // Each is sent by itself, so that the second may be there before the first.
    await ingest.received(1)
    await world.as('quinn').post('/api/test/body', { password: 'BODY-VALUE', title: 'BODY-VALUE' }, secret)
    await ingest.received(2)
    const token = (await world.tokenOf('quinn')).split('.')[2]!
    const everything = ingest.raw.join('\n')
    assert.doesNotMatch(everything, /VALUE/)
    assert.ok(!everything.includes(token) && !everything.includes('eyJ'))
    const [{ request }] = ingest.events() as [{ request: { url: string; headers: Record<string, string> } }]
    assert.match(request.url, /\/api\/test\/bug\?q=kept&access_token=\[Filtered\]&/)
    assert.equal(request.headers['user-agent'], 'a browser')
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-csrf-token', 'client-secret'])
      assert.ok(!(name in request.headers), name)
  })

  it('below /api/auth is told without its query', async () => {
    const paths = ['/api/auth/fails?x=QUERY-VALUE', '/api/%61uth/fails?x=QUERY-VALUE']
    for (const [before, path] of paths.entries()) {
      const reply = await world.server.inject({ method: 'GET', url: path })
      assert.equal(reply.statusCode, 500)
      await ingest.received(before + 1)
    }
    assert.doesNotMatch(ingest.raw.join('\n'), /VALUE|\?x/)
    assert.match(ingest.events()[0]!.request.url, /\/api\/auth\/fails$/)
  })

  it('of the database is told without the values of the row, also where another message repeats them', async () => {
    assert.equal((await world.as('quinn').get('/api/test/database/7')).statusCode, 500)
    await ingest.received(1)
    assert.doesNotMatch(ingest.raw.join('\n'), /VALUE/)
    const values = ingest.events()[0]!.exception.values.map(({ value }: Record<string, string>) => value)
    assert.deepEqual(values, ['Database error: code 22P02', 'Database error'])
    assert.equal(ingest.events()[0]!.transaction, 'GET /api/test/database/:id')
  })

  it('need not be an error', async () => {
    assert.equal((await world.as('quinn').get('/api/test/text')).statusCode, 500)
    await ingest.received(1)
    assert.doesNotMatch(ingest.raw.join('\n'), /VALUE/)
    assert.equal(errorLines(world).length, 1)
  })

  it('is told alone: no refusal, no unknown path, nothing that went well', async () => {
    await world.as('quinn').get('/api/test/refusal')
    await world.as('quinn').get('/api/test/nowhere')
    await world.as('quinn').get('/api/documents/')
    await world.server.inject({ method: 'GET', url: '/api/documents/' })
    await world.as('quinn').get('/api/test/same')
    await ingest.received(1)
    assert.equal(ingest.raw.length, 1)
    assert.deepEqual(
      ingest.items.map(({ type }) => type),
      ['event'],
    )
    assert.match(ingest.raw[0]!, /the same error again/)
  })

  it('is scrubbed of what other libraries leave with the client', async () => {
    getGlobalScope().addBreadcrumb({ message: 'GET https://h/?otp=CRUMB-VALUE', data: { password: 'CRUMB-VALUE' } })
    getGlobalScope().setExtras({ deep: [{ api_key: 'EXTRA-VALUE' }] })
    await world.as('quinn').get('/api/test/same')
    await ingest.received(1)
    assert.doesNotMatch(ingest.raw.join('\n'), /VALUE/)
    assert.match(ingest.events()[0]!.breadcrumbs[0].message, /\[Filtered\]/)
  })
})

// proves: TRK-01
describe('the share of requests that is traced', () => {
  for (const [rate, expected] of Object.entries({ 1: 3, 0: 0 })) {
    it(`is ${rate} where that is asked for`, async () => {
      const ingest = await openIngest()
      const world = await openFailing({ ERRORTRACKER_DSN: ingest.dsn, ERRORTRACKER_TRACES_SAMPLE_RATE: rate })
      try {
        await world.as('quinn').get('/api/documents/?q=kept', { 'x-request-id': 'request-0002' })
        await world.as('quinn').get('/api/documents/999?token=QUERY-VALUE')
        await world.server.inject({ method: 'GET', url: '/api/auth/me?x=QUERY-VALUE' })
        await world.services.tracker.close()
        const told = ingest.transactions()
        assert.equal(told.length, expected)
        assert.doesNotMatch(ingest.raw.join('\n'), /VALUE/)
        if (expected === 0) return
        const [first] = told
        assert.equal(first!.transaction, 'GET /api/documents/')
        assert.equal(first!.tags.request_id, 'request-0002')
        assert.equal(first!.release, 'abc1234')
        assert.deepEqual(
          told.map(({ contexts }) => contexts.trace.data['http.response.status_code']),
          [200, 422, 401],
        )
        assert.ok(first!.timestamp > first!.start_timestamp && first!.timestamp - first!.start_timestamp < 30)
      } finally {
        await world.close()
        await ingest.close()
      }
    })
  }
})

// proves: TRK-08
describe('a scrubber that fails', () => {
  it('lets nothing out: no error, no transaction, no breadcrumb, no event about the failure itself', async () => {
    const ingest = await openIngest()
    const warnings: string[] = []
    const log = { info() {}, warn: (line: string) => warnings.push(line), error() {} }
    const tracker = openSentry(
      {
        dsn: ingest.dsn,
        traces_sample_rate: 1,
        release: '',
        environment: 'test',
        scrub() {
          throw new Error('SCRUBBER-VALUE')
        },
      },
      log,
    )
    const request = { method: 'GET', url: 'http://h/?token=VALUE', route: '/', headers: {} }
    requestContext.run({ request_id: 'request-0003' }, () => {
      getGlobalScope().addBreadcrumb({ message: 'VALUE' })
      tracker.capture(new Error('VALUE', { cause: new Error('VALUE') }), request)
      tracker.trace(request, { status: 200, duration_ms: 5 })
      tracker.capture(new Error('VALUE'))
    })
    getGlobalScope().clearBreadcrumbs()
    await tracker.close()
    assert.deepEqual(ingest.raw, [])
    assert.equal(warnings.length, 3)
    assert.doesNotMatch(warnings.join(), /VALUE/)
    await ingest.close()
  })

  it('is no matter of the request, nor is an error that cannot even be read', async () => {
    const ingest = await openIngest()
    const warnings: string[] = []
    const log = { info() {}, warn: (line: string) => warnings.push(line), error() {} }
    const tracker = openSentry({ dsn: ingest.dsn, traces_sample_rate: 1, release: '', environment: 'test' }, log)
    const unreadable = new Error('a')
    Object.defineProperty(unreadable, 'message', {
      get() {
        throw new Error('VALUE')
      },
    })
    tracker.capture(unreadable)
    await tracker.close()
    assert.deepEqual(ingest.raw, [])
    assert.equal(warnings.length, 1)
    await ingest.close()
  })
})

describe('requests', () => {
  /** All at once, more than the client keeps waiting. */
  const failMany = async (world: World) => {
    const begun = performance.now()
    const replies = await Promise.all(Array.from({ length: 100 }, () => world.as('quinn').get('/api/test/same')))
    assert.ok(replies.every(({ statusCode }) => statusCode === 500))
    return performance.now() - begun
  }

  it('are answered as ever while the tracker is down', async () => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as { port: number }
    listener.close()
    await once(listener, 'close')
    const world = await openFailing({ ERRORTRACKER_DSN: `http://public@127.0.0.1:${port}/1` })
    assert.ok((await failMany(world)) < 30_000)
    assert.equal(errorLines(world).length, 100)
    await world.close()
  })

  for (const answer of ['hang', 500, 429] as const) {
    it(`are answered as ever while the tracker ${answer === 'hang' ? 'never answers' : `says ${answer}`}`, async () => {
      const ingest = await openIngest()
      ingest.state.answer = answer
      const world = await openFailing({ ERRORTRACKER_DSN: ingest.dsn })
      assert.ok((await failMany(world)) < 30_000)
      await ingest.received(1)
      const [, closed_ms] = await timed(() => world.services.tracker.close())
      assert.ok(closed_ms < 4_000, 'the end waits for two seconds at most, and somewhat on a busy machine')
      assert.equal((await world.as('quinn').get('/api/documents/')).statusCode, 200)
      await world.close()
      await ingest.close()
    })
  }
})
