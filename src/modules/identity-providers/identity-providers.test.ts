import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { systemActor } from '#modules/accounts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { papers } from '#test/builders/documents.ts'
import { accepted, checkAnswer } from '#test/builders/samples.ts'
import { cookieIn, logInBrowser, openBrowser, sendWith } from '#test/builders/sessions.ts'
import {
  addProvider,
  linkUser,
  logInBySso,
  loginCookieIn,
  openSsoBrowser,
  whoIs,
} from '#test/builders/single-sign-on.ts'
import { type Dns, openDns } from '#test/fakes/dns.ts'
import { client, type Idp, openForger, openIdp, openIdpBrowser, outboundHere, publicUrl } from '#test/fakes/oidc.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { confirm as confirmDomain } from './domains.ts'
import { breakGlassReminders, resealIdentities, resealProviders } from './kept.ts'

const hour = 3_600_000

/** A world whose providers can be reached, and a provider that delivers to it. */
async function openScene({ par = false } = {}) {
  const scene = { world: undefined as unknown as World, delivered: [] as number[] }
  const idp = await openIdp({
    par,
    async deliver(url, form) {
      const reply = await scene.world.server.inject({
        method: 'POST',
        url: new URL(url).pathname,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: form,
      })
      scene.delivered.push(reply.statusCode)
      return { status: reply.statusCode }
    },
  })
  scene.world = await openWorld({ PUBLIC_URL: publicUrl }, { outbound: outboundHere() })
  return {
    ...scene,
    idp,
    async close() {
      await scene.world.close()
      await idp.close()
      assert.deepEqual(idp.failures, [])
    },
  }
}
type Scene = Awaited<ReturnType<typeof openScene>>

const entriesOf = (world: World, action: string) =>
  world.rows<{
    changes: Record<string, { from?: unknown; to?: unknown }>
    username: string
    reason: string | null
    outcome: string
    resource_id: string | null
  }>('select changes, username, reason, outcome, resource_id from audit_entries where action = $1 order by id', [
    action,
  ])

const toldOf = async (world: World, name: string) =>
  (
    await world.rows<{ type: string }>('select type from notifications where user_id = $1 order by id', [
      world.people[name]!.id,
    ])
  ).map(({ type }) => type)

