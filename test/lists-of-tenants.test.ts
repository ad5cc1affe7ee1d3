// However many records another tenant has, and however new they are: a list reads none of them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manyRecords } from '#test/builders/many-records.ts'
import { rowsRead } from '#test/world/rows-read.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { seedDocuments, seedPieces } from '../bench/search-set/many.ts'

const own = 300
const others = 3000

describe('a list beside a tenant that has many newer records', () => {
  let world: World
  before(async () => {
    world = await openWorld()
    await seedPieces(world, 2000)
    await seedDocuments(world, { owner: 'alan', from: 1, to: own })
    await seedDocuments(world, { owner: 'rob', from: 1, to: others })
    await world.superuser.query('reset app.tenant_id; reset app.user_id; drop table pool')
    await manyRecords(world, own)
    await manyRecords({ ...world, people: { ...world.people, quinn: world.people.rita! } }, others)
    await world.superuser.query('vacuum analyze')
  })
  after(() => world.close())

  for (const table of ['documents', 'deviations'] as const)
    it(`of ${table} reads what it shows, or at most what its tenant has`, async () => {
      for (const [by, query, most] of [
        ['quinn', '', 100],
        ['quinn', 'page=2&sort=id:asc', 100],
        ['quinn', 'sort=status', 2 * own],
        ['uma', '', 2 * own],
      ] as const) {
        // Tables as short as these are read whole where a long one is not.
        const read = await rowsRead(
          world,
          by,
          `/api/${table}/?page_size=20&${query}`,
          [table],
          'set enable_seqscan = off',
        )
        assert.ok(read[table] > 0 && read[table] <= most, `${by} ${query} reads ${read[table]}`)
      }
    })
})
