import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openWorld, type World } from '#test/world/world.ts'
import type { Tx } from './database.ts'
import { askGuards, inPart, inTrial } from './trial.ts'

describe('work on trial', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => {
    const { id, tenant_id } = world.people.ada!
    return world.database.transaction({ tenantId: tenant_id, userId: id }, 'read write', work)
  }
  /** A change that no entry of the audit trail tells of: it is refused at the commit. */
  const add = (tx: Tx, name: string) =>
    sql`insert into groups (name, description, group_type) values (${name}, '', 'department')`.execute(tx)
  const names = async (tx: Tx) => (await tx.selectFrom('groups').select('name').execute()).map(({ name }) => name)

  it('asks the guards that are put off to the commit, before it is undone (proves: AUD-01)', async () => {
    const tried = inTransaction(tx =>
      inTrial(tx, async () => {
        await add(tx, 'On trial')
        await askGuards(tx)
      }),
    )
    await assert.rejects(tried, /change to group \d+ \(table groups\) has no audit entry/)
  })

  it('is undone, whatever came of it', async () => {
    const left = await inTransaction(async tx => {
      const tried = await inTrial(tx, async () => {
        await add(tx, 'On trial')
        return names(tx)
      })
      assert.ok(tried.includes('On trial'))
      const failed = inTrial(tx, async () => {
        await add(tx, 'On trial')
        throw new Error('it does not work')
      })
      await assert.rejects(failed, /it does not work/)
      return names(tx)
    })
    assert.ok(!left.includes('On trial'))
  })

  it('of a part is kept where it works, and undone where it fails', async () => {
    const kept: string[][] = []
    const whole = inTransaction(async tx => {
      await inPart(tx, () => add(tx, 'Works'))
      const part = inPart(tx, async () => {
        await add(tx, 'Fails')
        throw new Error('it does not work')
      })
      await assert.rejects(part, /it does not work/)
      kept.push(await names(tx))
      throw new Error('no entry tells of it')
    })
    await assert.rejects(whole, /no entry tells of it/)
    assert.deepEqual([kept[0]!.includes('Works'), kept[0]!.includes('Fails')], [true, false])
  })
})
