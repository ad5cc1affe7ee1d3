// Passkeys as somebody attacks them: with the passkey of another origin or person, a copy of it, an answer that was given before, and the
// insider with the login attest_app.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { newAuthenticator, originOf, withPasskey } from '#test/builders/authenticator.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { accepted, checkAnswer } from '#test/builders/samples.ts'
import { openBrowser, ours } from '#test/builders/sessions.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const minutes = 60_000

// proves: SES-01, SSO-05, AUTH-05
describe('a passkey', () => {
  let world: World
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
  })
  after(() => world.close())

  const open = (url: string, payload: object = {}, headers: Record<string, string> = ours) =>
    world.server.inject({ method: 'POST', url, payload, headers })
  const loginOptions = async (): Promise<Json> => ok(await open('/api/auth/passkeys/login/options'))
  const send = async (response: object, headers?: Record<string, string>) =>
    checkAnswer(await open('/api/auth/passkeys/login', { response }, headers), 'a log-in with a passkey')
  const usual = async () => {
    const reply = await open('/api/auth/session', { username: 'uma', password: 'not the password of uma' })
    return { status: reply.statusCode, body: reply.json() }
  }
  async function assertRefused(reply: Awaited<ReturnType<typeof send>>, why: RegExp) {
    assert.deepEqual({ status: reply.statusCode, body: reply.json() }, await usual())
    assert.equal(reply.headers['set-cookie'], undefined)
    const [entry] = await world.rows<{ reason: string }>(
      `select reason from audit_entries where action in ('auth.login_failed', 'passkey.revoked') and reason <> 'Wrong password'
       order by id desc limit 1`,
    )
    assert.match(entry!.reason, why)
    // Each refusal has its own entry only a quarter of an hour later.
    world.clock.moved_ms += 16 * minutes
  }
  const isRevoked = async (id: number) =>
    (await world.rows<{ is: boolean }>('select revoked_at is not null as is from passkeys where id = $1', [id]))[0]!.is

  it('of another origin, without its holder, or of another service opens nothing', async () => {
    const { id, authenticator } = await withPasskey(world, 'alan')
    const wrong: [Parameters<typeof authenticator.get>[1], RegExp][] = [
      [{ origin: 'https://qms.example.evil' }, /origin/],
      [{ origin: 'http://qms.example' }, /origin/],
      [{ rp_id: 'evil.example' }, /RP ID|service|rpId/i],
      [{ isVerified: false }, /verif/],
      [{ isPresent: false }, /present/],
      [{ type: 'webauthn.create' }, /type/],
      [{ userHandle: randomBytes(32).toString('base64url') }, /another account/],
      [{ userHandle: null }, /another account/],
    ]
    for (const [said, why] of wrong) await assertRefused(await send(authenticator.get(await loginOptions(), said)), why)
    assert.equal(await isRevoked(id), false)
    assert.equal((await send(authenticator.get(await loginOptions()))).statusCode, 204)
  })

  it('that answers a challenge of nobody, an old one, or one for something else opens nothing', async () => {
    const { authenticator } = await withPasskey(world, 'petra')
    const made = randomBytes(54).toString('base64url')
    await assertRefused(await send(authenticator.get({ challenge: made })), /challenge/)
    const old = await loginOptions()
    world.clock.moved_ms += 6 * minutes
    await assertRefused(await send(authenticator.get(old)), /challenge/)
    const registration = ok(await world.as('petra').post('/api/auth/passkeys/options', { password }))
    await assertRefused(await send(authenticator.get(registration)), /challenge/)
  })

  it('opens once with one answer, also where it does not count and two come at once', async () => {
    const { authenticator } = await withPasskey(world, 'quinn', { counts: false, isSynced: true })
    const answer = authenticator.get(await loginOptions())
    const replies = await Promise.all([send(answer), send(answer), send(answer)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [204, 401, 401],
    )
    world.clock.moved_ms += 16 * minutes
    const [earlier, later] = [await loginOptions(), await loginOptions()]
    world.clock.moved_ms += 1000
    const newest = authenticator.get(await loginOptions())
    assert.equal((await send(newest)).statusCode, 204)
    for (const options of [earlier, later]) await assertRefused(await send(authenticator.get(options)), /challenge/)
  })

  it('that counts back is refused and revoked, and its owner and the Admins are told at once', async () => {
    const { id, authenticator } = await withPasskey(world, 'anna')
    for (const _ of [1, 2, 3]) assert.equal((await send(authenticator.get(await loginOptions()))).statusCode, 204)
    await assertRefused(await send(authenticator.get(await loginOptions(), { counter: 3 })), /counted its uses back/)
    assert.equal(await isRevoked(id), true)
    for (const name of ['anna', 'ada']) {
      const { items } = ok(await world.as(name).get('/api/notifications/'))
      const told = items.find((each: Json) => each.type === 'passkey_misused')
      assert.equal(told?.priority, 'urgent', name)
    }
    await assertRefused(await send(authenticator.get(await loginOptions())), /revoked/)
  })

  it('of a user who may not log in opens nothing', async () => {
    const { authenticator } = await withPasskey(world, 'otto')
    ok(await world.as('ada').post(`/api/users/${world.people.otto!.id}/deactivate`, {}))
    await assertRefused(await send(authenticator.get(await loginOptions())), /not active/)
    ok(await world.as('ada').post(`/api/users/${world.people.otto!.id}/reactivate`, {}))
    assert.equal((await send(authenticator.get(await loginOptions()))).statusCode, 204)
  })

  it('that nobody has registered is refused as a wrong password is', async () => {
    const stranger = newAuthenticator(originOf(world))
    await assertRefused(await send(stranger.get(await loginOptions(), { userHandle: 'AAAA' })), /unknown/)
  })

  it('logs nobody in from a page of another site', async () => {
    const { authenticator } = await withPasskey(world, 'uma')
    const answer = authenticator.get(await loginOptions())
    const reply = await send(answer, { 'sec-fetch-site': 'cross-site' })
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'cross_site_request'])
    assert.equal(reply.headers['set-cookie'], undefined)
  })

  it('is not registered with the beginning of another session or person, too late, or twice', async () => {
    const [here, there] = [await openBrowser(world, 'quentin'), await openBrowser(world, 'quentin')]
    const authenticator = newAuthenticator(originOf(world))
    const options = ok(await here.post('/api/auth/passkeys/options', { password }))
    const sent = { name: 'Key', response: authenticator.create(options) }
    for (const reply of [
      await there.post('/api/auth/passkeys/', sent),
      await (await openBrowser(world, 'alan')).post('/api/auth/passkeys/', sent),
    ])
      assert.deepEqual([reply.statusCode, reply.json().detail[0].type], [422, 'passkey_refused'])
    ok(await here.post('/api/auth/passkeys/', sent))
    const again = await here.post('/api/auth/passkeys/', sent)
    assert.equal(again.statusCode, 409)
    // The key of one person is nobody else's, in no company.
    const rival = await openBrowser(world, 'rob')
    const stolen = authenticator.create(ok(await rival.post('/api/auth/passkeys/options', { password })))
    assert.equal((await rival.post('/api/auth/passkeys/', { name: 'Key', response: stolen })).statusCode, 409)
    const late = ok(await here.post('/api/auth/passkeys/options', { password }))
    world.clock.moved_ms += 11 * minutes
    const tooLate = { name: 'Key', response: newAuthenticator(originOf(world)).create(late) }
    assert.equal((await here.post('/api/auth/passkeys/', tooLate)).statusCode, 422)
  })

  it('is not registered of another origin, without its holder, or with the certificate of a maker', async () => {
    const begin = async (): Promise<Json> => ok(await world.as('uma').post('/api/auth/passkeys/options', { password }))
    const certified = (options: Json) =>
      newAuthenticator(originOf(world)).create(options, {
        attestation: [
          ['fmt', 'packed'],
          [
            'attStmt',
            [
              ['alg', -7],
              ['sig', Buffer.alloc(8)],
              ['x5c', Buffer.from('http://127.0.0.1/list.crl')],
            ],
          ],
          ['authData', Buffer.alloc(37)],
        ],
      })
    const wrong: ((options: Json) => object)[] = [
      options => newAuthenticator('https://evil.example').create(options),
      options => newAuthenticator(originOf(world)).create(options, { isVerified: false }),
      options => newAuthenticator(originOf(world)).create(options, { rp_id: 'evil.example' }),
      options => newAuthenticator(originOf(world)).create(options, { type: 'webauthn.get' }),
      certified,
      options => ({ ...newAuthenticator(originOf(world)).create(options), id: 'AAAA' }),
    ]
    for (const make of wrong) {
      const response = make(await begin())
      const reply = checkAnswer(await world.as('uma').post('/api/auth/passkeys/', { name: 'Key', response }), 'bad')
      assert.deepEqual([reply.statusCode, reply.json().detail[0].type], [422, 'passkey_refused'])
    }
  })

  it('is given to nobody by a login to the database, and not taken over', async () => {
    const victim = world.people.quinn!
    const mine = await withPasskey(world, 'uma')
    const client = new pg.Client(world.postgres.app)
    await client.connect()
    try {
      const tried = async (statement: string, values: unknown[]) => {
        await client.query('begin')
        await client.query(`select set_config('app.tenant_id', $1, true)`, [String(victim.tenant_id)]).catch(() => {})
        const outcome = await client.query(statement, values).catch((error: Error) => error)
        await client.query('rollback')
        return outcome
      }
      for (const statement of [
        'update passkeys set user_id = $1 where id = $2',
        'update passkeys set public_key = public_key || $1::text::bytea where id = $2',
        'update passkeys set revoked_at = null, user_id = $1 where id = $2',
        'update passkeys set counter = -1, user_id = $1 where id = $2',
      ]) {
        const outcome = await tried(statement, [victim.id, mine.id])
        assert.ok(outcome instanceof Error || outcome.rowCount === 0, statement)
      }
    } finally {
      await client.end()
    }
    // Past every guard: the row says that it is the victim's.
    await world.superuser.query('begin; set local session_replication_role = replica')
    await world.superuser.query('update passkeys set user_id = $1 where id = $2', [victim.id, mine.id])
    await world.superuser.query('commit')
    const [{ handle }] = (await world.rows<{ handle: Buffer }>(
      'select passkey_handle as handle from users where id = $1',
      [victim.id],
    )) as [{ handle: Buffer }]
    const answer = mine.authenticator.get(await loginOptions(), { userHandle: handle.toString('base64url') })
    await assertRefused(await send(answer), /altered/)
  })

  it('is nothing that another tenant or a colleague sees or ends', async () => {
    const { id } = await withPasskey(world, 'petra')
    const rows = ok(await world.as('quentin').get('/api/auth/passkeys/'))
    assert.ok(!rows.some((each: Json) => each.id === id))
    for (const name of ['rex', 'rob', 'alan']) {
      const none = await world.as(name).delete('/api/auth/passkeys/999999999')
      const reply = await world.as(name).delete(`/api/auth/passkeys/${id}`)
      assert.deepEqual([reply.statusCode, reply.body], [none.statusCode, none.body])
    }
    const foreign = await world.as('rex').get(`/api/users/${world.people.petra!.id}/passkeys`)
    assert.equal(foreign.statusCode, 404)
    await accepted(world.as('petra').delete(`/api/auth/passkeys/${id}`))
  })
})