// proves: SSO-01
describe('a person with a linked account', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  let provider: { id: number; revision: number }
  before(async () => {
    scene = await openScene()
    ;({ world, idp } = scene)
    provider = await addProvider(world, idp)
    await linkUser(world, 'uma', provider.id, 'subject-of-uma')
  })
  after(() => scene.close())

  it('logs in by the provider, with a session like any other', async () => {
    idp.logsIn({ sub: 'subject-of-uma', email: 'somebody.else@example.com' })
    const { location, session, reply } = await logInBySso(world, idp, { returnTo: '/documents/7?tab=history' })
    assert.equal(location, `${publicUrl}/documents/7?tab=history`)
    assert.equal((await whoIs(world, session)).username, 'uma')
    assert.equal(loginCookieIn(reply), '', 'the cookie of the log-in is taken away')
    assert.match(
      [reply.headers['set-cookie']].flat().join('\n'),
      /^__Host-attest=[\w.-]{90,}; Path=\/; Secure; HttpOnly; SameSite=Strict$/m,
    )
    const [row] = await world.rows(
      'select provider_id, provider_sid is not null as has_sid, kind, amr from sessions order by id desc limit 1',
    )
    assert.deepEqual(row, {
      ...{ provider_id: String(provider.id), has_sid: true, kind: 'browser', amr: ['pwd', 'otp'] },
    })
    const entry = (await entriesOf(world, 'auth.logged_in')).at(-1)!
    assert.deepEqual([entry.username, entry.changes.provider!.to], ['uma', 'Company ID'])
    const { last_login_at } = (await world.as('ada').get(`/api/users/${world.people.uma!.id}`)).json()
    assert.ok(last_login_at, 'the log-in is noted')
  })

  it('goes to the provider with PKCE, a state, a nonce, and a cookie for ten minutes', async () => {
    const here = openSsoBrowser(world)
    const url = new URL(await here.start())
    const sent = Object.fromEntries(url.searchParams)
    assert.equal(url.origin, idp.issuer)
    assert.deepEqual(
      [sent.response_type, sent.client_id, sent.code_challenge_method, sent.scope, sent.redirect_uri],
      ['code', 'attest', 'S256', 'openid email profile', `${publicUrl}/api/auth/oidc/callback`],
    )
    for (const name of ['code_challenge', 'nonce', 'state']) assert.ok(sent[name]!.length >= 43, name)
    const again = new URL(await here.start())
    for (const name of ['code_challenge', 'nonce', 'state'])
      assert.notEqual(again.searchParams.get(name), sent[name], name)
    const stored = JSON.stringify(await world.rows('select * from login_attempts'))
    for (const name of ['nonce', 'state'])
      assert.ok(!stored.includes(sent[name]!.split('.').at(-1)!), `${name} is not stored`)
  })

  it('gets in by the subject alone: nobody gets in by an e-mail address', async () => {
    idp.logsIn({ sub: 'subject-of-nobody', email: 'uma@example.com', email_verified: true })
    const { error, session, location } = await logInBySso(world, idp)
    assert.deepEqual([error, session], ['not_linked', undefined])
    const reference = new URL(location).searchParams.get('reference')
    const [entry] = await world.rows(
      `select reason, request_id from audit_entries where action = 'auth.login_failed' order by id desc limit 1`,
    )
    assert.equal(entry!.request_id, reference)
    assert.match(String(entry!.reason), /e-mail address of another account/)
    assert.equal((await toldOf(world, 'ada')).at(-1), 'identity_provider_changed')
  })

  it('proves by it nothing of who signs: that needs the password', async () => {
    const settings = { signature_reauth_minutes: 60 }
    await accepted(world.as('ada').put('/api/settings/', settings))
    const { id } = await papers(world).effective({ title: 'Cleaning' })
    const sign = (session: string, proof: object = {}) =>
      sendWith(world, session, 'POST', '/api/signatures/', {
        payload: { document_id: id, signature_type: 'acknowledgement', intent: 'I have read it', ...proof },
      })
    idp.logsIn({ sub: 'subject-of-uma' })
    const { session } = await logInBySso(world, idp)
    const refused = await sign(session!)
    assert.deepEqual([refused.statusCode, refused.json().code], [401, 'signing_password_required'])
    const byPassword = await openBrowser(world, 'uma')
    assert.equal((await sign(byPassword.cookie)).statusCode, 201)
    assert.equal((await sign(session!, { password, signature_type: 'witness' })).statusCode < 500, true)
  })

  it('gets in after SECRET_KEY was changed, as long as their link was sealed anew (proves: OPS-02)', async () => {
    const { keys } = world.services
    const before = keys.identities
    const at = (secret_key: string, secret_key_previous?: string) =>
      Object.assign(keys, { identities: deriveKeys({ secret_key, secret_key_previous }).identities })
    const [newest, newer] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
    const reseal = (work: typeof resealIdentities) =>
      world.services.runner.inSeparateTransaction(
        systemActor(world.people.uma!.tenant_id),
        { requestId: 'reseal', clientAddr: '' },
        writing => work(writing, keys),
      )
    idp.logsIn({ sub: 'subject-of-uma' })
    at(newer)
    assert.ok(!(await openSsoBrowser(world).start()).startsWith(idp.issuer), 'the provider is sealed with another key')
    at(newer, world.services.config.secret_key)
    assert.equal((await logInBySso(world, idp)).error, undefined)
    await reseal(resealProviders)
    at(newer)
    assert.equal((await logInBySso(world, idp)).error, undefined, 'the log-in sealed the link')
    at(newest, newer)
    await reseal(resealProviders)
    assert.deepEqual([await reseal(resealIdentities), await reseal(resealIdentities)], [1, 0])
    at(newest)
    assert.equal((await logInBySso(world, idp)).error, undefined, 'secret-key reseal sealed it')
    at(world.services.config.secret_key, newest)
    await reseal(resealIdentities)
    await reseal(resealProviders)
    Object.assign(keys, { identities: before })
    assert.equal((await logInBySso(world, idp)).error, undefined)
  })

  it('does not get in once deactivated, nor by a provider that is switched off', async () => {
    await linkUser(world, 'alan', provider.id, 'subject-of-alan')
    idp.logsIn({ sub: 'subject-of-alan' })
    assert.ok((await logInBySso(world, idp)).session)
    await accepted(world.as('ada').post(`/api/users/${world.people.alan!.id}/deactivate`, {}))
    assert.deepEqual((await logInBySso(world, idp)).error, 'refused')
    await accepted(world.as('ada').post(`/api/users/${world.people.alan!.id}/reactivate`, {}))
    const here = openSsoBrowser(world)
    const back = await openIdpBrowser(idp).follow(await here.start())
    const url = `/api/identity-providers/${provider.id}`
    await accepted(world.as('ada').put(url, { is_active: false }))
    assert.equal((await here.comesBack(back)).error, 'refused')
    assert.equal((await world.server.inject({ url: '/api/auth/oidc/acme/idp/start' })).statusCode, 404)
    await accepted(world.as('ada').put(url, { is_active: true }))
  })

  it('is told when the provider does not answer', async () => {
    const forger = await openForger()
    await addProvider(world, forger, { slug: 'gone', client_id: 'other' })
    await forger.close()
    const reply = await world.server.inject({ url: '/api/auth/oidc/acme/gone/start' })
    assert.equal(reply.statusCode, 302)
    assert.match(
      String(reply.headers.location),
      /^https:\/\/qms\.example\/sign-in\?error=provider_unavailable&reference=/,
    )
  })

  it('goes on by the session of the provider without being asked again', async () => {
    idp.logsIn({ sub: 'subject-of-uma' })
    const browser = openIdpBrowser(idp)
    await logInBySso(world, idp, { browser })
    idp.nobodyLogsIn()
    assert.ok((await logInBySso(world, idp, { browser })).session)
    assert.equal((await logInBySso(world, idp)).error, 'refused', 'another browser has no session there')
  })

  // proves: AUTH-04
  it('is sent to the provider after a new SECRET_KEY too, once the secrets were sealed with it', async () => {
    const { keys, config, runner } = world.services
    const before = { ...keys }
    const secret_key = 'b7c1d2e3f4a5968778695a4b3c2d1e0f-new'
    const starts = async () => (await openSsoBrowser(world).start()).startsWith(idp.issuer)
    const reseal = () =>
      runner.inSeparateTransaction(
        systemActor(world.people.ada!.tenant_id),
        { requestId: '', clientAddr: '' },
        writing => resealProviders(writing, keys),
      )
    try {
      Object.assign(keys, deriveKeys({ secret_key }))
      assert.ok(!(await starts()), 'another key opens nothing')
      Object.assign(keys, deriveKeys({ secret_key, secret_key_previous: config.secret_key }))
      assert.ok(await starts())
      assert.deepEqual([(await reseal()) > 0, await reseal()], [true, 0])
      Object.assign(keys, deriveKeys({ secret_key }))
      assert.ok(await starts())
      Object.assign(keys, deriveKeys({ secret_key: config.secret_key, secret_key_previous: secret_key }))
      assert.ok((await reseal()) > 0)
    } finally {
      Object.assign(keys, before)
    }
    assert.ok(await starts())
  })

  it('keeps a temporary password from standing in the way', async () => {
    await world.superuser.query(`begin; set local session_replication_role = replica;
      update credentials set must_change_password = true where user_id = ${world.people.uma!.id}; commit`)
    world.services.accounts.changed()
    idp.logsIn({ sub: 'subject-of-uma' })
    const { session } = await logInBySso(world, idp)
    assert.equal((await sendWith(world, session!, 'GET', '/api/documents/')).statusCode, 200)
  })
})

