// One tenant or one address asks for more than its share. Shown by the order of service, because time says little on a busy machine.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dummyVerify } from '#platform/crypto/password.ts'
import { openDatabase } from '#platform/db/open.ts'
import { openGate } from '#platform/gate.ts'
import { openTurns } from '#platform/turns.ts'
import { until } from '#test/world/background.ts'
import { cloneDatabase, quiet, urlsOf } from '#test/world/postgres.ts'

const outcomes = async (all: Promise<unknown>[]) => (await Promise.allSettled(all)).map(({ status }) => status)

describe('a gate for signed copies, dossiers and verifications', () => {
  it('answers another tenant within one turn while twelve requests of a tenant fill it', async () => {
    const turn = openGate({ at_once: 1, waiting: 8 })
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
    const order: string[] = []
    const ask = (tenantId: number, name: string) =>
      turn(tenantId, async () => {
        await isFree
        order.push(name)
      })
    const flood = Array.from({ length: 12 }, (_, number) => ask(1, `first ${number}`))
    const other = ask(2, 'second')
    const refused = outcomes(flood)
    free()
    await other
    assert.deepEqual(order, ['first 0', 'first 1', 'second'])
    const all = await refused
    assert.equal(all.filter(each => each === 'rejected').length, 3, 'one works, eight wait')
  })
})

describe('the check of passwords', () => {
  it('serves a signature and another address within a turn each while one address floods the log-in', async () => {
    const order: string[] = []
    const done = (name: string) => () => void order.push(name)
    const flood = Array.from({ length: 60 }, () => dummyVerify('wrong', '192.0.2.1').then(done('flood')))
    const others = [
      dummyVerify('wrong', '198.51.100.7').then(done('other address')),
      dummyVerify('wrong').then(done('signature')),
    ]
    await Promise.all([...others, ...flood])
    // Two run at once, so neighbours may change places.
    assert.ok(order.indexOf('signature') < 6, order.slice(0, 10).join(', '))
    assert.ok(order.indexOf('other address') < 8, order.slice(0, 10).join(', '))
  })

  it('has a place for another address where one address has taken all', async () => {
    const flood = outcomes(Array.from({ length: 80 }, () => dummyVerify('wrong', '192.0.2.1')))
    const other = dummyVerify('wrong', '198.51.100.7')
    const signature = dummyVerify('wrong')
    assert.equal(await other, false)
    assert.equal(await signature, false)
    const refused = (await flood).filter(each => each === 'rejected').length
    assert.equal(refused, 80 - 2 - 64 + 1, 'the newest of the flood gave its place away')
  })
})

describe('a full queue', () => {
  it('refuses a newcomer whose lane is as long as the longest', () => {
    const turns = openTurns<string>({ most: 2, most_per_lane: 2 })
    assert.equal(turns.push('a', 'a1'), undefined)
    assert.equal(turns.push('a', 'a2'), undefined)
    assert.equal(turns.push('a', 'a3'), 'a3')
    assert.equal(turns.push('b', 'b1'), 'a2')
    assert.equal(turns.push('c', 'c1'), 'c1')
    assert.deepEqual([turns.shift(), turns.shift(), turns.shift()], ['a1', 'b1', undefined])
  })
})

describe('the health of the database', () => {
  // proves: HLTH-01
  it('is up while requests hold every connection of the pool', async () => {
    const postgres = await cloneDatabase()
    const { database, close } = await openDatabase({ url: urlsOf(postgres).DATABASE_URL, dataDir: 'not used' }, quiet)
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const requests = Array.from({ length: 12 }, () =>
      database.transaction({ tenantId: null, userId: null }, 'read only', () => isOver),
    )
    try {
      await until(() => database.connections().waiting === 2)
      await database.ping(1000)
      assert.equal(database.connections().waiting, 2, 'no request gave its connection back')
    } finally {
      end()
      await Promise.all(requests)
      await close()
      await postgres.drop()
    }
  })
})
