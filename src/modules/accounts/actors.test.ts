// Two processes on one database, as far as memory goes: two applications that share nothing but the database.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { issueToken } from '#platform/crypto/jwt.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import type { App } from '../../app.ts'
import { openService } from '../../commands/service.ts'

describe('what another process has changed a moment ago', () => {
  let world: World
  let other: App
  before(async () => {
    world = await openWorld()
    const { config, log } = world.services
    other = await openService(config, log, { outside: world.services })
  })
  after(async () => {
    await other.server.close()
    await world.close()
  })

  const ask = async (app: App, method: 'GET' | 'POST', url: string, token: string, payload?: object) =>
    app.server.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) })
  const here = (...request: Parameters<typeof ask> extends [App, ...infer Rest] ? Rest : never) =>
    ask(world.app, ...request)
  const there = (...request: Parameters<typeof ask> extends [App, ...infer Rest] ? Rest : never) =>
    ask(other, ...request)
  const logIn = async (username: string, secret = password, otp?: string): Promise<string> => {
    const payload = { username, password: secret, ...(otp && { otp }) }
    const reply = await world.server.inject({ method: 'POST', url: '/api/auth/token', payload })
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json().access_token
  }
  /** Lets the other process read the account now, so that this is what it remembers for the next second. */
  const remember = async (token: string, status = 200, url = '/api/auth/me') => {
    other.services.accounts.changed()
    assert.equal((await there('GET', url, token)).statusCode, status)
  }
  const tokenOf = (name: string, ver: number) => {
    const { id, tenant_id } = world.people[name]!
    const now = world.clock.now()
    const auth_time = Math.floor(now.getTime() / 1000)
    return issueToken(
      world.services.keys.jwt,
      { sub: String(id), tid: tenant_id, auth_time, amr: ['pwd'], ver },
      { lifetime_seconds: 600, now },
    )
  }
  /** Counts the transactions during the work. */
  async function lookUpsOf(work: () => Promise<unknown>) {
    const { database } = world
    const transaction = database.transaction
    let count = 0
    database.transaction = function counted(...given: Parameters<typeof transaction>) {
      count += 1
      return transaction.apply(database, given)
    } as typeof transaction
    try {
      await work()
    } finally {
      database.transaction = transaction
    }
    return count
  }

  // proves: AUTH-04
  it('does not keep out who has just changed their password, a new hire among them', async () => {
    const temporary = 'Temporary horse 1 battery'
    const hire = { username: 'nina', email: 'nina@example.com', full_name: 'Nina', password: temporary }
    assert.equal((await world.as('ada').post('/api/users/', hire)).statusCode, 201)
    let current = temporary
    for (let round = 0; round < 3; round++) {
      const before = await logIn('nina', current)
      await remember(before)
      const change = { current_password: current, new_password: `Changed horse ${round} battery` }
      const changed = await here('POST', '/api/auth/change-password', before, change)
      assert.equal(changed.statusCode, 200, changed.body)
      current = change.new_password
      const token = changed.json().access_token
      assert.equal((await there('GET', '/api/documents/', token)).statusCode, 200, 'the fresh token, at once')
      assert.equal((await there('GET', '/api/auth/me', before)).statusCode, 401, 'and the old one is over with that')
    }
  })

  // proves: AUTH-04
  it('does not keep out who comes while an older look-up is on its way', async () => {
    const before = await logIn('quentin')
    await remember(before)
    const { database } = world
    const transaction = database.transaction
    const { promise: changed, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: read, resolve: hasRead } = Promise.withResolvers<void>()
    // The first look-up reads, and its answer arrives only once the password is another one.
    database.transaction = async function held(...given: Parameters<typeof transaction>) {
      database.transaction = transaction
      const found = await transaction.apply(database, given)
      hasRead()
      await changed
      return found
    } as typeof transaction
    const odd = there('GET', '/api/auth/me', await tokenOf('quentin', 1000))
    // Whatever is answered without a look-up has not waited for it.
    await Promise.race([read, odd])
    const change = { current_password: password, new_password: 'Changed horse 7 battery' }
    const token = (await here('POST', '/api/auth/change-password', before, change)).json().access_token
    const fresh = there('GET', '/api/auth/me', token)
    goOn()
    assert.equal((await fresh).statusCode, 200)
    assert.equal((await odd).statusCode, 401)
  })

  // proves: AUTH-05, ROLE-02
  it('does not refuse what was granted, to a person, by their role, or by another role', async () => {
    const token = await logIn('uma')
    const url = '/api/users/'
    await remember(token, 403, url)
    const { id } = world.people.uma!
    const { revision } = (await world.as('ada').get(`/api/users/${id}`)).json()
    const grant = { granted: ['users.read'], denied: [], revision }
    const granted = await world.as('ada').put(`/api/users/${id}/permissions`, grant)
    assert.equal(granted.statusCode, 200, granted.body)
    assert.equal((await there('GET', url, token)).statusCode, 200, 'a permission of her own')

    const role = { name: 'Reader of users', granted: [], denied: [] }
    const made = await world.as('ada').post('/api/roles/', role)
    assert.equal(made.statusCode, 201, made.body)
    const alan = world.people.alan!.id
    const assigned = await world.as('ada').put(`/api/users/${alan}/role`, { role_id: made.json().id })
    assert.equal(assigned.statusCode, 200, assigned.body)
    const alans = await logIn('alan')
    await remember(alans, 403, url)
    const wider = await world.as('ada').put(`/api/roles/${made.json().id}`, { granted: ['users.read'] })
    assert.equal(wider.statusCode, 200, wider.body)
    assert.equal((await there('GET', url, alans)).statusCode, 200, 'a permission of his role')
  })

  // proves: AUTH-07, AUTH-04
  it('does not keep out an operator who has just enrolled a second factor, where memory may answer too', async () => {
    await world.rows('update credentials set totp_secret = null, totp_confirmed_at = null where user_id = $1', [
      world.people.pat!.id,
    ])
    other.services.accounts.changed()
    world.services.accounts.changed()
    const without = await logIn('pat')
    await remember(without, 403, '/api/status')
    const { secret } = (await here('POST', '/api/auth/totp/enroll', without, { password })).json()
    const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
    const confirmed = await here('POST', '/api/auth/totp/confirm', without, { otp })
    assert.equal(confirmed.statusCode, 200, confirmed.body)
    const token = confirmed.json().access_token
    assert.equal((await there('GET', '/api/status', token)).statusCode, 200)
  })

  it('is asked for once by each odd token, and by one look-up at a time of many', async () => {
    await remember(await tokenOf('otto', 1))
    const odd = await tokenOf('otto', 4711)
    const begun = performance.now()
    const ofOne = await lookUpsOf(async () => {
      for (let count = 0; count < 60; count++) assert.equal((await there('GET', '/api/auth/me', odd)).statusCode, 401)
    })
    const seconds = (performance.now() - begun) / 1000
    assert.ok(ofOne >= 1 && ofOne <= 2 + 2 * seconds, `${ofOne} look-ups for 60 requests in ${seconds} s`)

    const many = await Promise.all(Array.from({ length: 60 }, (_, count) => tokenOf('otto', 5000 + count)))
    await remember(await tokenOf('otto', 1))
    const ofMany = await lookUpsOf(async () => {
      const replies = await Promise.all(many.map(token => there('GET', '/api/auth/me', token)))
      assert.ok(replies.every(({ statusCode }) => statusCode === 401))
    })
    assert.ok(ofMany <= 4, `${ofMany} look-ups for 60 requests at once`)
  })

  it('costs a token that was ended before no look-up at all', async () => {
    const before = await logIn('anna')
    const change = { current_password: password, new_password: 'Changed horse 8 battery' }
    const token = (await here('POST', '/api/auth/change-password', before, change)).json().access_token
    await remember(token)
    assert.equal(
      await lookUpsOf(async () => {
        assert.equal((await there('GET', '/api/auth/me', before)).statusCode, 401)
      }),
      0,
    )
  })
})