// proves: SSO-01
describe('the providers of a company', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  before(async () => {
    scene = await openScene({ par: true })
    ;({ world, idp } = scene)
  })
  after(() => scene.close())

  it('are added with the addresses to enter there, and never show their secret', async () => {
    const provider = await addProvider(world, idp, { is_active: false })
    assert.deepEqual(
      [provider.has_secret, provider.redirect_uri, provider.start, provider.back_channel_logout_uri],
      [
        true,
        `${publicUrl}/api/auth/oidc/callback`,
        `${publicUrl}/api/auth/oidc/acme/idp/start`,
        `${publicUrl}/api/auth/oidc/acme/idp/back-channel-logout`,
      ],
    )
    const everything = JSON.stringify([
      provider,
      (await world.as('ada').get('/api/identity-providers/')).json(),
      await world.rows('select * from identity_providers'),
      await world.rows('select * from audit_entries'),
      world.lines,
    ])
    assert.ok(!everything.includes(client.client_secret))
    assert.equal((await toldOf(world, 'ada')).at(-1), 'identity_provider_changed')
    const asked = (await accepted(world.as('ada').post(`/api/identity-providers/${provider.id}/read-metadata`))).json()
    assert.deepEqual([asked.issuer, asked.pushed_requests, asked.back_channel_logout], [idp.issuer, true, true])
  })

  it('are refused with the reason where their metadata is not what it must be', async () => {
    const forger = await openForger()
    const add = async (issuer = forger.issuer) => {
      const body = { slug: 'wrong', name: 'Wrong', issuer, client_id: 'x', client_secret: 'y' }
      const reply = checkAnswer(await world.as('ada').post('/api/identity-providers/', body), 'add')
      assert.equal(reply.statusCode, 422, reply.body)
      return reply.json().detail[0].type
    }
    forger.says({ issuer: 'https://evil.example' })
    assert.equal(await add(), 'identity_provider_issuer_other')
    forger.says({ response_types_supported: ['id_token'] })
    assert.equal(await add(), 'identity_provider_code_flow_missing')
    forger.says({ id_token_signing_alg_values_supported: ['HS256', 'none'] })
    assert.equal(await add(), 'identity_provider_algorithms_missing')
    forger.says({ jwks_uri: undefined })
    assert.equal(await add(), 'identity_provider_metadata_malformed')
    assert.equal(await add(`${forger.issuer}/nothing`), 'identity_provider_unreachable')
    assert.equal(await add('https://10.1.2.3'), 'identity_provider_unreachable')
    await forger.close()
    assert.equal(await add(), 'identity_provider_unreachable')
  })

  it('push what they are asked where they take that, so that no browser can change it', async () => {
    const [{ id }] = (await world.as('ada').get('/api/identity-providers/')).json()
    await accepted(world.as('ada').put(`/api/identity-providers/${id}`, { is_active: true }))
    const url = new URL(await openSsoBrowser(world).start())
    assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri'])
  })

  it('are tried by a log-in that lets nobody in', async () => {
    const [{ id }] = (await world.as('ada').get('/api/identity-providers/')).json()
    const ask = async () => {
      const reply = await accepted(
        world.as('ada').post(`/api/identity-providers/${id}/test`, { return_to: '/settings/sign-in' }),
      )
      return { here: openSsoBrowser(world), cookie: loginCookieIn(reply), start: reply.json().start as string }
    }
    idp.logsIn({ sub: 'tester', email: 'tester@example.com', groups: ['qa'] })
    const { here, cookie, start } = await ask()
    const { location, session } = await here.comesBack(await openIdpBrowser(idp).follow(start), { cookie })
    assert.deepEqual([location, session], [`${publicUrl}/settings/sign-in?single_sign_on=tested`, undefined])
    const [entry] = await entriesOf(world, 'identity_provider.tested')
    assert.equal(entry!.outcome, 'success')
    assert.ok((entry!.changes.claims!.to as string[]).includes('groups'))
    idp.nobodyLogsIn()
    const failing = await ask()
    const failed = await failing.here.comesBack(await openIdpBrowser(idp).follow(failing.start), {
      cookie: failing.cookie,
    })
    assert.match(failed.location, /^https:\/\/qms\.example\/settings\/sign-in\?single_sign_on=refused&reference=/)
    assert.match((await entriesOf(world, 'identity_provider.tested')).at(-1)!.reason!, /access_denied/)
  })

  it('lose every link when their issuer or client changes, which needs the secret of the new one', async () => {
    const [{ id }] = (await world.as('ada').get('/api/identity-providers/')).json()
    const url = `/api/identity-providers/${id}`
    await linkUser(world, 'petra', id, 'subject-of-petra')
    const refused = await world.as('ada').put(url, { client_id: 'another' })
    assert.deepEqual([refused.statusCode, refused.json().detail[0].loc], [422, ['body', 'client_secret']])
    await accepted(world.as('ada').put(url, { name: 'Renamed' }))
    assert.equal((await world.as('ada').get(url)).json().linked_users, 1)
    await accepted(world.as('ada').put(url, { client_id: 'another', client_secret: 'of the other' }))
    assert.equal((await world.as('ada').get(url)).json().linked_users, 0)
    assert.equal((await toldOf(world, 'petra')).at(-1), 'account_changed')
  })

  it('are nothing to people without the permission', async () => {
    for (const name of ['quinn', 'alan', 'otto'])
      assert.equal((await world.as(name).get('/api/identity-providers/')).statusCode, 403, name)
  })
})

