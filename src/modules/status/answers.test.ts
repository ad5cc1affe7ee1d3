import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openRecent } from '#http/traffic.ts'
import { issueToken } from '#platform/crypto/jwt.ts'
import { giveSecondFactor } from '#test/builders/samples.ts'
import { until } from '#test/world/background.ts'
import { openWorld } from '#test/world/world.ts'
import { troubleOfAnswers } from './rules.ts'

// proves: HLTH-04
it('counts the answers of the last five minutes, and forgets older ones', () => {
  let now = 0
  const recent = openRecent(() => now)
  assert.deepEqual(recent.read(), { minutes: 5, requests: 0, failed: 0, median_ms: null })
  for (const ms of [1, 10, 100, 100, 5000]) recent.add({ status: ms === 5000 ? 503 : 200, ms })
  const { requests, failed, median_ms } = recent.read()
  assert.deepEqual([requests, failed], [5, 1])
  assert.ok(median_ms! >= 100 && median_ms! <= 125, `${median_ms}`)
  now = 200_000
  recent.add({ status: 200, ms: 3 })
  assert.equal(recent.read().requests, 6)
  now = 305_000
  assert.deepEqual(recent.read(), { minutes: 5, requests: 1, failed: 0, median_ms: 3 })
  now = 600_000
  assert.equal(recent.read().requests, 0)
})

it('calls the endpoints degraded or down by what people get', () => {
  const say = (requests: number, failed: number, median_ms = 5) =>
    troubleOfAnswers({ minutes: 5, requests, failed, median_ms })?.status
  assert.equal(say(0, 0), undefined)
  assert.equal(say(4, 4), undefined)
  assert.equal(say(1000, 19), undefined)
  assert.equal(say(1000, 20), 'Degraded')
  assert.equal(say(10, 10), 'Degraded')
  assert.equal(say(20, 10), 'Down')
  assert.equal(say(20, 0, 999), undefined)
  assert.equal(say(20, 0, 1000), 'Degraded')
  assert.equal(say(19, 0, 1000), undefined)
})

// proves: HLTH-03, HLTH-04
it('shows in the report that requests fail, and is well again when they no longer do', async () => {
  const world = await openWorld()
  await giveSecondFactor(world, 'pat')
  try {
    const report = async () => {
      const reply = await world.as('pat').get('/api/status')
      assert.equal(reply.statusCode, 200, reply.body)
      const { api, dependencies, status } = reply.json()
      return {
        recent: api.recent,
        status,
        endpoints: dependencies.find(({ name }: { name: string }) => name === 'API endpoints'),
      }
    }
    const address = await world.server.listen({ host: '127.0.0.1', port: 0 })
    const { id, tenant_id, session_version } = world.people.uma!
    const now = world.clock.now()
    const auth_time = Math.floor(now.getTime() / 1000)
    const claims = { sub: String(id), tid: tenant_id, auth_time, amr: ['pwd'], ver: session_version }
    const token = await issueToken(world.services.keys.jwt, claims, { lifetime_seconds: 3600, now })
    const ask = async () => {
      const reply = await fetch(`${address}/api/documents/`, { headers: { authorization: `Bearer ${token}` } })
      await reply.arrayBuffer()
      return reply.status
    }
    assert.equal(await ask(), 200)
    await until(async () => (await report()).endpoints.status === 'Operational')

    await world.superuser.query('alter table documents rename to documents_gone')
    for (let count = 0; count < 24; count++) assert.equal(await ask(), 500)
    const bad = await report()
    assert.ok(bad.recent.failed >= 24 && bad.recent.requests >= 25, JSON.stringify(bad.recent))
    assert.equal(bad.endpoints.status, 'Down')
    assert.match(bad.endpoints.detail, /^\d+ of \d+ requests of the last 5 minutes were answered with a server error$/)
    assert.equal(bad.status, 'Degraded')

    await world.superuser.query('alter table documents_gone rename to documents')
    const before = (await report()).recent
    for (let count = 0; count < 4; count++) assert.equal(await ask(), 200)
    assert.equal((await report()).recent.failed, before.failed)
  } finally {
    await world.close()
  }
})
