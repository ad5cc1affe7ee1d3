import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countTenant } from '#modules/training'
import { assignments } from '#test/builders/assignments.ts'
import { behindTheApi, papers } from '#test/builders/documents.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('projections at the command line (proves: DASH-05)', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(async () => {
    await commands.close()
    await world.close()
  })

  const commands = commandsOf(() => world)
  async function run(...words: string[]) {
    const { out, err } = await commands.run(words)
    return { out: out.trim().split('\n'), err }
  }
  const told = async () => (await run('doctor')).out.find(line => line.includes('projections:'))

  it('are found to be wrong by the doctor, tenant by tenant, and are right once they are rebuilt', async () => {
    const { tenant_id } = world.people.ada!
    const { id } = await assignments(world).program()
    await assignments(world).assign({ training_id: id, user_ids: assignments(world).ids(['uma']) })
    const right =
      'ok    projections: statistics, deviation-index, compliance, storage-use match the records of every tenant (qms projections check also compares document-index, audit-places)'
    const rebuilt = await run('projections', 'rebuild')
    assert.equal(
      rebuilt.out.filter(line => line.includes('The projection statistics of tenant')).length,
      2,
      rebuilt.err,
    )
    await countTenant(world.services, tenant_id)
    await world.rows(`update stat_counts set n = n + 1 where tenant_id = ${tenant_id} and measure = 'assignments.open'`)
    await world.rows(`update compliance_counts set trained = 7 where tenant_id = ${tenant_id}`)
    assert.match(
      (await told())!,
      new RegExp(
        `^FAIL {2}projections: .*qms projections rebuild.*: tenant ${tenant_id}, statistics: assignments.open; tenant ${tenant_id}, compliance: program ${id}: sum of the counts of people$`,
      ),
    )
    await run('projections', 'rebuild', '--tenant', 'acme', '--only', 'statistics')
    assert.match(
      (await told())!,
      new RegExp(`: tenant ${tenant_id}, compliance: program ${id}: sum of the counts of people$`),
    )
    assert.match((await run('projections', 'rebuild', '--only', 'stats')).err, /There is no projection stats/)
    await run('projections', 'rebuild', '--tenant', 'acme')
    assert.equal(await told(), right)
    assert.match(
      (await run('projections', 'check')).out[0]!,
      /document-index.*audit-places match the records of 2 tenants/,
    )
    // The records of a suspended tenant are kept too.
    const { tenant_id: suspended } = world.people.rex!
    const set = (is_active: boolean, more: number) =>
      Promise.all([
        behindTheApi(world, 'tenants', 'update tenants set is_active = $2 where id = $1', [suspended, is_active]),
        world.rows('update storage_use set files = files + $2 where tenant_id = $1', [suspended, more]),
      ])
    await set(false, 7)
    assert.match((await told())!, new RegExp(`^FAIL .*tenant ${suspended}, storage-use: `))
    await set(true, -7)
    await papers(world).upload()
    await world.rows(`update document_index set is_restricted = not is_restricted where tenant_id = ${tenant_id}`)
    assert.match((await run('projections', 'check', '--only', 'document-index')).err, /document-index: .*is_restricted/)
  })
})