// proves: SSO-01
describe('a provider that takes private_key_jwt', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  let url: string
  before(async () => {
    scene = await openScene({ par: true })
    ;({ world, idp } = scene)
    const { id } = await addProvider(world, idp)
    await linkUser(world, 'uma', id, 'subject-of-uma')
    idp.logsIn({ sub: 'subject-of-uma' })
    url = `/api/identity-providers/${id}`
  })
  after(() => scene.close())
  const put = (body: object) => world.as('ada').put(url, body)
  const refusal = async (body: object) => {
    const reply = await put(body)
    return [reply.statusCode, reply.json().detail?.[0]?.type]
  }
  const jwks = async () => (await accepted(world.as('ada').get(url))).json().client_jwks
  /** As whoever administers the provider enters the key. */
  const register = async () =>
    idp.registers({
      client_secret: undefined,
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: await jwks(),
    })
  const isIn = async () => {
    const browser = openIdpBrowser(idp)
    const here = openSsoBrowser(world)
    const location = await here.start()
    if (!location.startsWith(idp.issuer)) return false
    return (await here.comesBack(await browser.follow(location))).session !== undefined
  }

  it('lets people in by a key whose private half no one is shown', async () => {
    assert.equal(await jwks(), null)
    assert.deepEqual(await refusal({ token_auth: 'private_key_jwt', client_secret: 'x' }), [
      ...[422, 'identity_provider_secret_needless'],
    ])
    const changed = await accepted(put({ token_auth: 'private_key_jwt' }))
    const { keys } = changed.json().client_jwks
    assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    assert.equal(await isIn(), false, 'the provider has no key yet')
    await register()
    assert.equal(await isIn(), true)
    const pushed = idp.requests.filter(each => each === 'POST /request').length
    assert.ok(pushed > 0)
    const stored = JSON.stringify([
      await world.rows('select client_secret::text, t.* from identity_providers t'),
      await world.rows('select * from audit_entries'),
      world.lines,
    ])
    assert.ok(!stored.includes('PRIVATE KEY'))
  })

  it('gets another key when an Admin says so, or the issuer or client changes, and is opened by nothing else', async () => {
    const before = await jwks()
    await accepted(put({ name: 'Renamed' }))
    assert.deepEqual(await jwks(), before)
    await accepted(put({ new_client_key: true, change_reason: 'Once a year' }))
    const renewed = await jwks()
    assert.notEqual(renewed.keys[0].kid, before.keys[0].kid)
    assert.equal(await isIn(), false)
    await register()
    assert.equal(await isIn(), true)
    await world.superuser.query(`begin; set local session_replication_role = replica;
      update identity_providers set token_auth = 'client_secret_post', revision = revision + 1; commit`)
    const requests = idp.requests.length
    assert.equal(await isIn(), false, 'the key is not sent as a secret')
    assert.equal(idp.requests.length, requests)
    await world.superuser.query(`begin; set local session_replication_role = replica;
      update identity_providers set token_auth = 'private_key_jwt', revision = revision + 1; commit`)
    assert.equal(await isIn(), true)
    await accepted(put({ client_id: 'another' }))
    assert.notEqual((await jwks()).keys[0].kid, renewed.keys[0].kid)
  })

  it('goes back to a secret, and says what does not fit', async () => {
    assert.deepEqual(await refusal({ token_auth: 'client_secret_basic' }), [422, 'identity_provider_secret_missing'])
    assert.deepEqual(await refusal({ token_auth: 'client_secret_post', client_secret: 'x', new_client_key: true }), [
      422,
      'identity_provider_key_not_used',
    ])
    await accepted(put({ token_auth: 'client_secret_post', ...client }))
    idp.registers({ token_endpoint_auth_method: 'client_secret_post' })
    assert.equal(await jwks(), null)
    await linkUser(world, 'uma', Number(url.split('/').at(-1)), 'subject-of-uma')
    assert.equal(await isIn(), true)
    const forger = await openForger()
    forger.says({ token_endpoint_auth_methods_supported: ['client_secret_basic'] })
    const body = { slug: 'wrong', name: 'Wrong', issuer: forger.issuer, client_id: 'x', token_auth: 'private_key_jwt' }
    const reply = await world.as('ada').post('/api/identity-providers/', body)
    assert.deepEqual([reply.statusCode, reply.json().detail[0].type], [422, 'identity_provider_key_not_taken'])
    await forger.close()
  })

  it('with a secret is sent it as forms write it, which also providers read that undo no escapes', async () => {
    const forger = await openForger()
    await addProvider(world, forger, { slug: 'plain', client_secret: 'of-a_client.0 ü' })
    const here = openSsoBrowser(world, { at: 'acme/plain' })
    const state = new URL(await here.start()).searchParams.get('state')!
    await here.comesBack(
      `/api/auth/oidc/callback?${new URLSearchParams({ code: 'x', state, iss: forger.issuer }).toString()}`,
    )
    const sent = forger.requests.find(({ path }) => path === '/token')!.authorization!
    assert.equal(Buffer.from(sent.split(' ')[1]!, 'base64').toString(), 'attest:of-a_client.0+%C3%BC')
    await forger.close()
  })
})

