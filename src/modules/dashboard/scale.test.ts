import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { fillDashboards } from '#test/builders/dashboard-fill.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { rowsRead } from '#test/world/rows-read.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { type Statement, statementsDuring } from '../../../bench/statements.ts'

const lists = [
  'assigned-items',
  'unassigned-items',
  'pending-approvals',
  'overdue-items',
  'overdue-items?yours=true',
  'approaching-deadlines',
  'approaching-deadlines?yours=true',
]
const history = 3_000

let world: World
let client: pg.Client
before(async () => {
  world = await openWorld({}, { plans: 'as in production' })
  client = new pg.Client(world.postgres.app)
  await client.connect()
})
after(async () => {
  await client.end()
  await world.close()
})

const get = async (path: string): Promise<Json> => ok(await world.as('quinn').get(`/api/dashboard/${path}`))

/** The statements of one list, without those that reread the account of the caller now and then. */
async function sentBy(path: string): Promise<Statement[]> {
  const sent = []
  for (let i = 0; i < 3; i += 1) sent.push(await statementsDuring(() => get(path)))
  return sent.toSorted((a, b) => a.length - b.length)[0]!
}
const big = [
  ...['deviations', 'capas', 'capa_actions', 'effectiveness_reviews', 'training_assignments'],
  ...['documents', 'document_versions'],
]

/** The rows that the plan reads from big tables, for each access. */
function readBy(plan: Json): { table: string; rows: number }[] {
  const below = (plan.Plans ?? []).flatMap(readBy)
  if (!big.includes(plan['Relation Name'])) return below
  const dropped = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return [...below, { table: plan['Relation Name'], rows: (plan['Actual Rows'] + dropped) * plan['Actual Loops'] }]
}

describe('dashboards of a tenant with a long history (proves: DASH-01, DASH-02, DASH-03, DASH-04)', () => {
  it('read of what is over next to nothing', async () => {
    await fillDashboards(world, { over: history, open: 10 })
    for (const path of lists) {
      const read: Record<string, number> = {}
      for (const statement of await sentBy(path)) {
        if (typeof statement === 'string' || !/^\s*(select|with)/i.test(statement.text)) {
          await client.query(statement as string)
          continue
        }
        const { rows } = await client.query(`explain (analyze, format json) ${statement.text}`, statement.values)
        for (const { table, rows: count } of readBy(rows[0]['QUERY PLAN'][0].Plan))
          read[table] = (read[table] ?? 0) + count
      }
      for (const [table, rows] of Object.entries(read))
        assert.ok(rows < history / 10, `${path} reads ${rows} rows of ${table}, of which 10 are open`)
    }
  })

  it('find the work of people who have left by those people, and approvals by the states that wait', async () => {
    await world.superuser.query('vacuum analyze')
    const read = await rowsRead(world, 'quinn', '/api/dashboard/orphaned-items', ['documents', 'document_versions'])
    for (const [table, rows] of Object.entries(read))
      assert.ok(rows < history / 10, `${rows} rows of ${table}, of which 10 are open`)
  })

  it('send as many statements for 1,000 open records as for ten, and count all of them', async () => {
    const few = new Map<string, number>()
    for (const path of lists) few.set(path, (await sentBy(path)).length)
    await fillDashboards(world, { over: 0, open: 990 })
    for (const path of lists) assert.equal((await sentBy(path)).length, few.get(path), path)
    const { counts, documents, is_complete } = await get('pending-approvals?limit=5')
    assert.deepEqual([counts.documents, documents.length, is_complete], [1000, 5, true])
    // People may not close deviations assigned to them, or approve their own drafts.
    assert.deepEqual([counts.deviations, counts.draft_capas], [0, 0])
    const { items, total } = await get('overdue-items?yours=true&page_size=100')
    assert.deepEqual([items.length, total], [100, (await get('overdue-items?yours=true&page=2')).total])
  })
})
