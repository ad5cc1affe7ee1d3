// Links after a forgotten password, as an outsider without a token and an insider with a colleague's mailbox attack them.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { ok } from '#test/builders/documents.ts'
import type { Smtp } from '#test/fakes/smtp.ts'
import { codeIn, openMailWorld, takeLetters } from '#test/world/mail-world.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const chosen = 'Giraffe 4 umbrella'
const hour_ms = 3_600_000

describe('a forgotten password', () => {
  let world: World
  let smtp: Smtp
  before(async () => {
    ;({ world, smtp } = await openMailWorld({ LOGIN_FAILURES_PER_ADDRESS: '20' }))
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })
  beforeEach(async () => {
    await world.work()
    smtp.received.length = 0
    world.clock.moved_ms += hour_ms
  })

  const idOf = (name: string) => world.people[name]!.id
  const addresses = Array.from({ length: 250 }, (_, n) => `198.51.100.${n + 1}`)
  /** From an address of its own, so that no test meets the limits of another. */
  const open = (url: string, payload: object, headers: Record<string, string> = {}, remoteAddress?: string) =>
    world.server.inject({
      ...{ method: 'POST', url, payload, headers },
      remoteAddress: remoteAddress ?? addresses.shift()!,
    })
  const forget = (username: string, headers?: Record<string, string>) =>
    open('/api/auth/forgot-password', { username }, headers)
  const choose = (token: string, address?: string) =>
    open('/api/auth/reset-password', { token, new_password: chosen }, {}, address)
  const logIn = (username: string, given: string, otp?: string) =>
    open('/api/auth/token', { username, password: given, ...(otp && { otp }) })
  const letters = () => takeLetters({ world, smtp })
  const sent = async () => {
    const tokens = (await letters()).flatMap(({ text }) => codeIn(text) ?? [])
    assert.equal(tokens.length, 1)
    return tokens[0]!
  }
  const linkOf = async (name: string) => {
    assert.equal((await forget(name)).statusCode, 204)
    return sent()
  }
  const isEnded = (reply: Awaited<ReturnType<typeof choose>>) => {
    assert.equal(reply.statusCode, 422, reply.body)
    assert.equal(reply.json().detail[0].type, 'password_link_ended')
  }

  // proves: AUTH-05
  it('has a link that ends with all sessions of its user: by their end, another role, or a second factor', async () => {
    const roles = ok(await world.as('ada').get('/api/roles/?page_size=100')).items as { id: number; name: string }[]
    const endings: Record<string, () => Promise<unknown>> = {
      anna: () => world.as('anna').post('/api/auth/logout'),
      alan: async () =>
        ok(
          await world.as('ada').put(`/api/users/${idOf('alan')}/role`, {
            role_id: roles.find(({ name }) => name === 'User')!.id,
          }),
        ),
      petra: async () => {
        const { secret } = ok(await world.as('petra').post('/api/auth/totp/enroll', { password }))
        const otp = new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() })
        ok(await world.as('petra').post('/api/auth/totp/confirm', { otp }))
      },
    }
    for (const [name, end] of Object.entries(endings)) {
      const token = await linkOf(name)
      await end()
      isEnded(await choose(token))
      await letters()
    }
    // One that ended before its message was sent is not sent.
    await forget('uma')
    await world.services.loginLimits.linkWork.settled()
    await world.as('uma').post('/api/auth/logout')
    assert.deepEqual(await letters(), [])
  })

  // proves: AUTH-05
  it('reset by an Admin together with the second factor has a link that works', async () => {
    const { secret } = ok(await world.as('quentin').post('/api/auth/totp/enroll', { password }))
    const otp = new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() })
    ok(await world.as('quentin').post('/api/auth/totp/confirm', { otp }))
    ok(await world.as('ada').post(`/api/users/${idOf('quentin')}/reset-password`, { remove_totp: true }))
    const tokens = (await letters()).flatMap(({ text }) => codeIn(text) ?? [])
    assert.equal((await choose(tokens[0]!)).statusCode, 204)
    assert.equal((await logIn('quentin', chosen)).statusCode, 200)
  })

  // proves: AUTH-05, SIG-01
  it('leaves the second factor, ends every session, takes the verification away and is told', async () => {
    const { secret } = ok(await world.as('rita').post('/api/auth/totp/enroll', { password }))
    const codeAt = () => new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() })
    const { access_token } = ok(await world.as('rita').post('/api/auth/totp/confirm', { otp: codeAt() }))
    ok(await world.as('rex').post(`/api/users/${idOf('rita')}/verify-identity`, { method: 'In person' }))
    await letters()
    const token = await linkOf('rita@example.com')
    const me = () => world.server.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${access_token}` } })
    assert.equal((await me()).statusCode, 200)
    assert.equal((await choose(token)).statusCode, 204)
    assert.equal((await me()).statusCode, 401)
    assert.equal((await logIn('rita', chosen)).statusCode, 401, 'the code is still asked for')
    world.clock.moved_ms += 60_000
    assert.equal((await logIn('rita', chosen, codeAt())).statusCode, 200)
    const user = ok(await world.as('rex').get(`/api/users/${idOf('rita')}`))
    assert.deepEqual([user.totp_enrolled, user.identity_verified], [true, null])
    const [letter] = (await letters()).filter(({ to }) => to === 'rita@example.com')
    assert.match(letter!.text, /The password of your account was changed/)
    const entries = await world.rows<{ action: string }>(
      `select action from audit_entries where resource_type = 'user' and resource_id = $1
         and action like 'user.password%' order by id`,
      [idOf('rita')],
    )
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['user.password_link_requested', 'user.password_link_sent', 'user.password_chosen'],
    )
  })

  // proves: AUTH-05
  it('is answered alike and as fast for accounts that are deactivated, suspended, of the platform or not there', async () => {
    ok(await world.as('ada').post(`/api/users/${idOf('otto')}/deactivate`, { change_reason: 'Left' }))
    await world.superuser.query(
      `begin; set local session_replication_role = replica;
       update tenants set is_active = false where slug = 'rival'; commit`,
    )
    const answers = new Set<string>()
    for (const name of ['quinn', 'otto', 'otto@example.com', 'rob', 'rita', 'pat', 'nobody', 'nobody@example.com']) {
      const { statusCode, body, headers } = await forget(name)
      answers.add(JSON.stringify([statusCode, body, Object.keys(headers).sort()]))
    }
    assert.equal(answers.size, 1)
    assert.deepEqual(
      (await letters()).map(({ to }) => to),
      ['quinn@example.com'],
    )
    await world.superuser.query(`begin; set local session_replication_role = replica;
      update tenants set is_active = true where slug = 'rival'; commit`)
  })

  // proves: AUTH-05
  it('takes no longer to answer where the account exists, however busy its row is', async () => {
    await world.superuser.query('begin')
    await world.superuser.query('select from users where id = $1 for update', [idOf('ada')])
    const begun = performance.now()
    const { statusCode } = await forget('ada')
    const took = performance.now() - begun
    await world.superuser.query('rollback')
    assert.equal(statusCode, 204)
    assert.ok(took < 5000, `${took} ms, as long as its row was locked`)
    assert.deepEqual(
      (await letters()).map(({ to }) => to),
      ['ada@example.com'],
    )
  })

  // proves: AUTH-05
  it('is told nothing of the host that the request names', async () => {
    const hosts = {
      host: 'attacker.example',
      'x-forwarded-host': 'attacker.example',
      forwarded: 'host=attacker.example',
    }
    assert.equal((await forget('quinn', hosts)).statusCode, 204)
    const [letter, ...more] = await letters()
    assert.deepEqual(more, [])
    assert.ok(!letter!.raw.includes('attacker.example'))
    assert.ok(codeIn(letter!.text))
  })

  // proves: AUTH-05, SVC-01
  it('is not reset by a code of another tenant, of another link, or by guesses, which make their address wait', async () => {
    await forget('rex')
    await forget('quinn')
    const tokens = new Map((await letters()).map(({ to, text }) => [to, codeIn(text)!.split('.')]))
    const [ours, theirs] = [tokens.get('quinn@example.com')!, tokens.get('rex@example.com')!]
    const guesser = '203.0.113.7'
    for (const parts of [
      [theirs[0], ours[1], ours[2]],
      [ours[0], theirs[1], ours[2]],
      [ours[0], theirs[1], theirs[2]],
      [ours[0], ours[1], theirs[2]],
    ])
      isEnded(await choose(parts.join('.'), guesser))
    for (let n = 0; n < 16; n++) isEnded(await choose(`${ours[0]}.${n + 1}.${'a'.repeat(43)}`, guesser))
    const refused = await choose(`${ours[0]}.1.${'b'.repeat(43)}`, guesser)
    assert.deepEqual([refused.statusCode, refused.json().code], [503, 'too_many_failed_logins'])
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await choose(ours.join('.'), guesser)).statusCode, 204, 'the right one is let in')
    assert.equal((await choose(theirs.join('.'))).statusCode, 204)
  })

  // proves: AUTH-05
  it('of somebody who was invited does not end the invitation', async () => {
    const body = { username: 'nora', email: 'nora@example.com', full_name: 'Nora Novak' }
    assert.equal((await world.as('ada').post('/api/users/invite', body)).statusCode, 201)
    const invitation = await sent()
    world.clock.moved_ms += hour_ms
    const link = await linkOf('nora')
    assert.equal((await choose(invitation)).statusCode, 204)
    isEnded(await choose(link))
  })

  // proves: AUTH-05, AUD-01
  it('has a link that the login of the application cannot tie to other sessions', async () => {
    await linkOf('quinn')
    await assert.rejects(
      world.database.transaction({ tenantId: world.people.quinn!.tenant_id, userId: null }, 'read write', tx =>
        tx
          .updateTable('password_links')
          .set(e => ({ session_version: e('session_version', '+', 1) }))
          .where('user_id', '=', idOf('quinn'))
          .where('ended_at', 'is', null)
          .execute(),
      ),
      { code: 'QA002' },
    )
  })

  // proves: AUTH-06
  it('is offered to everybody alike where the service sends e-mail', async () => {
    assert.deepEqual((await world.server.inject('/api/auth/options')).json(), {
      password: true,
      providers: [],
      password_links: true,
      passkeys: true,
      registration: false,
      first_start: false,
    })
    const without = await openWorld({ REGISTRATION_ENABLED: 'true' })
    try {
      assert.deepEqual((await without.server.inject('/api/auth/options')).json(), {
        password: true,
        providers: [],
        password_links: false,
        passkeys: false,
        registration: true,
        first_start: false,
      })
      const answers = await Promise.all(
        ['uma', 'nobody'].map(username =>
          without.server.inject({ method: 'POST', url: '/api/auth/forgot-password', payload: { username } }),
        ),
      )
      for (const { statusCode, json } of answers) assert.deepEqual([statusCode, json().code], [409, 'mail_not_set_up'])
    } finally {
      await without.close()
    }
  })
})
