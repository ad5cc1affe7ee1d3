// Accounts as somebody attacks them who has a stolen token, or who may manage users. Each test is an attack that once succeeded.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { ok } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('a stolen token', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
  const codeOf = (secret: string) => new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() })

  // proves: AUTH-04, AUTH-05
  it('enrols no second factor without the password', async () => {
    const bare = await world.as('petra').post('/api/auth/totp/enroll')
    assert.ok([400, 422].includes(bare.statusCode), bare.body)
    const wrong = await world.as('petra').post('/api/auth/totp/enroll', { password: 'Wrong horse 1 battery' })
    assert.deepEqual([wrong.statusCode, wrong.json().code], [401, 'password_incorrect'])
    const [row] = await world.rows('select totp_secret from credentials where user_id = $1', [world.people.petra!.id])
    assert.deepEqual(row, { totp_secret: null })
  })

  // proves: AUTH-05
  it('removes no second factor with the password alone', async () => {
    const { secret } = ok(await world.as('alan').post('/api/auth/totp/enroll', { password }))
    ok(await world.as('alan').post('/api/auth/totp/confirm', { otp: codeOf(secret) }))
    world.people.alan!.session_version += 1
    world.clock.moved_ms += 60_000
    const remove = (proof: object) => world.as('alan').delete('/api/auth/totp', proof)
    assert.equal((await remove({ password })).statusCode, 401)
    assert.equal((await remove({ password, otp: '000000' })).statusCode, 401)
    assert.equal(ok(await world.as('alan').get('/api/auth/me')).totp_enrolled, true)
    ok(await remove({ password, otp: codeOf(secret) }))
  })

  // proves: AUTH-04
  it('is not renewed: a token that is issued again ends when the log-in would have', async () => {
    const login = await world.tokenOf('quentin', { logged_in: 3600 })
    const change = { current_password: password, new_password: 'Giraffe 4 umbrella' }
    const again = ok(await world.as('quentin', { logged_in: 3600 }).post('/api/auth/change-password', change))
    const { exp, auth_time } = claimsOf(again.access_token)
    assert.deepEqual([auth_time, exp], [claimsOf(login).auth_time, claimsOf(login).auth_time + 480 * 60])
  })

  // proves: AUTH-04
  it('ends when its owner logs out', async () => {
    const [stolen, rex] = [await world.tokenOf('anna'), await world.tokenOf('rex')]
    const by = async (token: string) =>
      (await world.server.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })).statusCode
    assert.equal(await by(stolen), 200)
    assert.equal((await world.as('anna').post('/api/auth/logout')).statusCode, 204)
    assert.deepEqual([await by(stolen), await by(rex)], [401, 200])
    const entries = await world.rows(`select username from audit_entries where action = 'auth.logged_out'`)
    assert.deepEqual(entries, [{ username: 'anna' }])
  })
})