// proves: SSO-01
describe('a link', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  let provider: { id: number }
  before(async () => {
    scene = await openScene()
    ;({ world, idp } = scene)
    provider = await addProvider(world, idp)
  })
  after(() => scene.close())
  const identitiesOf = (name: string) => `/api/users/${world.people[name]!.id}/identities`

  it('is made by its owner, by the password here and a log-in there', async () => {
    const wrong = await world.as('anna').post('/api/auth/identities', { provider_id: provider.id, password: 'wrong' })
    assert.equal(wrong.statusCode, 401)
    const asked = await accepted(
      world.as('anna').post('/api/auth/identities', { provider_id: provider.id, password, return_to: '/account' }),
    )
    idp.logsIn({ sub: 'anna-there' })
    const here = openSsoBrowser(world)
    const cookie = loginCookieIn(asked)
    const back = await openIdpBrowser(idp).follow(asked.json().start)
    assert.equal((await here.comesBack(back, { cookie })).location, `${publicUrl}/account?single_sign_on=linked`)
    const [link] = (await world.as('ada').get(identitiesOf('anna'))).json()
    assert.deepEqual([link.subject, link.linked_by.username], ['anna-there', 'anna'])
    assert.equal((await whoIs(world, (await logInBySso(world, idp)).session)).username, 'anna')
    assert.equal((await toldOf(world, 'anna')).at(-1), 'account_changed')
  })

  it('of a subject is one user’s, and of a user one subject', async () => {
    const taken = await world.as('ada').post(identitiesOf('petra'), { provider_id: provider.id, subject: 'anna-there' })
    assert.deepEqual([taken.statusCode, taken.json().code], [409, 'identity_taken'])
    const second = await world.as('ada').post(identitiesOf('anna'), { provider_id: provider.id, subject: 'other' })
    assert.deepEqual([second.statusCode, second.json().code], [409, 'identity_user_linked'])
    const asked = await accepted(world.as('quinn').post('/api/auth/identities', { provider_id: provider.id, password }))
    const back = await openIdpBrowser(idp).follow(asked.json().start)
    const { location } = await openSsoBrowser(world).comesBack(back, { cookie: loginCookieIn(asked) })
    assert.match(location, /single_sign_on=taken/)
  })

  it('keeps whoever made it from verifying who the user is', async () => {
    await linkUser(world, 'quentin', provider.id, 'subject-of-quentin')
    const reply = await world
      .as('ada')
      .post(`/api/users/${world.people.quentin!.id}/verify-identity`, { method: 'Passport' })
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'user_identity_by_opener'])
  })

  it('is taken away, and opens nothing from then on', async () => {
    const [link] = (await world.as('ada').get(identitiesOf('anna'))).json()
    await accepted(world.as('ada').delete(`${identitiesOf('anna')}/${link.id}`, { change_reason: 'Left the team' }))
    idp.logsIn({ sub: 'anna-there' })
    assert.equal((await logInBySso(world, idp)).error, 'not_linked')
    assert.equal((await world.as('ada').delete(`${identitiesOf('anna')}/${link.id}`)).statusCode, 404)
  })

  it('is taken away by its owner, who proves who they are, and is told', async () => {
    await linkUser(world, 'petra', provider.id, 'subject-of-petra')
    const petra = await openBrowser(world, 'petra')
    const [link] = (await accepted(petra.get('/api/auth/identities'))).json()
    assert.equal(link.subject, 'subject-of-petra')
    const url = `/api/auth/identities/${link.id}`
    const remove = (payload: object) => sendWith(world, petra.cookie, 'DELETE', url, { payload })
    assert.equal((await world.as('quinn').delete(url, { password })).statusCode, 404)
    world.clock.moved_ms += 11 * 60_000
    const late = await remove({})
    assert.deepEqual([late.statusCode, late.json().code], [401, 'password_for_change_required'])
    assert.equal((await remove({ password: 'wrong' })).statusCode, 401)
    await accepted(remove({ password }))
    const entry = (await entriesOf(world, 'user.identity_unlinked')).at(-1)!
    assert.deepEqual(
      [entry.username, entry.resource_id, entry.changes.subject!.from],
      ['petra', String(world.people.petra!.id), 'subject-of-petra'],
    )
    assert.equal((await toldOf(world, 'petra')).at(-1), 'account_changed')
    idp.logsIn({ sub: 'subject-of-petra' })
    assert.equal((await logInBySso(world, idp)).error, 'not_linked')
    assert.equal((await remove({ password })).statusCode, 404)
    assert.deepEqual((await petra.get('/api/auth/identities')).json(), [])
  })

  it('is not taken away by its owner where nothing else lets them in', async () => {
    await accepted(world.as('ada').put(`/api/identity-providers/${provider.id}`, { provisioning: 'create' }))
    idp.logsIn({ sub: 'made', email: 'made@company.example', preferred_username: 'made' })
    const { session } = await logInBySso(world, idp)
    const { id: user } = await whoIs(world, session)
    const links = async () => (await accepted(sendWith(world, session!, 'GET', '/api/auth/identities'))).json()
    const remove = (id: number) => sendWith(world, session!, 'DELETE', `/api/auth/identities/${id}`, { payload: {} })
    const [{ id: only }] = await links()
    const assertRefused = async (id: number) => {
      const reply = await remove(id)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'identity_last_way_in'])
    }
    await assertRefused(only)
    const other = await openForger()
    const second = await addProvider(world, other, { slug: 'second', client_id: 'second', is_active: false })
    const body = { provider_id: second.id, subject: 'made-there' }
    await accepted(world.as('ada').post(`/api/users/${user}/identities`, body))
    await assertRefused(only)
    await accepted(world.as('ada').put(`/api/identity-providers/${second.id}`, { is_active: true }))
    const [one, two] = (await links()).map(({ id }: { id: number }) => id)
    const replies = await Promise.all([remove(one), remove(two)])
    assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([204, 409]), 'one of the two stays')
    await other.close()
  })

  it('gives nobody a permission that they do not hold', async () => {
    const role = (
      await accepted(world.as('ada').post('/api/roles/', { name: 'Desk', granted: ['users.manage', 'users.read'] }))
    ).json()
    await accepted(world.as('ada').put(`/api/users/${world.people.alan!.id}/role`, { role_id: role.id }))
    await world.superuser.query('select 1')
    const { session_version } = (
      await world.rows<{ session_version: number }>('select session_version from credentials where user_id = $1', [
        world.people.alan!.id,
      ])
    )[0]!
    world.people.alan!.session_version = session_version
    const reply = await world.as('alan').post(identitiesOf('ada'), { provider_id: provider.id, subject: 'mine' })
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'permissions_not_held'])
  })
})

