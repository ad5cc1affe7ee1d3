import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { openWorld, type World } from '#test/world/world.ts'

describe('tasks of the clock (proves: SVC-07)', () => {
  let world: World
  before(async () => {
    world = await openWorld()
    await world.tick()
  })
  after(() => world.close())

  /** The tenants in which a transaction was begun. */
  async function lookedAt(work: () => Promise<unknown>) {
    const { database } = world.services
    const { transaction } = database
    const tenants = new Set<number>()
    database.transaction = ((binding, ...rest) => {
      if (binding.tenantId !== null && binding.tenantId !== 1) tenants.add(binding.tenantId)
      return transaction.call(database, binding, ...rest)
    }) as typeof transaction
    try {
      await work()
    } finally {
      database.transaction = transaction
    }
    return [...tenants]
  }

  it('look at no tenant that has nothing due', async () => {
    const looking: string[] = []
    // A sweep of the store is due for three days after the tenants were made.
    world.clock.moved_ms = 4 * 86_400_000
    for (const schedule of world.app.schedules) await world.round(schedule)
    for (const schedule of world.app.schedules)
      if ((await lookedAt(() => world.round(schedule))).length > 0) looking.push(schedule.name)
    assert.deepEqual(looking, [])
    world.clock.moved_ms = 0
  })

  it('look at the tenant that has something due, by its own day', async () => {
    const [acme] = [world.people.ada!.tenant_id]
    const made = await world.as('uma').post('/api/deviations/', {
      title: 'Valve V-12 leaked',
      description: 'Water was found under valve V-12 after cleaning.',
      severity: 'minor',
    })
    assert.equal(made.statusCode, 201, made.body)
    const reminders = world.app.schedules.find(({ name }) => name === 'deviations.tell_of_due_dates')!
    const { due_date } = made.json()
    const soon = Math.round((Date.parse(due_date) - world.clock.now().getTime()) / 86_400_000)
    assert.deepEqual(await lookedAt(() => world.round(reminders)), [])
    world.clock.moved_ms += soon * 86_400_000
    assert.deepEqual(await lookedAt(() => world.round(reminders)), [acme])
  })

  it('are asked for by the platform alone, and an unknown one is an error', async () => {
    const client = new pg.Client(world.postgres.app)
    await client.connect()
    const ask = async (tenant: number, task: string) => {
      await client.query(`begin; set local app.tenant_id = '${tenant}'`)
      try {
        return (await client.query('select tenants_with_work($1, now()) as id', [task])).rows.length
      } finally {
        await client.query('rollback')
      }
    }
    try {
      assert.ok((await ask(1, 'training.audience')) >= 0)
      assert.equal(await ask(world.people.ada!.tenant_id, 'deviations.tell_of_due_dates'), 0)
      await assert.rejects(ask(1, 'training.everything'), { code: '20000' })
    } finally {
      await client.end()
    }
  })
})
