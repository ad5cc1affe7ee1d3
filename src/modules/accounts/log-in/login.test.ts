import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { meeting } from '#test/builders/races.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const codeAt = (secret: string, moment: Date) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: moment.getTime() })
const same = (answers: { statusCode: number; body: string }[]) =>
  new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`))

describe('logging in', () => {
  let world: World
  let petrasSecret: string
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  // Async, because inject does nothing before someone waits for it: two requests would not run side by side.
  const logIn = async (username: string, given = password, otp?: string) =>
    world.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { username, password: given, ...(otp && { otp }) },
    })
  const me = async (token: string) =>
    world.server.inject({ method: 'GET', url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })
  /** A lock of half a minute, or a code, lasts as long as a test moves the clock, however long the machine takes to check passwords. */
  const stopClock = (t: TestContext) => {
    const begun = Date.now()
    t.mock.method(world.clock, 'now', () => new Date(begun + world.clock.moved_ms))
  }
  const entries = (action: string, username: string) =>
    world.rows<{ outcome: string; reason: string; user_id: string }>(
      'select outcome, reason, user_id from audit_entries where action = $1 and username = $2 order by id',
      [action, username],
    )

  it('gives a token for the user name in any case and for the e-mail address (proves: AUTH-01, AUTH-02, AUTH-04)', async () => {
    for (const name of ['quinn', 'QUINN', 'Quinn@Example.com']) {
      const reply = await logIn(name)
      assert.equal(reply.statusCode, 200)
      const { access_token, ...rest } = reply.json()
      assert.deepEqual(rest, {
        token_type: 'bearer',
        user: { id: world.people.quinn!.id, username: 'quinn', email: 'quinn@example.com', role: 'QA Manager' },
      })
      const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
      assert.equal(claims.exp - claims.iat, 480 * 60)
      assert.deepEqual(
        [claims.sub, claims.tid, claims.amr],
        [String(world.people.quinn!.id), world.people.quinn!.tenant_id, ['pwd']],
      )
      const who = (await me(access_token)).json()
      assert.deepEqual(
        [who.username, who.role, who.tenant.slug, who.is_platform_user, who.totp_enrolled],
        ['quinn', 'QA Manager', 'acme', false, false],
      )
      const permissions: string[] = who.permissions
      assert.deepEqual(permissions, [...permissions].sort())
    }
    assert.equal((await entries('auth.logged_in', 'quinn')).length, 3)
  })

  it('answers the same 401 whatever is wrong, and the audit trail knows what it was (proves: AUTH-05)', async () => {
    assert.equal(
      (await world.as('rex').post(`/api/users/${world.people.rob!.id}/deactivate`, { change_reason: 'Left' }))
        .statusCode,
      200,
    )
    const answers = [
      await logIn('nobody'),
      await logIn('nobody@example.com'),
      await logIn('petra', 'Wrong horse 1 battery'),
      await logIn('rob'),
    ]
    assert.deepEqual(
      [...same(answers)],
      ['401 {"detail":"Incorrect username, password or code.","code":"login_failed","params":{}}'],
    )
    assert.equal(answers[0]!.headers['www-authenticate'], 'Bearer')
    const [denied] = await entries('auth.login_failed', 'petra')
    assert.deepEqual(denied, { outcome: 'denied', reason: 'Wrong password', user_id: String(world.people.petra!.id) })
    assert.equal((await entries('auth.login_failed', 'rob'))[0]!.reason, 'The account is not active')
    assert.equal((await entries('auth.login_failed', 'system')).length, 1)
  })

  it('is locked after five failures for 30 seconds, then for twice as long, also with the right password', async t => {
    stopClock(t)
    for (let failure = 0; failure < 5; failure++) await logIn('anna', 'Wrong horse 1 battery')
    const refused = await logIn('anna')
    assert.deepEqual([refused.statusCode, refused.json().code], [401, 'login_failed'])
    assert.match((await entries('auth.locked', 'anna'))[0]!.reason, /locked for 30 seconds/)
    world.clock.moved_ms += 31_000
    await logIn('anna', 'Wrong horse 1 battery')
    assert.match((await entries('auth.locked', 'anna'))[1]!.reason, /6 failed attempts in a row: locked for 60 seconds/)
    world.clock.moved_ms += 31_000
    assert.equal((await logIn('anna')).statusCode, 401)
    world.clock.moved_ms += 30_000
    assert.equal((await logIn('anna')).statusCode, 200)
    const { failed_attempts, locked_until, last_login_at } = (
      await world.as('ada').get(`/api/users/${world.people.anna!.id}`)
    ).json()
    assert.deepEqual([failed_attempts, locked_until], [0, null])
    assert.equal(Date.parse(last_login_at), world.clock.now().getTime())
  })

  it('counts 50 wrong passwords at the same moment as five, and lets no right one through among them', async t => {
    stopClock(t)
    const lock = {
      text: 'select from credentials where user_id = $1 for update',
      values: [world.people.alan!.id],
      waiting: 8,
    }
    const answers = await meeting(world, lock, () => [
      ...Array.from({ length: 50 }, (_, index) => logIn('alan', `Wrong horse ${index} battery`)),
      logIn('alan'),
    ])
    assert.equal(same(answers).size, 1)
    const { failed_attempts } = (await world.as('ada').get(`/api/users/${world.people.alan!.id}`)).json()
    assert.equal(failed_attempts, 5)
    assert.equal((await entries('auth.locked', 'alan')).length, 1)
    assert.equal((await entries('auth.login_failed', 'alan')).length, 1)
    const [counted] = await world.rows('select repeated from login_addresses where user_id = $1 and repeated > 0', [
      world.people.alan!.id,
    ])
    assert.deepEqual(counted, { repeated: 50 })
  })

  it('is unlocked by the temporary password of an Admin, which must be changed', async () => {
    const { id } = world.people.uma!
    for (let failure = 0; failure < 12; failure++) await logIn('uma', 'Wrong horse 1 battery')
    assert.equal((await logIn('uma')).statusCode, 401)
    const reset = await world.as('ada').post(`/api/users/${id}/reset-password`, {
      temporary_password: 'Temporary staple 7',
      change_reason: 'Called by phone',
    })
    assert.equal(reset.statusCode, 200)
    assert.deepEqual([reset.json().must_change_password, reset.json().failed_attempts], [true, 0])
    const { access_token } = (await logIn('uma', 'Temporary staple 7')).json()
    const headers = { authorization: `Bearer ${access_token}` }
    assert.deepEqual((await me(access_token)).json().permissions, ['account.manage_own'])
    const refused = await world.server.inject({ url: '/api/documents/', headers })
    assert.equal(refused.statusCode, 403)
    assert.match(refused.json().detail, /is temporary\. Change it first, at POST \/api\/auth\/change-password/)
    const changed = await world.server.inject({
      method: 'POST',
      url: '/api/auth/change-password',
      headers,
      payload: { current_password: 'Temporary staple 7', new_password: 'Giraffe 4 umbrella' },
    })
    assert.equal(changed.statusCode, 200, changed.body)
    assert.equal((await me(access_token)).statusCode, 401)
    const now = { authorization: `Bearer ${changed.json().access_token}` }
    assert.equal((await world.server.inject({ url: '/api/documents/', headers: now })).statusCode, 200)
  })

  it('asks for the code of a second factor, and takes one code once, of 50 at the same moment too', async t => {
    stopClock(t)
    const { secret, otpauth_uri } = (await world.as('petra').post('/api/auth/totp/enroll', { password })).json()
    petrasSecret = secret
    assert.match(otpauth_uri, /^otpauth:\/\/totp\/Attest:petra\?/)
    assert.equal((await logIn('petra')).statusCode, 200)
    const wrong = await world.as('petra').post('/api/auth/totp/confirm', { otp: '000000' })
    assert.equal(wrong.statusCode, 422)
    const confirmed = await world.as('petra').post('/api/auth/totp/confirm', { otp: codeAt(secret, world.clock.now()) })
    assert.equal(confirmed.statusCode, 200, confirmed.body)
    assert.equal((await me(confirmed.json().access_token)).json().totp_enrolled, true)
    world.clock.moved_ms += 60_000
    const otp = codeAt(secret, world.clock.now())
    const answers = [
      await logIn('petra'),
      await logIn('petra', password, '123'),
      await logIn('petra', 'Wrong horse 1 battery', otp),
    ]
    assert.equal(same(answers).size, 1)
    const many = await Promise.all(Array.from({ length: 50 }, () => logIn('petra', password, otp)))
    assert.equal(many.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.deepEqual(
      [...same(many.filter(({ statusCode }) => statusCode !== 200))],
      ['401 {"detail":"Incorrect username, password or code.","code":"login_failed","params":{}}'],
    )
    // Sending a code twice is no guess.
    world.clock.moved_ms += 60_000
    const again = await logIn('petra', password, codeAt(secret, world.clock.now()))
    assert.equal(again.statusCode, 200)
    assert.deepEqual(JSON.parse(Buffer.from(again.json().access_token.split('.')[1], 'base64url').toString()).amr, [
      'pwd',
      'otp',
    ])
  })

  it('removes the second factor with the password and its code', async t => {
    stopClock(t)
    const [credentials] = await world.rows<{ session_version: number }>(
      'select session_version from credentials where user_id = $1',
      [world.people.petra!.id],
    )
    world.people.petra!.session_version = credentials!.session_version
    world.clock.moved_ms += 60_000
    const refused = await world.as('petra').delete('/api/auth/totp', { password: 'Wrong horse 1 battery' })
    assert.equal(refused.statusCode, 401)
    assert.match(String(refused.headers['www-authenticate']), /insufficient_user_authentication/)
    assert.equal((await entries('auth.proof_failed', 'petra')).length, 1)
    const removed = await world
      .as('petra')
      .delete('/api/auth/totp', { password, otp: codeAt(petrasSecret, world.clock.now()) })
    assert.equal(removed.statusCode, 200, removed.body)
    assert.equal((await logIn('petra')).statusCode, 200)
  })

  it('refuses a new password that is short, common, the own name, or one of the last five', async () => {
    const change = (new_password: string) =>
      world.as('quentin').post('/api/auth/change-password', { current_password: password, new_password })
    for (const weak of ['Short 1', 'password1234', 'quentin Giraffe 4', password]) {
      const reply = await change(weak)
      assert.equal(reply.statusCode, 422, weak)
      assert.deepEqual(reply.json().detail[0].loc, ['body', 'new_password'])
    }
    assert.equal(
      (
        await world.as('quentin').post('/api/auth/change-password', {
          current_password: 'Wrong horse 1 battery',
          new_password: 'Giraffe 4 umbrella',
        })
      ).statusCode,
      401,
    )
    assert.equal((await change('Giraffe 4 umbrella')).statusCode, 200)
    assert.equal((await world.as('quentin').get('/api/auth/me')).statusCode, 401)
  })

  it('never writes a password, a hash or a code into the audit trail', async () => {
    const [found] = await world.rows(
      `select count(*)::int as n from audit_entries where to_jsonb(audit_entries)::text ~ 'argon2|battery|staple|umbrella|totp_secret'`,
    )
    assert.deepEqual(found, { n: 0 })
  })

  it('has no registration where it is not enabled (proves: AUTH-03)', async () => {
    const reply = await world.server.inject({ method: 'POST', url: '/api/auth/register', payload: { role: 'Admin' } })
    const nowhere = await world.server.inject({ method: 'POST', url: '/api/nowhere', payload: {} })
    assert.deepEqual([reply.statusCode, reply.body], [404, nowhere.body])
  })
})

describe('registration', () => {
  let world: World
  before(async () => {
    world = await openWorld({ REGISTRATION_ENABLED: 'true', REGISTRATION_TENANT: 'acme' })
  })
  after(() => world.close())
  const register = async (payload: object) =>
    world.server.inject({ method: 'POST', url: '/api/auth/register', payload })

  it('makes a User of the configured tenant, who can log in (proves: AUTH-03)', async () => {
    const reply = await register({
      username: 'nina',
      email: 'nina@example.com',
      full_name: 'Nina Example',
      password: 'Giraffe 4 umbrella',
    })
    assert.equal(reply.statusCode, 201, reply.body)
    assert.equal(reply.json().role, 'User')
    assert.deepEqual(await world.rows('select tenant_id::int from users where username = $1', ['nina']), [
      { tenant_id: world.people.ada!.tenant_id },
    ])
    assert.equal(
      (
        await world.server.inject({
          method: 'POST',
          url: '/api/auth/token',
          payload: { username: 'nina', password: 'Giraffe 4 umbrella' },
        })
      ).statusCode,
      200,
    )
  })

  it('lets nobody choose role or tenant, take a name that is in use, or a weak password', async () => {
    const good = {
      username: 'nils',
      email: 'nils@example.com',
      full_name: 'Nils Example',
      password: 'Giraffe 4 umbrella',
    }
    for (const extra of [{ role: 'Admin' }, { role_id: 1 }, { tenant_id: 2 }, { is_platform_user: true }]) {
      const reply = await register({ ...good, ...extra })
      assert.deepEqual([reply.statusCode, reply.json().detail[0].type], [422, 'extra_forbidden'])
    }
    // The name belongs to another tenant, and is written in another case.
    assert.equal((await register({ ...good, username: 'REX' })).statusCode, 409)
    assert.equal((await register({ ...good, email: 'Rex@example.com' })).statusCode, 409)
    assert.equal((await register({ ...good, password: 'password1234' })).statusCode, 422)
    assert.equal((await register({ ...good, username: 'nils@example.com' })).statusCode, 422)
  })
})