// proves: SSO-01, SSO-02
describe('an account that a provider makes', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  let provider: { id: number }
  const roles = new Map<string, number>()
  before(async () => {
    scene = await openScene()
    ;({ world, idp } = scene)
    for (const { id, name } of (await world.as('ada').get('/api/roles/?page_size=100')).json().items)
      roles.set(name, id)
    provider = await addProvider(world, idp, {
      provisioning: 'create',
      roles_from: 'claims',
      default_role_id: roles.get('User'),
    })
  })
  after(() => scene.close())
  const mappings = (list: object[]) =>
    accepted(world.as('ada').put(`/api/identity-providers/${provider.id}/mappings`, { mappings: list }))
  const userNamed = async (username: string) =>
    (await world.as('ada').get(`/api/users/?q=${username}`))
      .json()
      .items.find((each: { username: string }) => each.username === username)

  it('is there at the first log-in, without a password, and with a name that nobody has', async () => {
    idp.logsIn({
      sub: 'new-1',
      email: 'uma@company.example',
      name: 'Uma Second',
      preferred_username: 'uma@company.example',
    })
    const { session } = await logInBySso(world, idp)
    const me = await whoIs(world, session)
    assert.deepEqual(
      [me.username, me.email, me.full_name, me.role],
      ['uma.2', 'uma@company.example', 'Uma Second', 'User'],
    )
    const [row] = await world.rows(
      'select password_hash, email_logs_in from credentials c join users u on u.id = c.user_id where u.id = $1',
      [me.id],
    )
    assert.deepEqual(row, { password_hash: null, email_logs_in: false })
    const again = await whoIs(world, (await logInBySso(world, idp)).session)
    assert.equal(again.id, me.id, 'the second log-in is of the same account')
    const entry = (await entriesOf(world, 'user.created')).at(-1)!
    assert.equal(entry.username, 'system')
  })

  it('logs in by no password, and gets no link to choose one', async () => {
    for (const username of ['uma.2', 'uma@company.example'])
      assert.equal((await logInBrowser(world, username, { secret: 'anything at all' })).statusCode, 401, username)
  })

  it('is made once, where the same person comes by two browsers at the same moment', async () => {
    idp.logsIn({ sub: 'new-2', email: 'kim@company.example', name: 'Kim', preferred_username: 'kim' })
    const browsers = await Promise.all(
      [1, 2, 3].map(async () => {
        const here = openSsoBrowser(world)
        return { here, back: await openIdpBrowser(idp).follow(await here.start()) }
      }),
    )
    const sessions = await Promise.all(browsers.map(({ here, back }) => here.comesBack(back)))
    const people = await Promise.all(sessions.map(({ session }) => whoIs(world, session)))
    assert.deepEqual(
      people.map(({ username }) => username),
      ['kim', 'kim', 'kim'],
    )
    const [count] = await world.rows(`select count(*)::int as n from users where username like 'kim%'`)
    assert.equal(count!.n, 1)
  })

  it('is not made where the address is another account’s', async () => {
    idp.logsIn({ sub: 'new-3', email: 'Anna@Example.com', preferred_username: 'annatoo' })
    assert.equal((await logInBySso(world, idp)).error, 'not_linked')
    assert.equal(await userNamed('annatoo'), undefined)
    assert.equal((await toldOf(world, 'ada')).at(-1), 'identity_provider_changed')
  })

  it('is not made of somebody without an address, or without a name that can be one', async () => {
    for (const claims of [
      { sub: 'new-4', preferred_username: 'bo' },
      { sub: 'new-5', email: '名@例え.example' },
    ]) {
      idp.logsIn(claims)
      assert.equal((await logInBySso(world, idp)).error, 'refused', claims.sub)
    }
  })

  it('may have an address that logs in a person of another company', async () => {
    idp.logsIn({ sub: 'new-6', email: 'rob@example.com', preferred_username: 'robert' })
    assert.ok((await logInBySso(world, idp)).session)
    const rob = await logInBrowser(world, 'rob@example.com')
    assert.equal((await whoIs(world, cookieIn(rob))).username, 'rob', 'the address still logs in its owner')
  })

  it('has the role and the groups that the provider says, at each log-in', async () => {
    const group = async (name: string) =>
      (await accepted(world.as('ada').post('/api/groups/', { name }))).json().id as number
    const [lab, site, own] = [await group('Laboratory'), await group('Site A'), await group('Own')]
    await mappings([
      { claim_value: 'qa', role_id: roles.get('QA'), priority: 10 },
      { claim_value: 'authors', role_id: roles.get('Author'), priority: 5 },
      { claim_value: 'lab', group_id: lab },
      { claim_value: 'site-a', group_id: site },
    ])
    const person = { sub: 'new-7', email: 'lee@company.example', preferred_username: 'lee' }
    idp.logsIn({ ...person, groups: ['authors', 'lab', 'unknown'] })
    const first = await logInBySso(world, idp)
    const { id, role } = await whoIs(world, first.session)
    assert.equal(role, 'Author')
    await accepted(world.as('ada').post(`/api/groups/${own}/add-member`, { user_id: id }))
    const groupsNow = async () =>
      (
        await world.rows<{ name: string }>(
          'select g.name from group_members m join groups g on g.id = m.group_id where m.user_id = $1 and m.removed_at is null order by 1',
          [id],
        )
      ).map(({ name }) => name)
    assert.deepEqual(await groupsNow(), ['Laboratory', 'Own'])

    idp.logsIn({ ...person, groups: ['authors', 'qa', 'site-a'] })
    const second = await logInBySso(world, idp)
    assert.equal((await whoIs(world, second.session)).role, 'QA')
    assert.deepEqual(await groupsNow(), ['Own', 'Site A'])
    assert.equal(
      (await sendWith(world, first.session!, 'GET', '/api/auth/session')).statusCode,
      401,
      'the former role has no session',
    )
    const entry = (await entriesOf(world, 'user.role_changed')).at(-1)!
    assert.deepEqual([entry.username, entry.reason], ['system', 'Group qa of Company ID'])
    const before = (await entriesOf(world, 'user.role_changed')).length

    const elsewhere = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example' } },
    }
    idp.logsIn({ ...person, ...elsewhere })
    const third = await logInBySso(world, idp)
    assert.equal((await whoIs(world, third.session)).role, 'QA', 'too many groups to be sent change nothing')
    assert.deepEqual(await groupsNow(), ['Own', 'Site A'])
    assert.equal((await entriesOf(world, 'auth.logged_in')).at(-1)!.changes.groups!.to, 'not_sent')
    assert.equal((await entriesOf(world, 'user.role_changed')).length, before)

    idp.logsIn({ ...person, groups: [] })
    assert.equal((await whoIs(world, (await logInBySso(world, idp)).session)).role, 'User')
    assert.deepEqual(await groupsNow(), ['Own'])
  })

  it('of the last Admin stays one, whatever the provider says', async () => {
    await linkUser(world, 'ada', provider.id, 'subject-of-ada')
    idp.logsIn({ sub: 'subject-of-ada', groups: [] })
    assert.equal((await whoIs(world, (await logInBySso(world, idp)).session)).role, 'Admin')
    assert.equal((await entriesOf(world, 'auth.logged_in')).at(-1)!.changes.role!.to, 'last_admin')
  })

  it('gets no role that the person who maps it does not hold', async () => {
    const role = (
      await accepted(world.as('ada').post('/api/roles/', { name: 'Identity desk', granted: ['sso.manage'] }))
    ).json()
    await world.superuser.query(`begin; set local session_replication_role = replica;
      update users set role_id = ${role.id} where id = ${world.people.petra!.id}; commit`)
    world.services.accounts.changed()
    const url = `/api/identity-providers/${provider.id}/mappings`
    const reply = await world.as('petra').put(url, { mappings: [{ claim_value: 'x', role_id: roles.get('Admin') }] })
    assert.equal(reply.statusCode, 403)
    for (const [list, code] of [
      [[{ claim_value: 'x' }], 'mapping_ambiguous'],
      [
        [
          { claim_value: 'x', role_id: roles.get('QA') },
          { claim_value: 'x', role_id: roles.get('QA'), priority: 3 },
        ],
        'mapping_repeated',
      ],
    ] as const) {
      const wrong = await world.as('ada').put(url, { mappings: list })
      assert.deepEqual([wrong.statusCode, wrong.json().detail[0].type], [422, code])
    }
  })
})

