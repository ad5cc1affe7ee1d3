// The headers for browsers: which origins may read an answer, and how it may be used.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readConfig } from '#platform/config.ts'
import { closeEdges, openEdge } from '#test/fakes/edge.ts'
import { openWorld, type World } from '#test/world/world.ts'

const home = 'http://localhost:3000'

after(closeEdges)

describe('a page of another origin', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const preflight = (origin: string, method = 'PUT') =>
    world.server.inject({
      method: 'OPTIONS',
      url: '/api/documents/1',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,if-match',
      },
    })

  // proves: SVC-08, RID-01
  it('that is on the list may ask and read, the request id too, and without cookies', async () => {
    const asked = await preflight(home)
    assert.deepEqual([asked.statusCode, asked.body], [204, ''])
    assert.equal(asked.headers['access-control-allow-origin'], home)
    const methods = String(asked.headers['access-control-allow-methods']).split(', ')
    assert.deepEqual(methods, ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'])
    const used = new Set(world.app.routes.map(({ method }) => method as string))
    assert.deepEqual(
      [...used].filter(each => !methods.includes(each)),
      [],
      'every method that a route has',
    )
    assert.match(String(asked.headers['access-control-allow-headers']), /Authorization.*Content-Type.*If-Match/)
    assert.match(String(asked.headers['x-request-id']), /^[0-9a-f]{32}$/)
    for (const url of ['/api/health', '/api/documents/', '/api/nothing']) {
      const { headers } = await world.server.inject({ url, headers: { origin: home } })
      assert.equal(headers['access-control-allow-origin'], home, url)
      assert.match(String(headers['access-control-expose-headers']), /X-Request-ID/, url)
      assert.match(String(headers.vary), /Origin/, url)
      assert.equal(headers['access-control-allow-credentials'], undefined, url)
    }
  })

  // proves: SVC-08
  it('that is not on it may not: a stranger, a file, one that only looks alike', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      `${home}.evil.example`,
      'https://localhost:3000',
      'http://localhost',
      '*',
    ])
      for (const reply of [
        await preflight(origin),
        await world.server.inject({ url: '/api/health', headers: { origin } }),
      ]) {
        assert.equal(reply.headers['access-control-allow-origin'], undefined, origin)
        assert.equal(reply.headers['access-control-allow-credentials'], undefined, origin)
      }
  })

  // proves: SVC-08
  it('is one of the list in BACKEND_CORS_ORIGINS; without it the local frontend in development, nobody in production', () => {
    const of = (environment: Record<string, string>) =>
      readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-edge', ...environment }).cors_origins
    assert.deepEqual(of({}), [home, 'http://127.0.0.1:3000'])
    assert.deepEqual(of({ ENVIRONMENT: 'production' }), [])
    assert.deepEqual(of({ BACKEND_CORS_ORIGINS: 'https://a.example, https://b.example:8443' }), [
      'https://a.example',
      'https://b.example:8443',
    ])
    for (const wrong of ['*', 'null', 'a.example', 'https://a.example/', 'https://a.example/x'])
      assert.throws(() => of({ BACKEND_CORS_ORIGINS: wrong }), /BACKEND_CORS_ORIGINS/)
  })
})

describe('every answer', () => {
  it('tells the browser to make nothing of it: not another type, not a page in a frame, not a copy', async () => {
    const { app } = await openEdge()
    app.get('/throws', () => {
      throw new Error('no')
    })
    for (const [url, status] of [
      ['/nothing', 404],
      ['/%zz', 400],
      ['/throws', 500],
    ] as const) {
      const { statusCode, headers } = await app.inject(url)
      assert.equal(statusCode, status)
      assert.equal(headers['x-content-type-options'], 'nosniff', url)
      assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'", url)
      assert.equal(headers['referrer-policy'], 'no-referrer', url)
      assert.equal(headers['x-frame-options'], 'DENY', url)
      assert.equal(headers['cache-control'], 'no-store', url)
      assert.equal(headers['strict-transport-security'], undefined, 'there is no TLS')
    }
    await app.close()
  })
})

