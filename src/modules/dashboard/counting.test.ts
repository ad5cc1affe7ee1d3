// Statistics while the records of a tenant are counted again for a new time zone.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Tx } from '#platform/db/database.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { manyRecords } from '#test/builders/many-records.ts'
import { driftOf, rebuildStatistics } from '#test/builders/statistics.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { countByNewZone } from '../projections/statistics/index.ts'
import { countSome, defaultAtOnce } from '../projections/statistics/zones.ts'

/** So many deviations and as many trainings: 300 more than the change of the time zone itself counts. */
const many = defaultAtOnce / 2 + 150

let world: World
let cases: ReturnType<typeof deviations>
let first: number
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  cases = deviations(world)
  first = (await cases.report()).id
  await manyRecords(world, many)
})
after(() => world.close())

const inTenant = <T>(work: (tx: Tx) => Promise<T>) =>
  world.database.transaction({ tenantId: world.people.ada!.tenant_id, userId: null }, 'read write', work)
const countFurther = (records: number) => inTenant(tx => countSome(tx, undefined, records))
const countAll = () => world.round(countByNewZone({ at_once: 150 }))
const setZone = async (time_zone: string) => {
  const { revision } = ok(await world.as('ada').get('/api/settings'))
  ok(await world.as('ada').put('/api/settings', { time_zone, revision, change_reason: 'Moved' }))
}
const stats = async (): Promise<Json> => ok(await world.as('quinn').get('/api/dashboard/stats'))
async function assertCountedBy(time_zone: string) {
  assert.equal((await stats()).window.time_zone, time_zone)
  assert.deepEqual(await driftOf(world, world.people.ada!.tenant_id), [])
  for (const each of ['/api/deviations/?', '/api/deviations/?status=open&status=closed&'])
    assert.equal(await totalOf(each), await totalOf(`${each}date_from=1900-01-01&`))
}
/** A list without a filter does not count its records one by one. */
const totalOf = async (list: string) => ok(await world.as('quinn').get(`${list}page_size=1`)).total
const change = (id: number, department: string) =>
  cases.put('petra', id, { department, severity: 'critical', change_reason: 'Looked' })

describe('statistics after a change of the time zone (proves: DASH-05)', () => {
  let last: number
  beforeEach(async () => {
    await setZone('UTC')
    await countAll()
    await assertCountedBy('UTC')
    last = (await cases.report()).id
  })

  it('are by the days of the zone before until all records are counted, and exact before, then and after', async () => {
    await setZone('Pacific/Kiritimati')
    await assertCountedBy('UTC')
    // Records counted by the new zone, not yet counted, and created meanwhile; then again after more were counted.
    for (const department of ['Packaging', 'Filling']) {
      await change(first, department)
      await change(last, department)
      await cases.report({ department })
      await assertCountedBy('UTC')
      await countFurther(100)
    }
    await assertCountedBy('UTC')
    await countAll()
    await assertCountedBy('Pacific/Kiritimati')
    await change(last, 'Warehouse')
    await assertCountedBy('Pacific/Kiritimati')
  })

  it('are exact whoever changes what at the moment at which it is counted', async () => {
    const open = await Promise.all(Array.from({ length: 4 }, () => cases.report()))
    await setZone('Pacific/Niue')
    await Promise.all([
      countAll(),
      countAll(),
      ...open.map(({ id }, i) => change(id, `Line ${i % 2}`)),
      ...open.map(() => cases.report({ department: 'Line 1' })),
    ])
    await countAll()
    await assertCountedBy('Pacific/Niue')
  })

  it('go on by the zone before where the change is taken back, and begin anew with a third one', async () => {
    await setZone('Asia/Tokyo')
    await change(first, 'Tokyo')
    await setZone('UTC')
    await assertCountedBy('UTC')
    await setZone('Asia/Tokyo')
    await setZone('Pacific/Niue')
    await countAll()
    await assertCountedBy('Pacific/Niue')
    await setZone('UTC')
    const zones = async () =>
      (
        await world.rows<{ time_zone: string }>(
          `select z.time_zone from stat_zones z where tenant_id = $1
             and exists (select from stat_counts c where c.zone_id = z.id)
             and exists (select from stat_records r where r.zone_id = z.id) order by id desc limit 3`,
          [world.people.ada!.tenant_id],
        )
      ).map(({ time_zone }) => time_zone)
    assert.deepEqual(await zones(), ['UTC', 'Pacific/Niue', 'Asia/Tokyo'])
    // The rows of zones that were replaced are deleted once nobody reads them.
    await countAll()
    await world.rows(`update stat_zones set replaced_at = replaced_at - interval '1 hour'`)
    await countAll()
    assert.deepEqual(await zones(), ['UTC'])
    await assertCountedBy('UTC')
  })

  it('are by the new zone at once where they are rebuilt meanwhile', async () => {
    await setZone('Asia/Tokyo')
    await rebuildStatistics(world.database, world.people.ada!.tenant_id)
    await assertCountedBy('Asia/Tokyo')
    await change(last, 'Tokyo')
    await countAll()
    await assertCountedBy('Asia/Tokyo')
  })

  it('go on where a killed run ended, without counting a record twice', async () => {
    await setZone('Asia/Tokyo')
    const place = await countFurther(100)
    assert.ok(place)
    await change(last, 'Tokyo')
    // A place of another zone counts for nothing.
    assert.ok(await inTenant(tx => countSome(tx, { ...place, zone_id: place.zone_id - 1 }, 100)))
    await assertCountedBy('UTC')
    await countAll()
    await assertCountedBy('Asia/Tokyo')
  })
})