// proves: SSO-03
describe('required single sign-on', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  let provider: { id: number }
  let session: string
  before(async () => {
    scene = await openScene()
    ;({ world, idp } = scene)
    provider = await addProvider(world, idp)
    await linkUser(world, 'ada', provider.id, 'subject-of-ada')
    idp.logsIn({ sub: 'subject-of-ada' })
    session = (await logInBySso(world, idp)).session!
  })
  after(() => scene.close())
  const require = (sso_required: boolean) =>
    sendWith(world, session, 'PUT', '/api/settings/', { payload: { sso_required } })
  const breakGlass = (id: number, is_break_glass: boolean) =>
    world.as('ada').put(`/api/users/${id}/break-glass`, { is_break_glass })
  const idOfRole = async (name: string) =>
    (await world.as('ada').get('/api/roles/?page_size=100'))
      .json()
      .items.find((each: { name: string }) => each.name === name).id

  it('begins only where nobody can be locked out', async () => {
    const byPassword = await world.as('ada').put('/api/settings/', { sso_required: true })
    assert.deepEqual([byPassword.statusCode, byPassword.json().code], [409, 'sso_required_by_password'])
    const without = await require(true)
    assert.deepEqual([without.statusCode, without.json().code], [409, 'sso_required_without_break_glass'])
  })

  let glass: number
  let secret: string
  it('needs an account that gets in without a provider: an Admin with a second factor', async () => {
    const quentin = world.people.quentin!.id
    const early = await breakGlass(quentin, true)
    assert.deepEqual([early.statusCode, early.json().code], [409, 'break_glass_not_ready'])
    await accepted(world.as('ada').put(`/api/users/${quentin}/role`, { role_id: await idOfRole('Admin') }))
    const own = await openBrowser(world, 'quentin')
    secret = (await accepted(own.post('/api/auth/totp/enroll', { password }))).json().secret
    const confirmed = await accepted(own.post('/api/auth/totp/confirm', { otp: new TOTP({ secret }).generate() }))
    assert.ok(confirmed)
    const reply = await accepted(breakGlass(quentin, true))
    assert.equal(reply.json().is_break_glass, true)
    glass = quentin
    const linked = await world
      .as('ada')
      .post(`/api/users/${quentin}/identities`, { provider_id: provider.id, subject: 'q' })
    assert.deepEqual([linked.statusCode, linked.json().code], [409, 'identity_of_break_glass'])
    const linkedAlready = await breakGlass(world.people.ada!.id, true)
    assert.equal(linkedAlready.statusCode, 409)
    const role = await world.as('ada').put(`/api/users/${quentin}/role`, { role_id: await idOfRole('QA') })
    assert.deepEqual([role.statusCode, role.json().code], [409, 'break_glass_fixed'])
    await accepted(require(true))
  })

  it('takes no password from then on, with the usual answer, and links none', async () => {
    const wrong = await logInBrowser(world, 'uma', { secret: 'wrong' })
    const right = await logInBrowser(world, 'uma')
    assert.deepEqual([right.statusCode, right.body], [wrong.statusCode, wrong.body])
    const token = await world.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { username: 'uma', password },
    })
    assert.equal(token.statusCode, 401)
    assert.match((await entriesOf(world, 'auth.login_failed')).at(-1)!.reason!, /single sign-on/i)
    const reset = await sendWith(world, session, 'POST', `/api/users/${world.people.uma!.id}/reset-password`, {
      payload: { temporary_password: 'Purple kettle 47 boats' },
    })
    assert.deepEqual([reset.statusCode, reset.json().code], [409, 'sso_password_not_used'])
    assert.ok((await logInBySso(world, idp)).session, 'the provider still lets people in')
  })

  it('lets the break-glass account in, for an hour, and tells every Admin', async () => {
    const otp = new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 })
    const reply = await world.server.inject({
      method: 'POST',
      url: '/api/auth/session',
      headers: { 'sec-fetch-site': 'same-origin' },
      payload: { username: 'quentin', password, otp },
    })
    assert.equal(reply.statusCode, 204, reply.body)
    const current = (await sendWith(world, cookieIn(reply), 'GET', '/api/auth/session')).json()
    const left = Date.parse(current.ends_at) - world.clock.now().getTime()
    assert.ok(left <= hour && left > hour - 60_000, current.ends_at)
    assert.equal((await entriesOf(world, 'auth.break_glass_used')).length, 1)
    for (const name of ['ada', 'quentin']) assert.ok((await toldOf(world, name)).includes('break_glass_used'), name)
  })

  it('reminds the Admins once a quarter that the account be tried', async () => {
    const reminders = async () => (await toldOf(world, 'ada')).filter(type => type === 'break_glass_untried').length
    await world.round(breakGlassReminders)
    assert.equal(await reminders(), 0)
    world.clock.moved_ms += 91 * 24 * hour
    await world.round(breakGlassReminders)
    await world.round(breakGlassReminders)
    assert.equal(await reminders(), 1)
    world.clock.moved_ms = 0
  })

  it('keeps the last break-glass account and the last provider', async () => {
    const put = (url: string, payload: object) => sendWith(world, session, 'PUT', url, { payload })
    const post = (url: string, payload: object) => sendWith(world, session, 'POST', url, { payload })
    for (const [reply, code] of [
      [await put(`/api/users/${glass}/break-glass`, { is_break_glass: false }), 'break_glass_last'],
      [await post(`/api/users/${glass}/deactivate`, {}), 'break_glass_last'],
      [
        await post(`/api/users/${glass}/reset-password`, {
          temporary_password: 'Purple kettle 47 boats',
          remove_totp: true,
        }),
        'break_glass_last',
      ],
      [await put(`/api/identity-providers/${provider.id}`, { is_active: false }), 'identity_provider_needed'],
    ] as const)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, code], reply.body)
  })

  it('ends as a setting does', async () => {
    await accepted(require(false))
    assert.equal((await logInBrowser(world, 'uma')).statusCode, 204)
    await accepted(
      sendWith(world, session, 'PUT', `/api/identity-providers/${provider.id}`, { payload: { is_active: false } }),
    )
  })
})

