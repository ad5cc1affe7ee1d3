// A statement that is asked each time is planned a few times on a connection, and not each time: that can take longer than its work.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accepted } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { fillTenant } from '../bench/fill.ts'

/** The server plans each of the first five times, and from then on only where it expects that to pay off. */
const asked = 12

describe('the plans of statements that write', () => {
  let world: World
  before(async () => {
    world = await openWorld({}, { plans: 'as in production' })
    // Among so many, PostgreSQL takes a plan for this one record to be cheaper than one for any.
    await fillTenant(world, { documents: 200, deviations: 200, entries: 0 }, () => {})
  })
  after(() => world.close())

  const plannedEachTime = () =>
    world.database.withConnection(async client => {
      const { rows } = await client.query<{ statement: string; custom: number; generic: number }>(
        'select statement, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements',
      )
      const often = rows.filter(({ custom, generic }) => custom + generic >= asked)
      assert.ok(often.length >= 10, `${often.length} statements`)
      return often.filter(({ generic }) => generic === 0).map(({ statement }) => statement)
    })

  it('are kept of an upload', async () => {
    const document_type = await world.typeId('SOP')
    for (let n = 0; n < asked; n++)
      await accepted(world.as('alan').upload('/api/documents/upload', { title: `Gowning ${n}`, document_type }))
    assert.deepEqual(await plannedEachTime(), [])
  })

  it('are kept of a report of a deviation', async () => {
    const deviation = { title: 'Alarm ignored', description: 'An alarm was ignored.', severity: 'critical' }
    for (let n = 0; n < asked; n++) await accepted(world.as('alan').post('/api/deviations/', deviation))
    assert.deepEqual(await plannedEachTime(), [])
  })
})
