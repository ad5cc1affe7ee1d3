// Passkeys in a real browser, with its virtual authenticator: what a page does with the API, and what the authenticator really signs.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { addAuthenticator, freePort } from '#test/browser/visits.ts'
import { type Json, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

/** A text, because what runs in a browser knows other types than what runs here. */
const inPage = `(async ({ method, url, body }) => {
  const reply = await fetch(url, { method, ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) })
  const text = await reply.text()
  return { status: reply.status, body: text ? JSON.parse(text) : null }
})`
const createPasskey = `(async options => {
  const made = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
  return made.toJSON()
})`
const usePasskey = `(async options => {
  const made = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
  return made.toJSON()
})`

// proves: SES-01, SSO-05, AUTH-07
describe('passkeys in a browser', () => {
  let world: World
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let session: CDPSession
  let authenticatorId: string
  let origin: string

  before(async () => {
    const port = await freePort()
    origin = `http://localhost:${port}`
    world = await openWorld({ PUBLIC_URL: origin })
    await world.server.listen({ host: '127.0.0.1', port })
    browser = await chromium.launch({
      executablePath: process.env.TEST_CHROMIUM!,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    context = await browser.newContext()
    page = await context.newPage()
    ;({ session, authenticatorId } = await addAuthenticator(page))
    await page.goto(`${origin}/docs`)
  })
  after(async () => {
    await browser?.close()
    await world.close()
  })

  const call = <T>(script: string, input: unknown) => page.evaluate(`${script}(${JSON.stringify(input)})`) as Promise<T>
  const request = (method: string, url: string, body?: object) =>
    call<{ status: number; body: Json }>(inPage, { method, url, body })
  async function done(method: string, url: string, body?: object) {
    const reply = await request(method, url, body)
    assert.ok(reply.status < 300, `${method} ${url}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  it('are registered, log in without a password, and sign what is shown', async () => {
    await done('POST', '/api/auth/session', { username: 'quinn', password })
    const options = await done('POST', '/api/auth/passkeys/options', {})
    const response = await call<object>(createPasskey, options)
    const { id } = await done('POST', '/api/auth/passkeys/', { name: 'This computer', response })
    await done('POST', '/api/auth/logout')
    assert.equal((await request('GET', '/api/auth/me')).status, 401)

    const asked = await done('POST', '/api/auth/passkeys/login/options')
    const answer = await call<object>(usePasskey, asked)
    assert.equal((await request('POST', '/api/auth/passkeys/login', { response: answer })).status, 204)
    assert.equal((await done('GET', '/api/auth/me')).username, 'quinn')
    const cookie = (await context.cookies()).find(({ name }) => name === '__Host-attest')
    assert.deepEqual([cookie?.httpOnly, cookie?.secure, cookie?.sameSite], [true, true, 'Strict'])
    const [current] = (await done('GET', '/api/auth/sessions/')).filter((each: Json) => each.is_current)
    assert.equal(current.second_factor, true)
    // The same answer again is no log-in.
    assert.equal((await request('POST', '/api/auth/passkeys/login', { response: answer })).status, 401)

    const document = await papers(world).effective()
    const act = {
      method: 'POST',
      path: '/api/signatures/',
      body: { document_id: document.id, signature_type: 'witness', intent: 'Seen on paper' },
    }
    // A log-in with a passkey proves nothing for a signature.
    assert.equal((await request('POST', act.path, act.body)).status, 401)
    const challenge = await done('POST', '/api/signing-challenges/', { kind: 'passkey', acts: [act] })
    assert.equal(challenge.acts[0].signs.record.number, document.number)
    const proof = await call<object>(usePasskey, challenge.passkey)
    await done('POST', `/api/signing-challenges/${challenge.id}/passkey`, { response: proof })
    const signature = await done('POST', act.path, { ...act.body, signing_challenge: challenge.id })
    assert.equal(signature.method, 'passkey')
    const { verification, evidence } = await done('GET', `/api/signatures/${signature.id}`)
    assert.deepEqual(
      [verification.status, verification.checks.find((each: Json) => each.name === 'evidence').passed],
      ['valid', true],
    )
    assert.equal(evidence.challenge, challenge.text)
    const [passkey] = await done('GET', '/api/auth/passkeys/')
    assert.equal(passkey.id, id)
    assert.ok(passkey.last_used_at)
  })

  it('do nothing without the person who unlocks the device', async () => {
    const asked = await done('POST', '/api/auth/passkeys/login/options')
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await assert.rejects(call(usePasskey, asked), /NotAllowedError/)
    // A page that does not ask for it gets an answer, which is not accepted.
    const answer = await call<object>(usePasskey, { ...asked, userVerification: 'discouraged' })
    assert.equal((await request('POST', '/api/auth/passkeys/login', { response: answer })).status, 401)
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  })

  it('are refused and revoked where a copy of the key counts back', async () => {
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
    const [copied] = credentials
    assert.ok(copied && copied.signCount > 0)
    const used = await call<object>(usePasskey, await done('POST', '/api/auth/passkeys/login/options'))
    assert.equal((await request('POST', '/api/auth/passkeys/login', { response: used })).status, 204)
    await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId: copied.credentialId })
    await session.send('WebAuthn.addCredential', { authenticatorId, credential: { ...copied, signCount: 1 } })
    const answer = await call<object>(usePasskey, await done('POST', '/api/auth/passkeys/login/options'))
    assert.equal((await request('POST', '/api/auth/passkeys/login', { response: answer })).status, 401)
    assert.deepEqual(await done('GET', '/api/auth/passkeys/'), [])
  })
})