// proves: SSO-04
describe('a log-out', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  before(async () => {
    scene = await openScene()
    ;({ world, idp } = scene)
    const { id } = await addProvider(world, idp)
    await linkUser(world, 'uma', id, 'subject-of-uma')
  })
  after(() => scene.close())

  it('at the provider ends the sessions that it began there and then, and no others', async () => {
    idp.logsIn({ sub: 'subject-of-uma' })
    const [one, other] = [await logInBySso(world, idp), await logInBySso(world, idp)]
    const byPassword = await openBrowser(world, 'uma')
    const page = await one.browser.get(`${idp.issuer}/session/end`)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.body)?.[1]
    assert.ok(xsrf, page.body)
    await one.browser.post(`${idp.issuer}/session/end/confirm`, { xsrf, logout: 'yes' })
    assert.deepEqual(scene.delivered, [200])
    const status = async (session: string) => (await sendWith(world, session, 'GET', '/api/auth/session')).statusCode
    assert.deepEqual(
      [await status(one.session!), await status(other.session!), await byPassword.status()],
      [401, 200, 200],
    )
    const entry = (await entriesOf(world, 'auth.session_ended')).at(-1)!
    assert.deepEqual([entry.username, entry.changes.cause!.to], ['system', 'ended_by_provider'])
  })

  it('here names the page of the provider that ends the session there', async () => {
    idp.logsIn({ sub: 'subject-of-uma' })
    const { session, browser } = await logInBySso(world, idp)
    const { end_session_url } = (await accepted(sendWith(world, session!, 'GET', '/api/auth/provider-logout'))).json()
    await accepted(sendWith(world, session!, 'POST', '/api/auth/logout'))
    const url = new URL(end_session_url)
    assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${publicUrl}/sign-in`)
    assert.ok(url.searchParams.get('id_token_hint'))
    assert.equal((await browser.get(url.href)).status, 200, 'the provider takes it')
    const stored = JSON.stringify(await world.rows('select * from login_attempts'))
    assert.ok(!stored.includes(url.searchParams.get('id_token_hint')!), 'the token is sealed')
    const byPassword = await openBrowser(world, 'uma')
    assert.equal((await byPassword.get('/api/auth/provider-logout')).json().end_session_url, null)
  })

  it('leaves nothing of the log-in behind after a day', async () => {
    const count = async () => (await world.rows<{ n: number }>('select count(*)::int as n from login_attempts'))[0]!.n
    assert.ok((await count()) > 0)
    world.clock.moved_ms += 27 * hour
    await world.tick()
    assert.equal(await count(), 0)
  })
})

// proves: SSO-01
describe('a mail domain', () => {
  let world: World
  let dns: Dns
  let idp: Idp
  before(async () => {
    ;[dns, idp] = await Promise.all([openDns(), openIdp()])
    world = await openWorld({ PUBLIC_URL: publicUrl }, { outbound: outboundHere([dns.server]) })
    await addProvider(world, idp)
  })
  after(async () => {
    await world.close()
    await Promise.all([dns.close(), idp.close()])
  })
  const optionsOf = async (email?: string) => {
    const query = email === undefined ? '' : `?email=${encodeURIComponent(email)}`
    const { password: byPassword, providers } = (
      await accepted(world.server.inject({ url: `/api/auth/options${query}` }))
    ).json()
    return { password: byPassword, providers }
  }
  const nothing = { password: true, providers: [] }
  const add = async (by: string, domain: string) =>
    (await accepted(world.as(by).post('/api/sso-domains/', { domain }))).json()
  const verify = (by: string, id: number) => world.as(by).post(`/api/sso-domains/${id}/verify`)

  it('shows nothing before it is proven whose it is', async () => {
    const { id, text, verified_at } = await add('ada', 'acme.example')
    assert.equal(verified_at, null)
    assert.deepEqual(await optionsOf('somebody@acme.example'), nothing)
    const early = await verify('ada', id)
    assert.deepEqual([early.statusCode, early.json().code], [409, 'sso_domain_not_proven'])
    dns.texts.set('acme.example', ['v=spf1 -all', text])
    assert.equal((await accepted(verify('ada', id))).json().verified_by_method, 'dns')
    assert.equal((await verify('ada', id)).json().code, 'sso_domain_already_verified')
  })

  it('then shows the providers, whoever asks and whether there is such an account', async () => {
    const providers = [{ name: 'Company ID', start: `${publicUrl}/api/auth/oidc/acme/idp/start` }]
    for (const email of ['ada@acme.example', 'Nobody.At.All@ACME.example'])
      assert.deepEqual(await optionsOf(email), { password: true, providers })
    for (const email of ['ada@sub.acme.example', 'ada@other.example', undefined])
      assert.deepEqual(await optionsOf(email), nothing)
  })

  it('is one company’s once it is proven, and before that keeps nobody from it', async () => {
    const theirs = await add('rex', 'acme.example')
    dns.texts.set('acme.example', [theirs.text])
    assert.equal((await verify('rex', theirs.id)).statusCode, 409)
    const squatted = await add('rex', 'later.example')
    const own = await add('ada', 'later.example')
    dns.texts.set('later.example', [own.text])
    assert.equal((await verify('rex', squatted.id)).statusCode, 409)
    await accepted(verify('ada', own.id))
  })

  it('is confirmed by an operator where the DNS cannot show it', async () => {
    const { id } = await add('ada', 'old.example')
    const actor = systemActor(world.people.ada!.tenant_id)
    const origin = { requestId: '', clientAddr: '' }
    await world.services.runner.run(confirmDomain, actor, { body: { domain: 'old.example' } }, { origin })
    const found = (await world.as('ada').get('/api/sso-domains/')).json().find((each: { id: number }) => each.id === id)
    assert.equal(found.verified_by_method, 'operator')
    await accepted(world.as('ada').delete(`/api/sso-domains/${id}`))
    assert.deepEqual(await optionsOf('x@old.example'), nothing)
  })
})
