// However many records another tenant has, and however new they are: nobody of a small tenant reads them, or waits for them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { fillDashboards } from '#test/builders/dashboard-fill.ts'
import { manyRecords } from '#test/builders/many-records.ts'
import { accepted } from '#test/builders/samples.ts'
import { rowsOfTables, rowsRead } from '#test/world/rows-read.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { seedDocuments, seedPieces } from '../bench/search-set/many.ts'
import { soughtName } from '../src/platform/db/names.ts'

const own = 300
const others = 1600
/** Rows that are read again for each of a page, and of tables that have few. */
const allowance = 250

/** Questions with words, and the lists that are narrowed most often, beside all that have an address of their own. */
const questions = [
  '/api/documents/?q=validation',
  '/api/documents/?q=cleaning+v',
  '/api/documents/?status=draft&sort=title',
  '/api/documents/?document_type=1&sort=review_due_date',
  '/api/documents/?needs_revision=true',
  '/api/deviations/?q=leak',
  '/api/deviations/?status=open&sort=due_date',
  '/api/deviations/?overdue=true',
  '/api/capa/?q=pump',
  '/api/capa/?overdue=true',
  '/api/find?q=valve',
  '/api/search/?q=cleaning+validation',
  '/api/dashboard/overdue-items?yours=true',
]

describe('beside a tenant that has many newer records', () => {
  let world: World
  before(async () => {
    world = await openWorld({}, { plans: 'as in production' })
    await seedPieces(world, 500)
    await seedDocuments(world, { owner: 'alan', from: 1, to: own })
    await seedDocuments(world, { owner: 'rob', from: 1, to: others })
    await world.superuser.query('reset app.tenant_id; reset app.user_id; drop table pool')
    await manyRecords(world, own)
    await manyRecords({ ...world, people: { ...world.people, quinn: world.people.rita! } }, others)
    const { rita, rob } = world.people
    await fillDashboards(
      { ...world, people: { ...world.people, quinn: rita!, alan: rob! } },
      { over: others / 2, open: others / 2 },
    )
    await world.superuser.query('reset session_replication_role')
    // The words of texts are most of the work, and tell the planner as much by fewer of them.
    await world.superuser.query('set default_statistics_target = 10')
    await world.superuser.query('vacuum analyze')
  })
  after(() => world.close())

  for (const table of ['documents', 'deviations'] as const)
    it(`a list of ${table} reads what it shows, or at most what its tenant has`, async () => {
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

  it('no question reads more of a table than a small part of what others have in it', async () => {
    const lists = world.app.routes
      .filter(({ method, url }) => method === 'GET' && !url.includes(':'))
      .map(({ url }) => url)
    const client = new pg.Client(world.postgres.app)
    await client.connect()
    // Tables as short as these are read whole where long ones are not.
    await client.query('set enable_seqscan = off')
    const asked: string[] = []
    const found: string[] = []
    for (const by of ['quinn', 'uma', 'ada'])
      for (const path of by === 'uma' ? questions : [...lists, ...questions]) {
        if ((await world.as(by).get(path)).statusCode !== 200) continue
        asked.push(path)
        for (const [table, rows] of await rowsOfTables(client, world, by, path)) {
          if (rows <= allowance) continue
          const has_tenant = 'select from pg_attribute where attrelid = $1::regclass and attname = $2'
          if ((await world.superuser.query(has_tenant, [table, 'tenant_id'])).rowCount === 0) continue
          const [count] = await world.rows<{ own: number; foreign: number }>(
            `select count(*) filter (where tenant_id = $1)::integer as own,
               count(*) filter (where tenant_id <> $1)::integer as foreign from ${table}`,
            [world.people.quinn!.tenant_id],
          )
          // Of a table in which others have few rows, as many may be the tenant's own, read for one thing after the other.
          if (count!.foreign >= others && rows > allowance + 4 * count!.own)
            found.push(`${by} ${path} reads ${rows} rows of ${table}, where the tenant has ${count!.own}`)
        }
      }
    await client.end()
    assert.deepEqual(found, [])
    assert.ok(new Set(asked).size > 60, `${asked.length} were asked`)
  })

  it('a list by a beginning of a word looks for it among the words of its own tenant', async () => {
    const client = new pg.Client(world.postgres.app)
    await client.connect()
    try {
      for (const by of ['alan', 'rob']) {
        const { id, tenant_id } = world.people[by]!
        await client.query(`begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'`)
        await client.query("select find_documents('cleaning val')")
        const { rows } = await client.query<{ scans: string }>(
          "select pg_stat_get_xact_numscans('document_index_label'::regclass) as scans",
        )
        await client.query('rollback')
        assert.equal(Number(rows[0]!.scans), 0, `${by} goes through the words of all tenants`)
      }
    } finally {
      await client.end()
    }
  })

  it('what joins records of all kinds is planned once, and not each time', async () => {
    const counts = () =>
      world.database.withConnection(async client => {
        const { rows } = await client.query<{ name: string; generic: number; custom: number }>(
          `select name, generic_plans::integer as generic, custom_plans::integer as custom from pg_prepared_statements
           where statement ~ 'deviations d' and statement ~ 'capas c'`,
        )
        return new Map(rows.map(({ name, ...plans }) => [name, plans]))
      })
    for (const list of ['overdue-items', 'approaching-deadlines', 'assigned-items']) {
      const ask = () => accepted(world.as('quinn').get(`/api/dashboard/${list}`))
      for (let round = 0; round < 7; round++) await ask()
      const before = await counts()
      await ask()
      const after = await counts()
      const asked = [...after].filter(([name, { custom, generic }]) => {
        const known = before.get(name)
        return custom + generic > (known ? known.custom + known.generic : 0)
      })
      assert.ok(asked.length > 0, list)
      for (const [name, { custom }] of asked)
        assert.equal(custom, before.get(name)?.custom, `${list} is planned each time`)
    }
  })

  it('records are found by their name without the help of other processes, which takes longer than the search', async () => {
    const { superuser, people } = world
    const plans: string[] = []
    const keep = ({ message }: { message: string | undefined }) => {
      plans.push(String(message))
    }
    const asked = JSON.stringify(soughtName('valve'))
    await superuser.query("load 'auto_explain'; begin")
    superuser.on('notice', keep)
    try {
      await superuser.query(`set local app.tenant_id = '${people.quinn!.tenant_id}'; set local auto_explain.log_level = notice;
        set local auto_explain.log_min_duration = 0; set local auto_explain.log_nested_statements = on; set local parallel_setup_cost = 0;
        set local parallel_tuple_cost = 0; set local min_parallel_table_scan_size = 0; set local min_parallel_index_scan_size = 0`)
      for (const kind of ['document', 'deviation', 'capa', 'training_program', 'user'])
        await superuser.query('select from named_records($1, $2, 10, null, null)', [kind, asked])
    } finally {
      superuser.off('notice', keep)
      await superuser.query('rollback')
    }
    const searches = plans.filter(plan => plan.includes('from matched m'))
    assert.equal(searches.length, 5)
    for (const plan of searches) assert.doesNotMatch(plan, /Gather/)
  })
})
