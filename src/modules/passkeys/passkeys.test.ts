import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newAuthenticator, originOf, registerPasskey, withPasskey } from '#test/builders/authenticator.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { accepted } from '#test/builders/samples.ts'
import { cookieIn, openBrowser, ours, sendWith } from '#test/builders/sessions.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const minutes = 60_000

// proves: SES-01, SSO-05, AUTH-07
describe('passkeys', () => {
  let world: World
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
  })
  after(() => world.close())

  const post = (name: string) => (url: string, body: object) => world.as(name).post(url, body)
  const open = (url: string, payload: object = {}, headers: Record<string, string> = ours) =>
    world.server.inject({ method: 'POST', url, payload, headers })
  const loginOptions = async (): Promise<Json> => ok(await open('/api/auth/passkeys/login/options'))
  const logIn = async (authenticator: ReturnType<typeof newAuthenticator>) =>
    open('/api/auth/passkeys/login', { response: authenticator.get(await loginOptions()) })
  const entriesOf = (action: string, id: number) =>
    world.rows<{ changes: Json; reason: string | null; username: string }>(
      'select changes, reason, username from audit_entries where action = $1 and resource_id = $2 order by id',
      [action, id],
    )

  it('are registered after the password, and listed with what is known of them', async () => {
    const authenticator = newAuthenticator(originOf(world))
    const options = ok(await world.as('uma').post('/api/auth/passkeys/options', { password }))
    assert.deepEqual(
      [options.rp.id, options.user.name, options.attestation, options.authenticatorSelection.userVerification],
      ['qms.example', 'uma', 'none', 'required'],
    )
    assert.equal(Buffer.from(options.user.id, 'base64url').length, 32)
    const made = await accepted(
      world.as('uma').post('/api/auth/passkeys/', { name: 'Yellow key', response: authenticator.create(options) }),
    )
    assert.equal(made.statusCode, 201)
    const { id } = made.json()
    assert.deepEqual(ok(await world.as('uma').get('/api/auth/passkeys/')), [
      { ...made.json(), id, name: 'Yellow key', is_device_bound: true, is_backed_up: false, last_used_at: null },
    ])
    const [entry] = await entriesOf('passkey.registered', id)
    assert.equal(entry!.changes.name.to, 'Yellow key')
    const again = ok(await world.as('uma').post('/api/auth/passkeys/options', { password }))
    assert.deepEqual(
      again.excludeCredentials.map((each: Json) => each.id),
      [authenticator.id],
    )
    assert.equal(again.user.id, options.user.id)
    const notices = ok(await world.as('uma').get('/api/notifications/'))
    assert.equal(notices.items[0].type, 'account_changed')
  })

  it('are registered without the password within ten minutes of the log-in alone', async () => {
    const recent = await world.as('anna', { logged_in: 9 * 60 }).post('/api/auth/passkeys/options', {})
    assert.equal(recent.statusCode, 200, recent.body)
    const late = await world.as('anna', { logged_in: 11 * 60 }).post('/api/auth/passkeys/options', {})
    assert.deepEqual([late.statusCode, late.json().code], [401, 'password_for_change_required'])
    const wrong = await world.as('anna').post('/api/auth/passkeys/options', { password: 'not the password' })
    assert.equal(wrong.statusCode, 401)
  })

  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const)
    it(`of ${algorithm} log a browser in, as two factors`, async () => {
      const { id, authenticator } = await withPasskey(world, 'alan', { algorithm })
      const reply = await logIn(authenticator)
      assert.deepEqual([reply.statusCode, reply.body], [204, ''])
      const cookie = cookieIn(reply)
      assert.equal((await sendWith(world, cookie, 'GET', '/api/auth/me')).json().username, 'alan')
      const [session] = await world.rows<{ amr: string[]; kind: string }>(
        'select amr, kind from sessions order by id desc limit 1',
      )
      assert.deepEqual(session, { amr: ['hwk', 'user'], kind: 'browser' })
      const entries = await entriesOf('auth.logged_in', world.people.alan!.id)
      assert.equal(entries.at(-1)!.changes.passkey.to, id)
    })

  it('that may be copied between devices say so, and log in all the same', async () => {
    const { id, authenticator } = await withPasskey(world, 'petra', { isSynced: true, counts: false })
    const [shown] = ok(await world.as('petra').get('/api/auth/passkeys/'))
    assert.deepEqual([shown.id, shown.is_device_bound, shown.is_backed_up], [id, false, true])
    for (const _ of [1, 2]) {
      assert.equal((await logIn(authenticator)).statusCode, 204)
      world.clock.moved_ms += 10
    }
    const [session] = await world.rows<{ amr: string[] }>('select amr from sessions order by id desc limit 1')
    assert.deepEqual(session!.amr, ['swk', 'user'])
  })

  it('are renamed and revoked by their owner, and open nothing from then on', async () => {
    const { id, authenticator } = await withPasskey(world, 'quentin')
    const renamed = ok(await world.as('quentin').put(`/api/auth/passkeys/${id}`, { name: 'In the drawer' }))
    assert.equal(renamed.name, 'In the drawer')
    for (const reply of [
      await world.as('quinn').put(`/api/auth/passkeys/${id}`, { name: 'Mine' }),
      await world.as('quinn').delete(`/api/auth/passkeys/${id}`),
      await world.as('rex').delete(`/api/auth/passkeys/${id}`),
    ])
      assert.equal(reply.statusCode, 404)
    assert.equal((await logIn(authenticator)).statusCode, 204)
    assert.equal((await world.as('quentin').delete(`/api/auth/passkeys/${id}`)).statusCode, 204)
    assert.equal((await logIn(authenticator)).statusCode, 401)
    assert.equal((await world.as('quentin').delete(`/api/auth/passkeys/${id}`)).statusCode, 404)
    assert.deepEqual(ok(await world.as('quentin').get('/api/auth/passkeys/')), [])
  })

  it('are listed and revoked by an Admin, and the user is told', async () => {
    const { id, authenticator } = await withPasskey(world, 'otto')
    const user = `/api/users/${world.people.otto!.id}/passkeys`
    assert.deepEqual(
      ok(await world.as('ada').get(user)).map((each: Json) => each.id),
      [id],
    )
    const another = `/api/users/${world.people.uma!.id}/passkeys/${id}`
    assert.equal((await world.as('ada').delete(another)).statusCode, 404)
    assert.equal((await world.as('quinn').delete(`${user}/${id}`)).statusCode, 403)
    assert.equal((await world.as('ada').delete(`${user}/${id}`)).statusCode, 204)
    assert.equal((await logIn(authenticator)).statusCode, 401)
    const [entry] = await entriesOf('passkey.revoked', id)
    assert.deepEqual([entry!.username, entry!.changes.cause.to], ['ada', 'revoked_by_admin'])
    const notices = ok(await world.as('otto').get('/api/notifications/'))
    assert.match(notices.items[0].message, /passkey/)
  })

  it('are the second factor of a platform user', async () => {
    const login = await openBrowser(world, 'pat')
    assert.equal((await login.get('/api/platform/tenants/')).statusCode, 403)
    const authenticator = newAuthenticator(originOf(world))
    await registerPasskey((url, body) => login.post(url, body), authenticator)
    assert.equal(
      (await login.get('/api/platform/tenants/')).statusCode,
      403,
      'the session is still of a password alone',
    )
    const cookie = cookieIn(await logIn(authenticator))
    const tenants = await sendWith(world, cookie, 'GET', '/api/platform/tenants/')
    assert.equal(tenants.statusCode, 200, tenants.body)
    const again = await openBrowser(world, 'pat')
    assert.equal((await again.get('/api/platform/tenants/')).statusCode, 403)
  })

  it('do not outlive a reset of the password, which somebody else may have asked for', async () => {
    const { id, authenticator } = await withPasskey(world, 'anna')
    const temporary_password = 'Purple kettle 47 boats'
    ok(await world.as('ada').post(`/api/users/${world.people.anna!.id}/reset-password`, { temporary_password }))
    assert.equal((await logIn(authenticator)).statusCode, 401)
    const [entry] = await entriesOf('passkey.revoked', id)
    assert.equal(entry!.changes.cause.to, 'password_reset')
    const login = await openBrowser(world, 'anna', { secret: temporary_password })
    const refused = async (secret: string) => login.post('/api/auth/passkeys/options', { password: secret })
    assert.equal((await refused(temporary_password)).json().code, 'passkey_password_temporary')
    const new_password = 'Quiet violet 12 engines'
    const changed = await login.post('/api/auth/change-password', {
      current_password: temporary_password,
      new_password,
    })
    const cookie = cookieIn(changed)
    const pending = await sendWith(world, cookie, 'POST', '/api/auth/passkeys/options', {
      payload: { password: new_password },
    })
    assert.deepEqual([pending.statusCode, pending.json().code], [403, 'passkey_identity_reset'])
  })

  it('are sealed again with a new SECRET_KEY when they are used', async t => {
    const secrets = { SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-later', PUBLIC_URL: 'https://qms.example' }
    const old = await openWorld({ ...secrets, SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-early' })
    t.after(() => old.close())
    const { id, authenticator } = await withPasskey(old, 'uma')
    const { deriveKeys } = await import('#platform/crypto/secrets.ts')
    const keys = deriveKeys({
      secret_key: secrets.SECRET_KEY,
      secret_key_previous: 'f0d1c2b3a495867718293a4b5c6d7e8f-early',
    })
    const sealOf = async () =>
      (await old.rows<{ seal: Buffer }>('select seal from passkeys where id = $1', [id]))[0]!.seal.toString('hex')
    const before = await sealOf()
    Object.assign(old.services.keys, { passkeys: keys.passkeys })
    const options = ok(
      await old.server.inject({ method: 'POST', url: '/api/auth/passkeys/login/options', payload: {}, headers: ours }),
    )
    const reply = await old.server.inject({
      ...{ method: 'POST', url: '/api/auth/passkeys/login', headers: ours },
      payload: { response: authenticator.get(options) },
    })
    assert.equal(reply.statusCode, 204, reply.body)
    assert.notEqual(await sealOf(), before)
  })

  // proves: SSO-03
  it('let nobody in where single sign-on is required, but for a break-glass account, of which the Admins are told', async () => {
    const [{ authenticator }, { authenticator: glass }] = [
      await withPasskey(world, 'petra'),
      await withPasskey(world, 'ada'),
    ]
    const { ada, petra } = world.people
    const set = (required: boolean) =>
      world.superuser.query(`begin; set local session_replication_role = replica;
        update tenants set settings = settings || '{"sso_required": ${required}}' where id = ${ada!.tenant_id};
        update credentials set is_break_glass = ${required} where user_id = ${ada!.id}; commit`)
    await set(true)
    try {
      const refused = await logIn(authenticator)
      assert.deepEqual([refused.statusCode, refused.headers['set-cookie']], [401, undefined])
      const [failed] = (await entriesOf('auth.login_failed', petra!.id)).slice(-1)
      assert.match(failed!.reason!, /^Single sign-on is required/)
      assert.equal((await logIn(glass)).statusCode, 204)
      assert.equal((await entriesOf('auth.break_glass_used', ada!.id)).length, 1)
    } finally {
      await set(false)
    }
    assert.equal((await logIn(authenticator)).statusCode, 204)
  })

  it('are not there where the installation does not know its address', async t => {
    const nowhere = await openWorld()
    t.after(() => nowhere.close())
    for (const url of ['/api/auth/passkeys/login/options'] as const) {
      const reply = await nowhere.server.inject({ method: 'POST', url, payload: {}, headers: ours })
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'passkeys_not_set_up'])
    }
    const options = ok(await nowhere.server.inject({ method: 'GET', url: '/api/auth/options' }))
    assert.equal(options.passkeys, false)
    const reply = await nowhere.as('uma').post('/api/auth/passkeys/options', { password })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'passkeys_not_set_up'])
  })

  it('are registered twenty at most, and one after another', async () => {
    const keys = Array.from({ length: 22 }, () => newAuthenticator(originOf(world)))
    const replies = await Promise.all(
      keys.map(async key => {
        const options = await world.as('quinn').post('/api/auth/passkeys/options', {})
        if (options.statusCode !== 200) return options.statusCode
        const sent = { name: 'Key', response: key.create(options.json()) }
        return (await post('quinn')('/api/auth/passkeys/', sent)).statusCode
      }),
    )
    assert.equal(replies.filter(each => each === 201).length, 20)
    assert.equal(replies.filter(each => each === 409).length, 2)
    world.clock.moved_ms += minutes
  })
})
