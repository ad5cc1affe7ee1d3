// The log of a request, in both formats, and the data that it never contains.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createLog, type LogFormat, type LogLevel } from '#platform/log/log.ts'
import { requestContext } from '#platform/log/request-context.ts'
import { addRecords, callerOf, pathOf, type Records, sampleRequest, send } from '#test/builders/samples.ts'
import { closeEdges, openConnection, openEdge } from '#test/fakes/edge.ts'
import { openWorld, type World } from '#test/world/world.ts'

after(closeEdges)

const written = (format: LogFormat, level: LogLevel = 'debug') => {
  const lines: string[] = []
  return { lines, log: createLog({ format, level, write: line => lines.push(line) }) }
}

describe('a line of the log', () => {
  // proves: LOG-03
  it('as JSON has the names that are specified, and whatever else it is given', () => {
    const { lines, log } = written('json')
    log.info('started')
    const cause = Object.assign(new TypeError('inner'), { code: '40P01', detail: 'Key (email)=(a@b) exists' })
    requestContext.run({ request_id: 'abcdefgh', tenant_id: 2, user_id: 7 }, () =>
      log.child({ logger: 'app.errors' }).error({ err: new RangeError('outer', { cause }), colour: 'red' }, 'broken'),
    )
    const [first, second] = lines.map(line => JSON.parse(line))
    const { ts, ...rest } = first
    assert.match(ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, { level: 'info', logger: 'attest', msg: 'started', request_id: '' })
    const { exc, ts: _ts, ...told } = second
    assert.deepEqual(told, {
      level: 'error',
      logger: 'app.errors',
      msg: 'broken',
      request_id: 'abcdefgh',
      tenant_id: 2,
      user_id: 7,
      colour: 'red',
      exc_type: 'RangeError',
    })
    assert.match(exc, /^RangeError: outer\n {4}at [\s\S]+caused by TypeError: inner\n {4}at /)
    assert.doesNotMatch(exc, /a@b/)
  })

  // proves: LOG-04
  it('as text is time, level, logger, message and request id, with the traceback indented below', () => {
    const { lines, log } = written('text')
    requestContext.run({ request_id: 'abcdefgh', tenant_id: 2 }, () => log.warn('careful'))
    log.error({ err: new Error('broken') }, 'broken')
    assert.match(lines[0]!, /^\d{4}-\S+Z WARNING {2}attest careful \[request_id=abcdefgh\] tenant_id=2\n$/)
    const [head, ...below] = lines[1]!.trimEnd().split('\n')
    assert.match(head!, /^\d{4}-\S+Z ERROR {4}attest broken \[request_id=\] exc_type=Error$/)
    assert.ok(below.length > 1 && below.every(line => line.startsWith('    ')))
  })

  // proves: LOG-02
  it('is written from its level upwards, by the five names', () => {
    const names = ['debug', 'info', 'warning', 'error', 'critical'] as const
    for (const [index, level] of names.entries()) {
      const { lines, log } = written('json', level)
      log.debug('x')
      log.info('x')
      log.warn('x')
      log.error('x')
      log.fatal('x')
      assert.deepEqual(
        lines.map(line => JSON.parse(line).level),
        names.slice(index),
      )
    }
  })

  it('ends where causes go round in a circle, and names all that a host with several addresses refused', () => {
    const { lines, log } = written('json')
    const one = new Error('one')
    one.cause = new Error('two', { cause: one })
    log.error({ err: one }, 'round')
    assert.ok(lines[0]!.length < 20_000)
    log.error({ err: new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')]) }, 'none')
    assert.match(lines[1]!, /refused by ::1.*refused by 127\.0\.0\.1/)
  })

  // proves: LOG-03, LOG-04
  it('is one line, and steers no terminal, whatever a value says', () => {
    const nasty = 'a\nERROR app.errors b\r\u2028\u2029\u0085\u001b[31mred\u009b31m\u007f\u0000\u202e\ud800'
    for (const format of ['json', 'text'] as const) {
      const { lines, log } = written(format)
      log.info({ user: nasty, nested: { deep: [nasty] } }, nasty)
      const [line] = lines
      assert.equal(line!.indexOf('\n'), line!.length - 1, format)
      assert.doesNotMatch(line!.slice(0, -1), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u, format)
      if (format === 'json') assert.equal(JSON.parse(line!).user, nasty)
    }
  })
})

describe('LOG_LEVEL=warning', () => {
  // proves: LOG-02
  it('hides access lines, of what cannot be read too', async () => {
    for (const [level, count] of [
      ['info', 2],
      ['warning', 0],
    ] as const) {
      const { lines, listen, app } = await openEdge({ LOG_LEVEL: level })
      const port = await listen()
      await openConnection(port, 'GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n').ended
      await openConnection(port, 'nonsense\r\n\r\n').ended
      assert.equal(lines.length, count)
      await app.close()
    }
  })
})

describe('what is logged of requests', () => {
  let world: World
  let records: Records
  before(async () => {
    world = await openWorld({
      REGISTRATION_ENABLED: 'true',
      REGISTRATION_TENANT: 'acme',
      PUBLIC_URL: 'https://qms.example',
    })
    records = await addRecords(world)
  })
  after(() => world.close())

  const linesOf = async (work: () => Promise<unknown>) => {
    const from = world.lines.length
    await work()
    return world.lines.slice(from)
  }

  // proves: LOG-03, RID-03
  it('is an access line, with tenant and user from when they are known: after a refusal too, never before', async () => {
    const { ada, uma } = world.people
    const ask = (url: string, headers: Record<string, string>) => world.server.inject({ url, headers })
    const bearer = async (name: string) => ({ authorization: `Bearer ${await world.tokenOf(name)}` })
    for (const [url, headers, status, who] of [
      ['/api/users/?q=x', await bearer('ada'), 200, ada],
      ['/api/users/', await bearer('uma'), 403, uma],
      ['/api/documents/999999999', await bearer('ada'), 404, ada],
      ['/api/users/', {}, 401, undefined],
      ['/api/health', await bearer('ada'), 200, undefined],
    ] as const) {
      const lines = await linesOf(() => ask(url, { ...headers, 'x-request-id': 'of.this.request' }))
      const [{ ts: _ts, duration_ms, ...line }, ...more] = lines as [Record<string, unknown>]
      assert.deepEqual(more, [])
      assert.equal(typeof duration_ms, 'number')
      assert.deepEqual(line, {
        level: 'info',
        logger: 'server.access',
        msg: `GET ${url} ${status}`,
        request_id: 'of.this.request',
        http_method: 'GET',
        path: url,
        status_code: status,
        client_addr: '127.0.0.1',
        ...(who && { tenant_id: who.tenant_id, user_id: who.id }),
      })
    }
  })

  // proves: RID-03
  it('is told apart, however many are under way at once', async () => {
    const names = ['ada', 'quinn', 'petra', 'alan', 'rex', 'rob']
    const lines = await linesOf(() =>
      Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          world.as(names[index % 6]!).get('/api/documents/', { 'x-request-id': `by-${names[index % 6]}-${index}` }),
        ),
      ),
    )
    assert.equal(lines.length, 60)
    for (const { request_id, user_id, tenant_id } of lines) {
      const { id, tenant_id: tenant } = world.people[String(request_id).split('-')[1]!]!
      assert.deepEqual([user_id, tenant_id], [id, tenant])
    }
  })

  // proves: LOG-06
  it('is nothing of headers and bodies, in any line of any route, of success or refusal', async () => {
    const canary = `canary${randomBytes(6).toString('hex')}`
    /** A word more in each text, and a field too many. */
    const marked = (value: unknown): unknown => {
      if (typeof value === 'string') return `${value} ${canary}`
      if (Array.isArray(value)) return value.map(marked)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, marked(each)]))
    }
    const headers = { cookie: canary, 'x-anything': canary, 'user-agent': canary, referer: canary, 'if-match': canary }
    let asked = 0
    const lines = await linesOf(async () => {
      for (const route of world.app.routes) {
        const request = sampleRequest(route, records, { whole: true })
        const token = await world.tokenOf(callerOf(route))
        for (const body of [
          { [canary]: 1 },
          marked(request.body ?? {}),
          { ...request.body, password: canary, note: canary },
        ]) {
          const changed = request.form
            ? { ...request, form: marked(request.form) as Record<string, unknown> }
            : { ...request, body: body as Record<string, unknown> }
          await send(world, route, changed, { token, headers })
          asked += 1
        }
        await world.server.inject({
          method: route.method as 'GET',
          url: pathOf(route.url, 1),
          headers: { ...headers, authorization: `Bearer ${canary}`, 'content-type': 'application/json' },
          payload: `{"broken": "${canary}"`,
        })
      }
    })
    assert.ok(asked > 100 && lines.length >= asked, `${asked} requests, ${lines.length} lines`)
    assert.deepEqual(
      lines.filter(line => JSON.stringify(line).includes(canary)),
      [],
    )
  })

  // proves: LOG-06
  it('has the path with its query, as it was sent', async () => {
    const [line] = await linesOf(() => world.server.inject('/api/nothing?q=%0A%1b[31m&x=%C3%A4'))
    assert.equal(line!.path, '/api/nothing?q=%0A%1b[31m&x=%C3%A4')
  })
})
