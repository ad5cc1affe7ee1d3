import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openWorld, type World } from '#test/world/world.ts'
import { builtForEach, builtOnce } from './built-once.ts'
import type { Tx } from './database.ts'

describe('a statement that is built once', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const asOf = <T>(name: string, work: (tx: Tx) => Promise<T>) => {
    const { tenant_id, id } = world.people[name]!
    return world.database.transaction({ tenantId: tenant_id, userId: id }, 'read only', work)
  }
  const named = (tx: Tx, { username }: { username: string }) =>
    tx.selectFrom('users').select('id').where('username', '=', username)

  it('has the values of each call, and shows the rows of its tenant alone, whoever was the first to ask', async () => {
    let times = 0
    const find = builtOnce((tx, values: { username: string }) => {
      times += 1
      return named(tx, values)
    })
    const { alan, petra, rob } = world.people
    assert.deepEqual(await asOf('quinn', tx => find(tx, { username: 'alan' })), [{ id: alan!.id }])
    assert.deepEqual(await asOf('quinn', tx => find(tx, { username: 'petra' })), [{ id: petra!.id }])
    assert.deepEqual(await asOf('rita', tx => find(tx, { username: 'alan' })), [])
    assert.deepEqual(await asOf('rita', tx => find(tx, { username: 'rob' })), [{ id: rob!.id }])
    assert.equal(times, 1)
  })

  it('is refused where it is decided by a value, which would hold for all', async () => {
    const find = builtOnce((tx, { username, isAll }: { username: string; isAll: boolean }) =>
      isAll ? tx.selectFrom('users').select('id') : named(tx, { username }),
    )
    await assert.rejects(
      asOf('quinn', tx => find(tx, { username: 'alan', isAll: false })),
      /username is looked at, and not put into the statement/,
    )
  })

  it('is one for each way to ask, with the values of each call', async () => {
    let times = 0
    const list = builtForEach((tx, { by }: { by: 'asc' | 'desc' }, { limit }: { limit: number }) => {
      times += 1
      return tx
        .selectFrom('users')
        .select('username')
        .where('username', 'in', ['alan', 'petra'])
        .orderBy('username', by)
        .limit(limit)
    })
    const named = async (by: 'asc' | 'desc', limit: number) =>
      (await asOf('quinn', tx => list(tx, { by }, { limit }))).map(({ username }) => username)
    assert.deepEqual(await named('asc', 1), ['alan'])
    assert.deepEqual(await named('desc', 1), ['petra'])
    assert.deepEqual(await named('asc', 2), ['alan', 'petra'])
    assert.equal(times, 2)
  })
})