describe('the address of a client', () => {
  const ask = async (proxies: string, remoteAddress: string, headers: Record<string, string>) => {
    const { app, lines } = await openEdge({ TRUSTED_PROXIES: proxies })
    const reply = await app.inject({ url: '/nothing', remoteAddress, headers })
    await app.close()
    const [line] = lines.filter(({ logger }) => logger === 'server.access')
    return { client: line!.client_addr, hsts: reply.headers['strict-transport-security'] }
  }

  // proves: LOG-03
  it('is that of the connection, whatever it says of itself', async () => {
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    assert.deepEqual(await ask('', '198.51.100.1', forged), { client: '198.51.100.1', hsts: undefined })
    assert.deepEqual(await ask('10.0.0.0/8', '198.51.100.1', forged), { client: '198.51.100.1', hsts: undefined })
    assert.equal((await ask('', '::ffff:198.51.100.1', {})).client, '198.51.100.1')
  })

  it('is what a trusted proxy says: the last that no proxy of ours is, and nothing that is no address', async () => {
    const through = (chain: string) => ask('10.0.0.0/8, 192.0.2.7', '10.1.2.3', { 'x-forwarded-for': chain })
    assert.equal((await through('203.0.113.9')).client, '203.0.113.9')
    assert.equal((await through('1.1.1.1, 203.0.113.9, 192.0.2.7')).client, '203.0.113.9', 'a forged one before it')
    assert.equal((await through('2001:db8::1')).client, '2001:db8::1')
    assert.equal((await through('<script>')).client, '10.1.2.3')
    assert.equal((await ask('10.0.0.0/8', '10.1.2.3', { 'x-forwarded-proto': 'https' })).hsts, 'max-age=31536000')
  })

  // proves: OPS-02
  it('is asked of no proxy that is not named: everybody is no list', () => {
    const of = (proxies: string) => () =>
      readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-edge', TRUSTED_PROXIES: proxies })
    for (const wrong of ['true', '*', '0.0.0.0/0', '::/0', '10.0.0.0/33', 'proxy.example', '10.0.0.0/8/8', 'loopback'])
      assert.throws(of(wrong), /TRUSTED_PROXIES/, wrong)
    assert.deepEqual(of('10.0.0.0/8,::1, fd00::/8')().trusted_proxies, ['10.0.0.0/8', '::1', 'fd00::/8'])
  })
})

describe('HEAD', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  // proves: SVC-06
  it('is answered as GET is, and records no download', async () => {
    const head = async (url: string) =>
      world.server.inject({ method: 'HEAD', url, headers: { authorization: `Bearer ${await world.tokenOf('quinn')}` } })
    assert.deepEqual([(await head('/api/health')).statusCode, (await head('/api/documents/')).statusCode], [200, 200])
    assert.equal((await head('/api/health')).body, '')
    const uploaded = await world
      .as('quinn')
      .upload('/api/documents/upload', { title: 'Procedure', document_type: await world.typeId('SOP') })
    const { id } = uploaded.json()
    const before = await world.rows('select count(*) from audit_entries')
    const { statusCode, headers, body } = await head(`/api/documents/${id}/download`)
    assert.deepEqual([statusCode, body], [200, ''])
    assert.deepEqual(await world.rows('select count(*) from audit_entries'), before)
    for (const url of ['/api/training/matrix?format=csv', '/api/users/access-review?format=csv', '/api/audit/export'])
      assert.deepEqual([url, (await head(url)).statusCode], [url, url.includes('access') ? 403 : 200])
    const got = await world.as('quinn').get(`/api/documents/${id}/download`)
    const of = (each: typeof headers) => [
      each['content-length'],
      each['content-type'],
      each.etag,
      each['accept-ranges'],
    ]
    assert.deepEqual([got.statusCode, of(got.headers)], [200, of(headers)])
    assert.notDeepEqual(await world.rows('select count(*) from audit_entries'), before)
  })
})
