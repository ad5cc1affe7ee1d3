// One address, person or machine asks for more than anybody needs: they are told to wait, and nobody else is.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openLoginLimits } from '#modules/accounts'
import { readConfig } from '#platform/config.ts'
import { newApiSecret, readApiKey, textOfApiKey } from '#platform/crypto/api-key.ts'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { accepted, checkAnswer } from '#test/builders/samples.ts'
import { openMachine } from '#test/builders/service-samples.ts'
import { quiet } from '#test/world/postgres.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const minute = 60_000
const hour = 60 * minute

type Reply = Awaited<ReturnType<World['server']['inject']>>
/** A 429 says by its headers when to come again and which limit it was, and names its request. */
function requireLimited(reply: Reply, name: string) {
  checkAnswer(reply, name)
  assert.deepEqual([reply.statusCode, reply.json().code], [429, 'too_many_requests'])
  assert.match(String(reply.headers['retry-after']), /^[1-9]\d*$/)
  assert.match(String(reply.headers['ratelimit-policy']), new RegExp(`^"${name}";q=\\d+;w=\\d+$`))
  assert.match(String(reply.headers.ratelimit), new RegExp(`^"${name}";r=0;t=\\d+$`))
  assert.match(String(reply.headers['x-request-id']), /./)
  return Number(reply.headers['retry-after'])
}

