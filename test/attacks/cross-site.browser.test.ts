// Pages of other origins in a real browser, with the cookie of somebody who is logged in: what it sends, and what comes of it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Json } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

async function listen(server: Server) {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}
async function freePort() {
  const server = createServer()
  const port = await listen(server)
  await new Promise(done => server.close(done))
  return port
}

/** Texts, because what runs in a browser knows other types than what runs here. */
const inPage = `(async ({ method, url, body }) => {
  const reply = await fetch(url, { method, ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) })
  const text = await reply.text()
  return { status: reply.status, body: text ? JSON.parse(text) : null }
})`
const byFetch = `(async ({ url, options }) => {
  try {
    const reply = await fetch(url, { credentials: 'include', ...options })
    return { type: reply.type, text: await reply.text() }
  } catch (error) {
    return { type: 'failed', text: '' }
  }
})`
const byForm = `(({ url, enctype, name, value }) => {
  const frame = document.createElement('iframe')
  frame.name = 'answer'
  const form = document.createElement('form')
  Object.assign(form, { method: 'POST', action: url, enctype, target: 'answer' })
  const input = document.createElement('input')
  Object.assign(input, { name, value })
  form.append(input)
  document.body.append(frame, form)
  setTimeout(() => form.submit())
})`

// proves: SES-01
describe('a page of another origin', () => {
  let world: World
  let browser: Browser
  let context: BrowserContext
  let own: Page
  let origin: string
  let elsewhere: Server
  let origins: Record<'another site' | 'another port of the same host', string>
  before(async () => {
    const port = await freePort()
    origin = `http://localhost:${port}`
    world = await openWorld({ PUBLIC_URL: origin })
    await world.server.listen({ host: '127.0.0.1', port })
    elsewhere = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>Elsewhere</title><body></body>')
    })
    const other = await listen(elsewhere)
    origins = {
      'another site': `http://127.0.0.1:${other}`,
      // It is of the same site, so SameSite does not keep the cookie back.
      'another port of the same host': `http://localhost:${other}`,
    }
    browser = await chromium.launch({
      executablePath: process.env.TEST_CHROMIUM!,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    context = await browser.newContext()
    context.setDefaultTimeout(15_000)
    own = await context.newPage()
    // Its origin and policy alone are wanted.
    await own.route('**/*.js', route => route.abort())
    await own.goto(`${origin}/docs`)
    const begun = await request('POST', '/api/auth/session', { username: 'ada', password })
    assert.equal(begun.status, 204)
  })
  after(async () => {
    await browser?.close()
    await world.close()
    elsewhere.closeAllConnections()
    await new Promise(done => elsewhere.close(done))
  })

  const request = (method: string, url: string, body?: object) =>
    own.evaluate(`${inPage}(${JSON.stringify({ method, url, body })})`) as Promise<{ status: number; body: Json }>
  const groups = async () =>
    (await request('GET', '/api/groups/')).body.items.map(({ name }: { name: string }) => name) as string[]
  const denials = async () => (await world.rows(`select from audit_entries where action = 'access.denied'`)).length

  /** Opens the page of the attacker, does something there, and answers with the statuses that the service gave. */
  async function attack(from: string, act: (page: Page) => Promise<unknown>) {
    const page = await context.newPage()
    const statuses: number[] = []
    page.on('response', reply => {
      if (reply.url().startsWith(origin)) statuses.push(reply.status())
    })
    await page.goto(from)
    const found = await act(page)
    await page.close()
    return { statuses, found }
  }
  const submit = (url: string, enctype: string, name: string, value: string) => async (page: Page) => {
    const answered = page.waitForResponse(reply => reply.url().startsWith(origin))
    await page.evaluate(`${byForm}(${JSON.stringify({ url: origin + url, enctype, name, value })})`)
    await answered
  }
  const fetchThere = (url: string, options: object) => (page: Page) =>
    page.evaluate(`${byFetch}(${JSON.stringify({ url: origin + url, options })})`) as Promise<Json>

  it('is nothing to the service, while its own page does as it likes', async () => {
    assert.equal((await request('POST', '/api/groups/', { name: 'Made here' })).status, 201)
    assert.deepEqual(await groups(), ['Made here'])
  })

  const body = JSON.stringify({ name: 'Forged' })
  for (const which of ['another site', 'another port of the same host'] as const) {
    it(`submits forms that do nothing, from ${which}`, async () => {
      const before = await denials()
      const isSent = which === 'another port of the same host'
      // The cookie comes with a form of the same site alone, and is refused; without it nobody is logged in.
      const refused = isSent ? 403 : 401
      for (const form of [
        submit('/api/auth/logout', 'application/x-www-form-urlencoded', 'a', 'b'),
        submit('/api/auth/sessions/end-others', 'text/plain', 'a', 'b'),
        // The text of the body is JSON.
        submit('/api/groups/', 'text/plain', body.slice(0, -1) + ',"x":"', '"}'),
        submit('/api/groups/', 'multipart/form-data', 'name', 'Forged'),
      ]) {
        const { statuses } = await attack(origins[which], form)
        assert.ok(
          statuses.length > 0 && statuses.every(status => status === refused || status === 415),
          statuses.join(),
        )
      }
      assert.equal((await denials()) > before, isSent, 'the trail has what came with the cookie')
    })

    it(`sends nothing by a script that counts, and reads nothing, from ${which}`, async () => {
      const json = { 'content-type': 'application/json' }
      for (const [url, options] of [
        ['/api/auth/logout', { method: 'POST', mode: 'no-cors' }],
        ['/api/groups/', { method: 'POST', mode: 'no-cors', body, headers: { 'content-type': 'text/plain' } }],
        ['/api/groups/', { method: 'POST', body, headers: json }],
        ['/api/settings/', { method: 'PUT', body: '{"digest_hour":3}', headers: json }],
        ['/api/auth/me', {}],
        ['/api/groups/', {}],
      ] as const) {
        const before = await denials()
        const { statuses, found } = await attack(origins[which], fetchThere(url, options))
        const seen = found as { type: string; text: string }
        assert.ok(['failed', 'opaque'].includes(seen.type), `${url} ${JSON.stringify(seen)}`)
        assert.equal(seen.text, '', url)
        const isSent = 'mode' in options && which === 'another port of the same host'
        assert.equal((await denials()) - before, isSent ? 1 : 0, `${url}: the trail has what came with the cookie`)
        if ('method' in options)
          assert.ok(
            statuses.every(status => status >= 400 || status === 204),
            statuses.join(),
          )
      }
    })
  }

  it('has changed nothing, and ended no session', async () => {
    assert.equal((await request('GET', '/api/auth/session')).status, 200)
    assert.deepEqual(await groups(), ['Made here'])
    assert.equal((await request('GET', '/api/settings/')).body.digest_hour, 7)
    assert.equal((await world.rows(`select from audit_entries where action = 'auth.logged_out'`)).length, 0)
  })
})
