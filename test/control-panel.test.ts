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
      assert.equal(references.length, 3)
      for (const reference of references) {
        assert.match(reference, /^\/control-panel\//)
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
    await servePages(app, { info() {}, error() {}, warn: line => told.push(line) }, folder)
    const reply = await app.inject('/control-panel/')
    assert.equal(reply.statusCode, 503)
    assert.match(reply.body, /npm run build/)
    assert.deepEqual(told, [], 'nothing listens yet')
    await app.listen({ host: '127.0.0.1', port: 0 })
    assert.deepEqual(told, ['the control panel at /control-panel/ is not built: run npm run build and start again'])
    await app.close()
    rmSync(folder, { recursive: true })
  })
})

describe('the address of the service itself', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  // proves: AUTH-06
  it('shows a person with a browser where to go on, and answers a program 404', async () => {
    const world = await openWorld()
    try {
      const reply = await world.server.inject({ url: '/', headers: browser })
      assert.equal(reply.statusCode, 200)
      assert.match(String(reply.headers['content-type']), /^text\/html/)
      const links = [...reply.body.matchAll(/ href="([^"]+)"/g)].map(([, link]) => link!)
      assert.deepEqual(links, ['/docs/', '/control-panel/'])
      for (const link of links) assert.equal((await world.server.inject(link)).statusCode, 200, link)
      const [, style] = /<style>(.*)<\/style>/s.exec(reply.body)!
      const allowed = createHash('sha256').update(style!).digest('base64')
      assert.match(String(reply.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-[^']+';/)
      assert.ok(String(reply.headers['content-security-policy']).includes(`'sha256-${allowed}'`))
      assert.doesNotMatch(reply.body, /<script|style=| on\w+=/)
      for (const accept of [undefined, '*/*', 'application/json']) {
        const other = await world.server.inject({ url: '/', headers: { ...(accept && { accept }) } })
        assert.equal(other.statusCode, 404, accept)
        assert.deepEqual(other.json(), {
          detail: 'There is no such page or endpoint.',
          code: 'no_such_endpoint',
          params: {},
        })
      }
      assert.equal((await world.server.inject({ url: '/nothing', headers: browser })).statusCode, 404)
    } finally {
      await world.close()
    }
  })

  it('links neither documentation that is switched off nor a page that is not built', async () => {
    const app = Fastify()
    serveWelcome(app, { docs: false, controlPanel: false })
    const { statusCode, body } = await app.inject({ url: '/', headers: browser })
    assert.equal(statusCode, 200)
    assert.doesNotMatch(body, /href/)
    await app.close()
  })
})
