import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listenForScrapes } from '#platform/metrics/listener.ts'
import { openWorld, type World } from '#test/world/world.ts'

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** The text format 0.0.4, taken strictly: every line is known, every sample belongs to a type that was announced, none comes twice. */
function parseExposition(text: string): Sample[] {
  assert.ok(text.endsWith('\n'))
  const types = new Map<string, string>()
  const seen = new Set<string>()
  return text
    .split('\n')
    .filter(line => line !== '')
    .flatMap(line => {
      if (line.startsWith('# HELP ')) {
        assert.match(line, /^# HELP [a-z_][a-z0-9_]* \S/)
        return []
      }
      const type = /^# TYPE ([a-z_][a-z0-9_]*) (counter|gauge|histogram|summary)$/.exec(line)
      if (type) {
        assert.ok(!types.has(type[1]!), `${type[1]} has one type`)
        types.set(type[1]!, type[2]!)
        return []
      }
      const sample =
        /^([a-z_][a-z0-9_]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\+Inf|NaN|-?[0-9.e+-]+)$/.exec(line)
      assert.ok(sample, `not a line of the format: ${line}`)
      const [, name, labels = '', value] = sample as unknown as [string, string, string | undefined, string]
      assert.ok(types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram', name)
      assert.ok(!seen.has(`${name}{${labels}}`), `${line} comes twice`)
      seen.add(`${name}{${labels}}`)
      const pairs = [...labels.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, key, text]) => [key!, text!] as const)
      return [{ name, labels: Object.fromEntries(pairs), value: value === '+Inf' ? Infinity : Number(value) }]
    })
}

describe('the metrics', () => {
  let world: World
  let listener: Awaited<ReturnType<typeof listenForScrapes>>
  before(async () => {
    world = await openWorld({ METRICS_PORT: '0' })
    const metrics = world.app.metrics!
    const { contentType } = metrics
    listener = await listenForScrapes(world.services.config.metrics!, {
      contentType,
      render: () => metrics.metrics(),
      log: world.services.log,
    })
  })
  after(async () => {
    listener.close()
    await world.close()
  })
  const scrape = async () => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/metrics`)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
    return answer.text()
  }

  it('are all there in the format of Prometheus, requests by the template of their route', async () => {
    await world.as('ada').get(`/api/users/${world.people.uma!.id}`)
    await world.as('uma').get('/api/users/')
    await world.server.inject({ url: '/api/a-path-that-nobody-has' })
    await world.as('ada').upload('/api/documents/upload', { nothing: 'known' })
    const samples = parseExposition(await scrape())
    const of = (name: string, labels: Record<string, string> = {}) =>
      samples.filter(
        each => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
      )
    const counted = 'attest_http_request_duration_seconds_count'
    assert.equal(of(counted, { method: 'GET', route: '/api/users/:id', status: '2xx' })[0]!.value, 1)
    assert.equal(of(counted, { route: '/api/users/', status: '4xx' })[0]!.value, 1)
    assert.equal(of(counted, { route: 'none', status: '4xx' })[0]!.value, 1)
    assert.equal(of('attest_uploads_refused_total', { status: '422' })[0]!.value, 1)
    assert.deepEqual(
      of('attest_dependency_state')
        .filter(({ value }) => value === 1)
        .map(({ labels }) => String(labels.dependency))
        .sort(),
      ['AI integration', 'API endpoints', 'Background workers', 'Database', 'Email service', 'Storage', 'Vector store'],
    )
    assert.equal(of('attest_dependency_state', { dependency: 'Database', state: 'Operational' })[0]!.value, 1)
    for (const name of [
      'attest_http_requests_in_flight',
      'attest_http_requests_over_limit_total',
      'attest_database_connections',
      'attest_audit_unsealed_seconds',
      'attest_audit_sealing_stopped',
      'nodejs_eventloop_lag_seconds',
      'process_resident_memory_bytes',
      'process_open_fds',
    ])
      assert.ok(of(name).length > 0, name)
  })

  it('tell nothing of a tenant, of its people or of its records', async () => {
    const canary = 'zanzibar'
    await world.as('ada').get(`/api/users/?search=${canary}`)
    await world.as('ada').get(`/api/documents/${canary}`)
    await world.as('ada').get(`/${canary}`)
    await world.as('ada').post('/api/groups/', { name: canary, description: canary })
    const user = {
      username: canary,
      email: `${canary}@example.com`,
      full_name: canary,
      password: 'Correct horse 1 battery',
    }
    assert.equal((await world.as('ada').post('/api/users/', user)).statusCode, 201)
    const text = await scrape()
    for (const word of [canary, 'acme', 'rival', 'quinn', 'example.com']) assert.ok(!text.includes(word), word)
  })

  // proves: HLTH-04
  it('are looked for once by all who scrape side by side, and again only after a while', async () => {
    const { database } = world
    const ping = database.ping
    let looks = 0
    database.ping = async timeout_ms => {
      looks += 1
      return ping.call(database, timeout_ms)
    }
    try {
      await Promise.all(Array.from({ length: 20 }, scrape))
      await scrape()
    } finally {
      database.ping = ping
    }
    assert.ok(looks <= 3, `${looks} looks for 21 scrapes`)
  })

  // proves: AUTH-06
  it('are nowhere on the port of the service, and nothing else is on theirs', async () => {
    for (const url of ['/metrics', '/metrics/', '/api/metrics', '/control-panel/metrics']) {
      const { statusCode, body } = await world.server.inject({ url })
      assert.equal(statusCode, 404, url)
      assert.ok(!body.includes('# TYPE'), url)
    }
    for (const path of ['/', '/api/health', '/metrics/x'])
      assert.equal((await fetch(`http://127.0.0.1:${listener.port}${path}`)).status, 404, path)
    const posted = await fetch(`http://127.0.0.1:${listener.port}/metrics`, { method: 'POST', body: 'x' })
    assert.equal(posted.status, 405)
  })
})
