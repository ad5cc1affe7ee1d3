import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { steady, timed } from '#test/world/steadily.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('GET /api/health', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  it(
    'says without a token that the service works, and nothing of its configuration (proves: HLTH-01, AUTH-06)',
    steady(async () => {
      const reply = await world.server.inject('/api/health')
      assert.deepEqual([reply.statusCode, reply.json()], [200, { status: 'ok', database: 'up', version: '1.0.0' }])
    }),
  )

  it(
    'is a 503 within 1.5 seconds while the database does not answer',
    steady(async () => {
      // Every connection is taken, as by a server that hangs: a probe that waits its turn would wait for ever.
      const release: (() => void)[] = []
      const held = Array.from({ length: 10 }, () =>
        world.database.transaction(
          { tenantId: null, userId: null },
          'read only',
          () => new Promise<void>(resolve => release.push(resolve)),
        ),
      )
      while (release.length < 10) await new Promise(setImmediate)
      const [reply, taken_ms] = await timed(async () => world.server.inject('/api/health'))
      for (const each of release) each()
      await Promise.all(held)
      assert.deepEqual(
        [reply.statusCode, reply.json()],
        [503, { status: 'unavailable', database: 'down', version: '1.0.0' }],
      )
      assert.ok(taken_ms < 1500, `${taken_ms} ms`)
      assert.equal((await world.server.inject('/api/health')).statusCode, 200)
    }),
  )
})
