import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('the identity of who signs', () => {
  let world: World
  let document_id: number
  before(async () => {
    world = await openWorld()
    const uploaded = await world
      .as('alan')
      .upload('/api/documents/upload', { title: 'Cleaning', document_type: await world.typeId('SOP') })
    assert.equal(uploaded.statusCode, 201, uploaded.body)
    document_id = uploaded.json().id
  })
  after(() => world.close())

  const sign = async (name: string, proof: object = {}, options: { logged_in?: number } = {}) =>
    world
      .as(name, options)
      .post('/api/signatures/', { document_id, signature_type: 'witness', intent: 'I have seen it', ...proof })
  const denials = (name: string) =>
    world.rows<{ reason: string; outcome: string; resource_id: string | null }>(
      `select reason, outcome, resource_id from audit_entries where action = 'signature.denied' and username = $1 order by id`,
      [name],
    )

  it('is proved by a fresh log-in, or by the password, never by an old log-in alone (proves: SIG-01)', async () => {
    assert.equal((await sign('alan')).json().method, 'session')
    const refused = await sign('alan', {}, { logged_in: 15 * 60 })
    assert.equal(refused.statusCode, 401)
    assert.equal(refused.headers['www-authenticate'], 'Bearer error="insufficient_user_authentication", max_age="900"')
    assert.equal(refused.json().code, 'signing_password_required')
    assert.equal((await denials('alan')).length, 1)
    const signed = await sign('alan', { password, signature_type: 'authorship' }, { logged_in: 8 * 3600 })
    assert.deepEqual([signed.statusCode, signed.json().method], [201, 'password'])
  })

  it('is asked for each time where the tenant wants it so', async () => {
    assert.equal((await world.as('ada').put('/api/settings/', { signature_reauth_minutes: 0 })).statusCode, 200)
    assert.equal((await sign('petra')).statusCode, 401)
    assert.equal((await world.as('ada').put('/api/settings/', { signature_reauth_minutes: null })).statusCode, 200)
    assert.equal((await sign('petra')).statusCode, 201)
  })

  it('is refused with a wrong password, which counts towards the lock and stays in the audit trail', async t => {
    // The lock of half a minute is not over before the machine has checked all of these.
    const now = world.clock.now()
    t.mock.method(world.clock, 'now', () => now)
    for (let failure = 0; failure < 5; failure++) {
      const refused = await sign('quentin', { password: 'Wrong horse 1 battery' })
      assert.deepEqual([refused.statusCode, refused.json().detail], [401, 'Incorrect password or code.'])
    }
    const [row] = await world.rows('select failed_attempts from credentials where user_id = $1', [
      world.people.quentin!.id,
    ])
    assert.deepEqual(row, { failed_attempts: 5 })
    assert.equal((await sign('quentin', { password })).json().code, 'signing_password_or_code_incorrect')
    const login = await world.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { username: 'quentin', password },
    })
    assert.equal(login.statusCode, 200, 'counted apart')
    assert.deepEqual(
      (await denials('quentin')).map(({ reason }) => reason),
      [...Array(5).fill('Wrong password'), 'The account is locked'],
    )
    assert.ok(
      (await denials('quentin')).every(({ outcome, resource_id }) => outcome === 'denied' && resource_id === null),
    )
    const [{ n }] = (await world.rows(`select count(*)::int as n from signatures where signer_id = $1`, [
      world.people.quentin!.id,
    ])) as [{ n: number }]
    assert.equal(n, 0)
  })

  it('takes the code of the second factor beside the password, once', async () => {
    const { secret } = (await world.as('quinn').post('/api/auth/totp/enroll', { password })).json()
    const code = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
    assert.equal((await world.as('quinn').post('/api/auth/totp/confirm', { otp: code() })).statusCode, 200)
    world.people.quinn!.session_version += 1
    world.clock.moved_ms += 60_000
    assert.equal((await sign('quinn', { password })).statusCode, 401)
    const otp = code()
    const signed = await sign('quinn', { password, otp })
    assert.deepEqual([signed.statusCode, signed.json().method], [201, 'password_otp'])
    const again = await sign('quinn', { password, otp })
    assert.deepEqual([again.statusCode, again.json().code], [401, 'signing_code_already_used'])
  })
})
