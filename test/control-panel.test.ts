import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import Fastify from 'fastify'
import { pagesPolicy, servePages } from '#http/pages.ts'
import { serveWelcome } from '#http/welcome.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

describe('the operator page', () => {
  let world: World
  before(async () => {
    await buildWeb()
    world = await openWorld()
  })
  after(() => world.close())

  it('is built once, and again only when its sources change', async () => {
    assert.equal(await buildWeb(), false)
  })

  // proves: HLTH-06
  it('is at /control-panel/ without a token, and refers to nothing outside and nothing that is not there', async () => {
    for (const url of ['/control-panel/', '/control-panel']) {
      const reply = await world.server.inject(url)
      assert.equal(reply.statusCode, 200, url)
      assert.match(String(reply.headers['content-type']), /^text\/html/)
      assert.equal(reply.headers['content-security-policy'], pagesPolicy)
      assert.equal(reply.headers['cache-control'], 'no-cache')
      assert.match(String(reply.headers['x-request-id']), /^[0-9a-f]{32}$/)
      const references = [...reply.body.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference!)
      assert.ok(references.length >= 3)
      for (const reference of references) {
        assert.match(reference, /^\/(assets\/|icon\.svg$|theme\.js$)/)
        const asset = await world.server.inject(reference)
        assert.equal(asset.statusCode, 200, reference)
        if (reference.includes('/assets/'))
          assert.equal(asset.headers['cache-control'], 'public, max-age=31536000, immutable', reference)
      }
      assert.doesNotMatch(
        reply.body,
        /<style|<script(?![^>]* src=)| style="| on\w+="/,
        'nothing that the policy forbids',
      )
    }
  })

  it('is all that is served from its folder', async () => {
    for (const url of [
      '/control-panel/.built-from',
      '/control-panel/nothing',
      '/control-panel/assets/',
      '/index.html',
      '/assets',
      '/assets/nothing.js',
      '/.built-from',
      '/src/main.tsx',
      '/control-panel/../package.json',
      '/control-panel/..%2f..%2fpackage.json',
      '/control-panel/%2e%2e/src/main.tsx',
      '/control-panel/src/main.tsx',
    ])
      assert.equal((await world.server.inject(url)).statusCode, 404, url)
    assert.equal((await world.server.inject({ url: '/control-panel/', method: 'POST' })).statusCode, 404)
  })

  it('says what to do where it is not built, and keeps nothing else from being served', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'attest-pages-'))
    const told: string[] = []
    const app = Fastify()
    await servePages(app, { info() {}, error() {}, warn: line => told.push(line) }, { root: folder })
    const reply = await app.inject('/control-panel/')
    assert.equal(reply.statusCode, 503)
    assert.match(reply.body, /npm run build/)
    assert.deepEqual(told, [], 'nothing listens yet')
    await app.listen({ host: '127.0.0.1', port: 0 })
    assert.deepEqual(told, ['the web pages are not built: run npm run build and start again'])
    await app.close()
    rmSync(folder, { recursive: true })
  })
})

describe('the application', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  let world: World
  before(async () => {
    await buildWeb()
    world = await openWorld()
  })
  after(() => world.close())

  // proves: AUTH-06
  it("is at every address that is nobody else's, for who asks for HTML", async () => {
    for (const url of ['/', '/documents', '/documents/7?tab=timeline', '/sign-in', '/nothing/here'])
      for (const method of ['GET', 'HEAD'] as const) {
        const reply = await world.server.inject({ url, method, headers: browser })
        assert.equal(reply.statusCode, 200, url)
        assert.match(String(reply.headers['content-type']), /^text\/html/, url)
        assert.equal(reply.headers['content-security-policy'], pagesPolicy, url)
        assert.equal(reply.headers['cache-control'], 'no-cache', url)
        assert.equal(reply.headers.vary, 'accept', url)
      }
    const { body } = await world.server.inject({ url: '/', headers: browser })
    assert.doesNotMatch(body, /<style|<script(?![^>]* src=)| style="| on\w+="|attest-demo/)
    for (const [, reference] of body.matchAll(/\b(?:src|href)="([^"]+)"/g))
      assert.equal((await world.server.inject(reference!)).statusCode, 200, reference)
  })

  it('leaves programs, files and the API their 404 in JSON', async () => {
    const asked = [
      ...['/', '/documents/7', '/nothing'].map(url => ({ url, accept: '*/*' })),
      ...['/api/nothing', '/api', '/docs/nothing', '/assets/nothing.js', '/control-panel/nothing'].map(url => ({
        url,
        ...browser,
      })),
    ]
    for (const { url, accept } of asked) {
      const reply = await world.server.inject({ url, headers: { accept } })
      assert.equal(reply.statusCode, 404, url)
      assert.equal(reply.json().code, 'no_such_endpoint', url)
    }
    for (const method of ['POST', 'PUT', 'DELETE'] as const)
      assert.equal((await world.server.inject({ url: '/documents', method, headers: browser })).statusCode, 404, method)
  })

  it('says who can log in where it is a demo, and nowhere else', async () => {
    const app = Fastify()
    const people = [{ username: 'nora', full_name: 'Nora "N" <Lindqvist>', role: 'Admin', can: 'a & b' }]
    await servePages(app, { info() {}, error() {}, warn() {} }, { demo: { password: 'public', people } })
    const { body } = await app.inject({ url: '/sign-in', headers: browser })
    const [, content] = /<meta name="attest-demo" content="([^"]*)" \/>/.exec(body)!
    assert.doesNotMatch(content!, /[<>]/)
    const entities: Record<string, string> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' }
    const told = JSON.parse(content!.replaceAll(/&\w+;/g, entity => entities[entity]!))
    assert.deepEqual(told, { password: 'public', people })
    await app.close()
  })
})

describe('the address of the service without built pages', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const open = (docs: boolean) => {
    const app = Fastify()
    serveWelcome(app, { docs })
    return app
  }

  it('shows a person with a browser where to go on, and answers a program 404', async () => {
    const app = open(true)
    const { statusCode, headers, body } = await app.inject({ url: '/', headers: browser })
    assert.equal(statusCode, 200)
    assert.match(String(headers['content-type']), /^text\/html/)
    assert.deepEqual(
      [...body.matchAll(/ href="([^"]+)"/g)].map(([, link]) => link),
      ['/docs/'],
    )
    assert.match(body, /npm run build/)
    const [, style] = /<style>(.*)<\/style>/s.exec(body)!
    const allowed = createHash('sha256').update(style!).digest('base64')
    assert.ok(
      String(headers['content-security-policy']).startsWith(`default-src 'none'; style-src 'sha256-${allowed}';`),
    )
    assert.doesNotMatch(body, /<script|style=| on\w+=/)
    for (const accept of [undefined, '*/*', 'application/json'])
      assert.equal((await app.inject({ url: '/', headers: { ...(accept && { accept }) } })).statusCode, 404, accept)
    await app.close()
  })

  it('links no documentation that is switched off', async () => {
    const app = open(false)
    assert.doesNotMatch((await app.inject({ url: '/', headers: browser })).body, /href/)
    await app.close()
  })
})