// proves: LIM-01, RID-01
describe('requests beyond a limit', () => {
  let world: World
  before(async () => {
    world = await openWorld({ RATE_LIMITS: 'on', PUBLIC_URL: 'https://qms.example' })
  })
  after(() => world.close())
  /** The room of everybody is full again. */
  const rest = (ms = hour + minute) => {
    world.clock.moved_ms += ms
  }
  /** While the clock stands still but for `rest`, so that a slow machine gives no room back. */
  async function atOnce<T>(work: () => Promise<T>): Promise<T> {
    const { now, moved_ms } = world.clock
    const moment = now().getTime()
    world.clock.now = () => new Date(moment + world.clock.moved_ms - moved_ms)
    try {
      return await work()
    } finally {
      world.clock.now = now
    }
  }
  const statuses = (replies: readonly Reply[]) => {
    const counts: Record<number, number> = {}
    for (const { statusCode } of replies) counts[statusCode] = (counts[statusCode] ?? 0) + 1
    return counts
  }
  const entries = (text: string) =>
    world.rows<{ username: string; reason: string }>(
      `select username, reason from audit_entries where action = 'access.limited' and reason like $1 order by id`,
      [`%${text}%`],
    )
  const logIn = (username: string, secret = password, remoteAddress = '192.0.2.1') =>
    world.server.inject({
      ...{ method: 'POST', url: '/api/auth/token', remoteAddress },
      payload: { username, password: secret },
    })

  it('of a person are refused, and another person is served', () =>
    atOnce(async () => {
      rest()
      const token = await world.tokenOf('uma')
      const ask = () => world.server.inject({ url: '/api/auth/session', headers: { authorization: `Bearer ${token}` } })
      const replies = await Promise.all(Array.from({ length: 260 }, ask))
      assert.deepEqual(statuses(replies), { 200: 200, 429: 60 })
      requireLimited(replies.find(({ statusCode }) => statusCode === 429)!, 'user')
      assert.equal((await world.as('quinn').get('/api/auth/session')).statusCode, 200)
      assert.deepEqual(
        (await entries('limit user')).map(({ username }) => username),
        ['uma'],
      )
      rest(500)
      const again = await ask()
      assert.equal(again.statusCode, 200)
      // Below half of the room the answer says so.
      assert.match(String(again.headers.ratelimit), /^"user";r=\d+;t=\d+$/)
      rest()
      assert.equal((await ask()).headers.ratelimit, undefined)
    }))

  it('of a key are refused by its own limit, and another key is served', async () => {
    rest()
    const [slow, fast] = [
      await openMachine(world, { username: 'slow' }),
      await openMachine(world, { username: 'fast' }),
    ]
    await accepted(world.as('ada').put(`/api/service-accounts/${fast.id}`, { requests_per_second: 200 }))
    const flood = async (machine: typeof slow) =>
      Promise.all(Array.from({ length: 150 }, () => machine.get('/api/documents/')))
    const replies = await atOnce(() => flood(slow))
    assert.deepEqual(statuses(replies), { 200: 100, 429: 50 })
    requireLimited(replies.find(({ statusCode }) => statusCode === 429)!, 'key')
    assert.deepEqual(statuses(await flood(fast)), { 200: 150 })
  })

  it('for costly files are refused sooner, and other requests of the person are served', async () => {
    rest()
    const ask = () => world.as('quinn').get('/api/documents/?format=csv')
    const replies: Reply[] = []
    await atOnce(async () => {
      for (let count = 0; count < 24; count++) replies.push(await ask())
    })
    assert.deepEqual(statuses(replies), { 200: 20, 429: 4 })
    const seconds = requireLimited(replies.at(-1)!, 'export')
    assert.equal((await world.as('quinn').get('/api/documents/')).statusCode, 200)
    rest(seconds * 1000)
    assert.equal((await ask()).statusCode, 200)
  })

  it('with refused keys and tokens stop at their address, before any look-up, and its neighbours go on', async () => {
    rest()
    const neighbour = await openMachine(world, { username: 'neighbour' })
    const send = (text: string, remoteAddress: string) =>
      world.server.inject({ url: '/api/documents/', remoteAddress, headers: { authorization: `Bearer ${text}` } })
    const text = neighbour.keys[0]!.api_key
    assert.equal((await send(text, '198.51.100.7')).statusCode, 200)
    const key = readApiKey(text)!
    const guess = () => send(textOfApiKey({ ...key, secret: newApiSecret() }), '198.51.100.7')
    const replies: Reply[] = []
    await atOnce(async () => {
      for (let count = 0; count < 70; count++) replies.push(await guess())
    })
    assert.deepEqual(statuses(replies), { 401: 60, 429: 10 })
    requireLimited(replies.at(-1)!, 'refused')
    // Accepted from there before; and from another address.
    assert.equal((await send(text, '198.51.100.7')).statusCode, 200)
    assert.equal((await send(text, '198.51.100.8')).statusCode, 200)
    assert.equal((await entries('limit refused')).length, 1)
    rest(minute)
    assert.equal((await guess()).statusCode, 401)
  })

  it('for challenges to sign are refused, and other requests of the person are served', async () => {
    rest()
    const replies: Reply[] = []
    await atOnce(async () => {
      for (let count = 0; count < 34; count++)
        replies.push(await world.as('quinn').post('/api/signing-challenges/', { kind: 'passkey', acts: [] }))
    })
    assert.deepEqual(statuses(replies), { 422: 30, 429: 4 })
    requireLimited(replies.at(-1)!, 'step_up')
    assert.equal((await world.as('quinn').get('/api/signing-challenges/1')).statusCode, 404)
  })

  it('without a token are steps of a log-in too, of which an address, or a whole IPv6 network, has 200 and then 30 a minute', async () => {
    const begin = (remoteAddress: string) =>
      world.server.inject({ method: 'POST', url: '/api/auth/passkeys/login/options', remoteAddress })
    const back = (remoteAddress: string) => world.server.inject({ url: '/api/auth/oidc/callback', remoteAddress })
    rest()
    const replies: Reply[] = []
    await atOnce(async () => {
      for (let count = 0; count < 105; count++)
        replies.push(await begin(`2001:db8:1:2::${(count % 9) + 1}`), await back('2001:db8:1:2::a'))
    })
    const refused = replies.filter(({ statusCode }) => statusCode === 429)
    assert.equal(refused.length, 10)
    requireLimited(refused.at(-1)!, 'sign_in')
    assert.notEqual((await begin('2001:db8:1:3::1')).statusCode, 429)
    assert.equal((await entries('limit sign_in')).length, 1)
    rest(minute)
    assert.notEqual((await begin('2001:db8:1:2::1')).statusCode, 429)
  })

  it('without a token is a log-in, of which an address has 20 a minute', async () => {
    rest()
    assert.equal((await logIn('quinn')).statusCode, 200)
    const replies: Reply[] = []
    await atOnce(async () => {
      for (let count = 0; count < 24; count++) replies.push(await logIn(`nobody-${count}`, 'wrong'))
      // Who has logged in from there before is let in, and who has not waits even with the right password.
      assert.equal((await logIn('quinn')).statusCode, 200)
      assert.equal((await logIn('petra')).statusCode, 429)
    })
    const counts = statuses(replies)
    assert.ok(counts[401]! >= 19 && counts[429]! >= 4, JSON.stringify(counts))
    const seconds = requireLimited(replies.at(-1)!, 'log-in')
    assert.ok(seconds <= 60, String(seconds))
    assert.equal((await logIn('petra', password, '192.0.2.2')).statusCode, 200)
    assert.equal((await entries('log-ins from 192.0.2.1')).length, 1)
    rest(minute)
    assert.equal((await logIn('petra')).statusCode, 200)
  })

  it('is a log-in too many after 300 within an hour, and one address is a whole IPv6 network', async () => {
    rest(3 * hour)
    const [own] = [openLoginLimits({ ...world.services, audit: async () => {}, tracker: world.services.tracker })]
    const take = async (clientAddr: string) => (await own!.attempts.take({ requestId: '', clientAddr })) === undefined
    let passed = 0
    // As fast as the minute lets them, for half an hour.
    for (let count = 0; count < 30 * 20; count++) {
      if (await take(`2001:db8:1:2::${(count % 9) + 1}`)) passed += 1
      rest(3000)
    }
    // The 300 of the hour, and those that half an hour gives back.
    assert.ok(passed >= 440 && passed <= 460, String(passed))
    assert.ok(await take('2001:db8:1:3::1'))
  })

  it('is counted by all processes together: of 40 at the same moment on two of them 20 pass', async () => {
    rest(3 * hour)
    const other = new Database(openPool(world.postgres.app, quiet))
    try {
      // The clock stands, so that nothing is given back meanwhile.
      const now = world.clock.now()
      const around = { ...world.services, clock: { now: () => now }, audit: async () => {} }
      const processes = [openLoginLimits(around), openLoginLimits({ ...around, database: other })]
      const taken = await Promise.all(
        Array.from({ length: 40 }, (_, place) =>
          processes[place % 2]!.attempts.take({ requestId: '', clientAddr: '203.0.113.9' }),
        ),
      )
      assert.equal(taken.filter(each => each === undefined).length, 20)
    } finally {
      await other.close()
    }
  })

  it('leaves no addresses in the database, and no rows for long', async () => {
    const names = await world.rows<{ all: string }>('select to_jsonb(r)::text as all from rate_limits r')
    assert.ok(names.length > 0)
    assert.ok(!JSON.stringify(names).includes('192.0.2'))
    rest(3 * hour)
    await world.tick()
    assert.equal((await world.rows('select from rate_limits')).length, 0)
  })
})

// proves: LIM-01
it('limits cannot be switched off in production', () => {
  const config = (environment: Record<string, string>) =>
    readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-limits', ...environment })
  assert.equal(config({}).rate_limits, true)
  assert.equal(config({ RATE_LIMITS: 'off' }).rate_limits, false)
  assert.throws(() => config({ ENVIRONMENT: 'production', RATE_LIMITS: 'off' }), /RATE_LIMITS is off/)
  assert.throws(() => config({ RATE_LIMITS: 'no' }), /RATE_LIMITS is "no"/)
})
