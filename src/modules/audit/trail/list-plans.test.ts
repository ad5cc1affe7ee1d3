// The rows that a list of a long trail reads, as counted by the database.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { fillAudit } from '#test/builders/audit-fill.ts'
import { readOf, rowsRead } from '#test/world/rows-read.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { statementsDuring } from '../../../../bench/statements.ts'

let world: World
let client: pg.Client
before(async () => {
  world = await openWorld({}, { plans: 'as in production' })
  await fillAudit(world, { by: 'ada', entries: 7000 })
  await world.seal()
  await world.superuser.query('vacuum analyze')
  client = new pg.Client(world.postgres.app)
  await client.connect()
})
after(async () => {
  await client.end()
  await world.close()
})

const readBy = (query: string) =>
  rowsRead(world, 'otto', `/api/audit/?page_size=20&${query}`, ['audit_entries', 'audit_leaves'])

/** The rows of the page and of its blocks, with an allowance for rounding over several loops. */
const blocks = (count: number) => count * 2048 + 100

it('a list of the audit trail reads the entries that it shows and the places of their blocks, on whichever page and by whichever filter (proves: AUD-02)', async () => {
  const filters = ['', 'action=document.updated', 'outcome=failed&resource_type=capa', 'seq_from=3000&user_id=USER']
  const user = String(world.people.ada!.id)
  for (const filter of filters)
    for (const order of ['sort=id:desc', 'sort=id:asc&page=20', 'sort=seq:desc&page=5', 'page=300']) {
      const query = `${filter.replace('USER', user)}&${order}`
      const { audit_entries, audit_leaves } = await readBy(query)
      assert.ok(audit_entries <= 100, `${query} reads ${audit_entries} entries`)
      assert.ok(audit_leaves <= blocks(2), `${query} reads ${audit_leaves} places`)
    }
  for (const query of [
    'sort=occurred_at:desc',
    'sort=occurred_at&page=170',
    'date_from=2030-03-10&date_to=2030-03-11',
  ]) {
    const { audit_entries } = await readBy(query)
    assert.ok(audit_entries <= blocks(3), `${query} reads ${audit_entries} entries`)
  }
  for (const query of ['q=0012', 'q=person3', 'resource_id=77', 'resource_id=77&resource_type=capa&sort=seq']) {
    const { audit_entries } = await readBy(query)
    assert.ok(audit_entries <= 500, `${query} reads ${audit_entries} entries`)
  }
})

it('what waits for its place is read once, however badly the planner knows how much that is', async () => {
  await fillAudit(world, { by: 'ada', entries: 1, from: 7000 })
  const sent = await statementsDuring(() => world.seal())
  const taken = sent.find(each => typeof each !== 'string' && each.text.includes('delete from audit_pending'))
  assert.ok(taken && typeof taken !== 'string')
  await world.superuser.query('vacuum analyze audit_pending')
  await fillAudit(world, { by: 'ada', entries: 3000, from: 7001 })
  await client.query(`begin; set local app.tenant_id = '${world.people.ada!.tenant_id}'; set local enable_hashjoin = off;
    set local enable_mergejoin = off; set local enable_indexscan = off; set local enable_bitmapscan = off`)
  const { rows } = await client.query(`explain (analyze, format json) ${taken.text}`, taken.values)
  await client.query('rollback')
  const read = readOf('audit_pending', rows[0]['QUERY PLAN'][0].Plan)
  // Finding, reading and deleting them.
  assert.ok(read <= 3 * 3000, `${read} rows are read`)
})