/** Without e-mail; test/attacks/password-links.test.ts has it. */
describe('an Admin', () => {
  let world: World
  let document_id: number
  const temporary = 'Temporary staple 7'
  before(async () => {
    world = await openWorld()
    document_id = ok(
      await world
        .as('alan')
        .upload('/api/documents/upload', { title: 'Cleaning', document_type: await world.typeId('SOP') }),
    ).id
  })
  after(() => world.close())

  const idOf = (name: string) => world.people[name]!.id
  const logIn = async (username: string, given: string) =>
    world.server.inject({ method: 'POST', url: '/api/auth/token', payload: { username, password: given } })
  const by = async (token: string, url: string, payload: object) =>
    world.server.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${token}` } })
  const reset = async (name: string, by = 'ada') => {
    const body = { temporary_password: temporary, remove_totp: true, change_reason: 'Called by phone' }
    const answer = ok(await world.as(by).post(`/api/users/${idOf(name)}/reset-password`, body))
    world.people[name]!.session_version = await sessionOf(name)
    return answer
  }
  const sessionOf = async (name: string) => {
    const rows = await world.rows<{ session_version: number }>(
      'select session_version from credentials where user_id = $1',
      [idOf(name)],
    )
    return rows[0]!.session_version
  }
  /** The password that only the attacker knows, in place of the temporary one. */
  const takeOver = async (name: string): Promise<string> => {
    const { access_token } = ok(await logIn(name, temporary))
    const change = { current_password: temporary, new_password: 'Attacker 4 umbrella' }
    const changed = ok(await by(access_token, '/api/auth/change-password', change))
    world.people[name]!.session_version = await sessionOf(name)
    return changed.access_token
  }
  const sign = (token: string, given: string) =>
    by(token, '/api/signatures/', {
      ...{ document_id, signature_type: 'witness', intent: 'I have seen it', password: given },
    })
  const verify = (verifier: string, name: string) =>
    world.as(verifier).post(`/api/users/${idOf(name)}/verify-identity`, { method: 'In person' })

  // proves: SIG-01, AUTH-05
  it('who resets a password and logs in with it does not sign, until a third person has verified who it is', async () => {
    ok(await verify('quinn', 'quentin'))
    const after = await reset('quentin')
    assert.deepEqual([after.identity_verified, after.identity_reset_at === null], [null, false])
    const token = await takeOver('quentin')
    const refused = await sign(token, 'Attacker 4 umbrella')
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'signing_identity_reset'])
    assert.equal((await verify('ada', 'quentin')).json().code, 'user_identity_by_opener')
    const requested = await world.rows<{ username: string }>(
      `select u.username from notifications n join users u on u.id = n.user_id where n.type = 'identity_verification_requested'`,
    )
    assert.deepEqual(requested, [{ username: 'quinn' }])
    assert.equal(ok(await verify('quinn', 'quentin')).identity_reset_at, null)
    assert.equal((await sign(token, 'Attacker 4 umbrella')).statusCode, 201)
  })

  // proves: SIG-01
  it('has no accomplice in an account that was taken over or made for it, nor in a changed e-mail address', async () => {
    await reset('quinn')
    await takeOver('quinn')
    await reset('petra')
    assert.equal((await verify('quinn', 'petra')).json().code, 'user_identity_verifier_reset')
    const roles = ok(await world.as('ada').get('/api/roles/?page_size=100')).items as { id: number; name: string }[]
    const puppet = {
      ...{ username: 'puppet', email: 'puppet@example.com', full_name: 'Puppet', password: temporary },
      role_id: roles.find(({ name }) => name === 'QA Manager')!.id,
    }
    const { id } = ok(await world.as('ada').post('/api/users/', puppet))
    world.people.puppet = { id, tenant_id: world.people.ada!.tenant_id, session_version: 1 }
    await takeOver('puppet')
    assert.equal((await verify('puppet', 'petra')).json().code, 'user_identity_verifier_too_new')
    ok(await world.as('ada').put(`/api/users/${idOf('anna')}`, { email: 'attacker@example.com' }))
    assert.equal((await verify('ada', 'anna')).json().code, 'user_identity_by_opener')
    assert.equal((await verify('ada', 'puppet')).json().code, 'user_identity_by_opener', 'who created it')
  })

  // proves: AUTH-05
  it('gives no password that goes on to hold: a temporary one must be changed, within 72 hours', async () => {
    const lasting = {
      ...{ username: 'nora', email: 'nora@example.com', full_name: 'Nora', password: temporary },
      must_change_password: false,
    }
    const refused = await world.as('ada').post('/api/users/', lasting)
    assert.deepEqual([refused.statusCode, refused.json().detail[0].type], [422, 'user_must_change_password'])
    await reset('uma')
    const token = ok(await logIn('uma', temporary)).access_token
    world.clock.moved_ms += 73 * 3_600_000
    assert.equal((await logIn('uma', temporary)).statusCode, 401)
    const change = { current_password: temporary, new_password: 'Attacker 4 umbrella' }
    assert.equal((await by(token, '/api/auth/change-password', change)).statusCode, 401)
    const [entry] = await world.rows<{ reason: string }>(
      `select reason from audit_entries where action = 'auth.login_failed' and username = 'uma' order by id desc`,
    )
    assert.equal(entry!.reason, 'The temporary password ended after 72 hours')
  })

  // proves: ROLE-01, AUTH-05
  it('and an Auditor see how people log in, and QA does not', async () => {
    const url = `/api/users/${idOf('alan')}`
    const fieldsFor = async (name: string) => Object.keys(ok(await world.as(name).get(url)))
    const logins = ['totp_enrolled', 'must_change_password', 'failed_attempts', 'locked_until', 'last_login_at']
    ok(await logIn('alan', password))
    assert.notEqual(ok(await world.as('ada').get(url)).last_login_at, null)
    const hidden = [...(await fieldsFor('quentin')), ...(await fieldsFor('anna'))]
    assert.deepEqual(
      hidden.filter(field => [...logins, 'identity_verified'].includes(field)),
      [],
    )
    const shown = await fieldsFor('ada')
    assert.deepEqual(
      logins.filter(field => !shown.includes(field)),
      [],
    )
  })
})

describe('wrong log-ins', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const wrong = 'Wrong horse 1 battery'
  const logIn = async (username: string, given: string, remoteAddress: string) =>
    world.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { username, password: given },
      remoteAddress,
    })
  const [attacker, home, travelling] = ['203.0.113.5', '198.51.100.7', '198.51.100.99']
  const entries = (username: string, action = 'auth.login_failed') =>
    world.rows<{ reason: string; resource_id: string }>(
      `select reason, resource_id from audit_entries where action = $1
         and (username = $2 or resource_id = (select id from users where username = $2)) order by id`,
      [action, username],
    )

  // proves: AUTH-05, SIG-01
  it('of somebody else lock that address, not the owner, who logs in and signs meanwhile', async t => {
    const now = world.clock.now()
    t.mock.method(world.clock, 'now', () => new Date(now.getTime() + world.clock.moved_ms))
    for (let failure = 0; failure < 6; failure++) await logIn('alan', wrong, attacker)
    assert.equal((await logIn('alan', password, attacker)).statusCode, 401)
    assert.equal((await logIn('alan', password, home)).statusCode, 200)
    const [lock] = await entries('alan', 'auth.locked')
    assert.equal(lock!.reason, `5 failed attempts in a row: locked for 30 seconds, for log-ins from ${attacker}`)
    assert.match(JSON.stringify(world.lines), /locked for 30 seconds, for log-ins from 203/)
    const document = ok(
      await world
        .as('alan')
        .upload('/api/documents/upload', { title: 'Cleaning', document_type: await world.typeId('SOP') }),
    )
    const body = { document_id: document.id, signature_type: 'witness', intent: 'I have seen it', password }
    assert.equal((await world.as('alan').post('/api/signatures/', body)).statusCode, 201)
  })

  // proves: AUTH-05
  it('from a hundred addresses lock new addresses for a quarter of an hour, and not for ever', async t => {
    const now = world.clock.now()
    t.mock.method(world.clock, 'now', () => new Date(now.getTime() + world.clock.moved_ms))
    assert.equal((await logIn('anna', password, home)).statusCode, 200)
    for (let n = 0; n < 100; n++) await logIn('anna', wrong, `192.0.2.${n}`)
    assert.equal((await logIn('anna', password, travelling)).statusCode, 401)
    assert.equal((await logIn('anna', password, home)).statusCode, 200, 'where the owner has logged in from')
    for (let n = 0; n < 100; n++) await logIn('anna', wrong, `192.0.2.${n}`)
    world.clock.moved_ms += 15 * 60_000
    assert.equal((await logIn('anna', password, travelling)).statusCode, 200)
  })

  // proves: AUD-01, AUTH-05
  it('of one address are one entry at once, and one more that states how many followed, also for unknown names', async () => {
    const times = 4
    for (const name of ['petra', 'nobody']) for (let n = 0; n < times; n++) await logIn(name, wrong, attacker)
    assert.deepEqual(
      (await entries('petra')).map(({ reason }) => reason),
      ['Wrong password'],
    )
    world.clock.moved_ms += 16 * 60_000
    await world.tick()
    const [first, rest, ...more] = await entries('petra')
    assert.equal(first!.reason, 'Wrong password')
    assert.match(rest!.reason, new RegExp(`^${times - 1} more failed log-ins from ${attacker}, between \\S+ and \\S+$`))
    assert.equal(rest!.resource_id, String(world.people.petra!.id))
    assert.equal(more.length, 0)
    const unknown = await world.rows<{ reason: string }>(
      `select reason from audit_entries where action = 'auth.login_failed' and tenant_id = 1 order by id`,
    )
    assert.equal(unknown.length, 2)
    assert.equal(unknown[0]!.reason, 'Unknown user name or e-mail address')
    assert.match(unknown[1]!.reason, /^3 more failed log-ins/)
  })

  // proves: AUTH-06, ERR-01
  it('carry 64 KiB at most, on every path that needs no token', async () => {
    for (const path of ['token', 'forgot-password', 'reset-password', 'token/']) {
      const payload = { username: 'x'.repeat(64 * 1024), password: wrong }
      const reply = await world.server.inject({ method: 'POST', url: `/api/auth/${path}`, payload })
      assert.deepEqual([reply.statusCode, reply.json().code], [413, 'body_too_large'], path)
    }
  })

  // proves: AUTH-05
  it('to many accounts make their address wait, not the people who have logged in from it', async () => {
    const office = '198.51.100.200'
    assert.equal((await logIn('quentin', password, office)).statusCode, 200)
    // One password for many names: no account has enough failures to be locked.
    for (let n = 0; n < 100; n++)
      assert.equal((await logIn(n % 50 === 0 ? 'quinn' : `nobody${n}`, wrong, office)).statusCode, 401)
    const refusals = [
      await logIn('quinn', password, office),
      await logIn('quinn', wrong, office),
      await logIn('quentin', wrong, office),
      await logIn('nobody', wrong, office),
    ]
    const [first] = refusals
    assert.deepEqual([first!.statusCode, first!.json().code], [503, 'too_many_failed_logins'])
    const seconds = Number(first!.headers['retry-after'])
    assert.ok(seconds > 800 && seconds <= 900, String(seconds))
    const { request_id: _, ...same } = first!.json()
    for (const reply of refusals) {
      const { request_id: _, ...body } = reply.json()
      assert.deepEqual([reply.statusCode, body], [503, same])
    }
    assert.equal((await logIn('quentin', password, office)).statusCode, 200)
    assert.equal((await logIn('quinn', password, '198.51.100.201')).statusCode, 200)
    assert.match(JSON.stringify(world.lines), /log-ins from 198.51.100.200 are limited/)
    world.clock.moved_ms += 15 * 60_000
    assert.equal((await logIn('quinn', password, office)).statusCode, 200)
  })
})
