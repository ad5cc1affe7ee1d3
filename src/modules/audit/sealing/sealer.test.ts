// The sealer beside writers, beside another sealer, and with logs that it must not continue.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, describe, it, mock } from 'node:test'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import type { OutageLog } from '#platform/jobs/boss.ts'
import { until } from '#test/world/background.ts'
import { quiet } from '#test/world/postgres.ts'
import { steady, timed } from '#test/world/steadily.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { Frontier, leafHash } from '../log/merkle.ts'
import { openSealer, type Sealer, usualSealing } from './sealer.ts'
import { sealNow, sealSome } from './sealing.ts'

let world: World
let acme: number
const others: Database[] = []
const sealers: Sealer[] = []
before(async () => {
  world = await openWorld()
  acme = world.people.ada!.tenant_id
})
afterEach(async () => {
  await Promise.all(sealers.splice(0).map(sealer => sealer.stop()))
})
after(async () => {
  await Promise.all(others.map(database => database.close()))
  await world.close()
})

/** Acts as another process: with its own connections, and without announcements of this one. */
function anotherDatabase() {
  const database = new Database(openPool(world.postgres.app, quiet))
  others.push(database)
  return database
}
const problems: unknown[] = []
const words: OutageLog = { failed: thrown => problems.push(thrown), wentWell() {} }
function sealer({ database = world.database, lines = [] as string[], look_ms = 40 } = {}) {
  const log = { info: (line: string) => lines.push(line), warn() {}, error: (line: string) => lines.push(line) }
  const opened = openSealer({ ...world.services, database }, { log, words, timing: { look_ms, stopped_ms: 20 } })
  sealers.push(opened)
  opened.start()
  return opened
}

const insert = `insert into audit_entries (username, user_role, outcome, action, resource_type, resource_id, changes, request_id, client_addr)
  select 'ada', 'Admin', 'success', 'role.created', 'role', n, '{}', '', '' from generate_series(1, $1::int) n returning id`
/** A connection that writes entries and decides itself when it commits. */
async function writer(tenantId = acme) {
  const client = new pg.Client(world.postgres.app)
  await client.connect()
  return {
    async write(count = 1) {
      await client.query('begin')
      await client.query(`set local app.tenant_id = '${tenantId}'; set local app.transaction_id = '${randomUUID()}'`)
      return (await client.query<{ id: string }>(insert, [count])).rows.map(({ id }) => Number(id))
    },
    commit: () => client.query('commit'),
    rollback: () => client.query('rollback'),
    end: () => client.end(),
  }
}
/** Writes to the database without an announcement. */
const write = (count = 1, tenantId = acme) =>
  world.database.transaction({ tenantId, userId: null }, 'read write', async tx =>
    (await tx.executeQuery<{ id: number }>(CompiledQuery.raw(insert, [count]))).rows.map(({ id }) => id),
  )

const seqsOf = async (ids: number[]) =>
  (
    await world.rows<{ seq: string }>('select seq from audit_leaves where entry_id = any ($1) order by entry_id', [ids])
  ).map(({ seq }) => Number(seq))
const waiting = async () => Number((await world.rows<{ n: string }>('select count(*) n from audit_pending'))[0]!.n)

/** Adds tenants that have only their logs. */
async function addTenants(count: number) {
  await world.rows('alter table tenants disable trigger audited')
  const added = await world.rows<{ id: string }>(
    `insert into tenants (name, slug) select md5(random()::text), md5(random()::text) from generate_series(1, $1::int) returning id`,
    [count],
  )
  await world.rows('alter table tenants enable trigger audited')
  return added.map(({ id }) => Number(id))
}

/** Checks that the sealed entries of a tenant form a tree without gaps, and that each checkpoint is a beginning of it. */
async function requireWhole(tenantId: number) {
  const leaves = await world.rows<{ seq: string; leaf: string }>(
    'select seq, leaf from audit_leaves l join audit_entries e on e.id = l.entry_id where l.tenant_id = $1 order by seq',
    [tenantId],
  )
  const checkpoints = new Map(
    (
      await world.rows<{ size: string; root: Buffer }>(
        'select size, root from audit_checkpoints where tenant_id = $1',
        [tenantId],
      )
    ).map(({ size, root }) => [Number(size), root]),
  )
  const tree = new Frontier()
  for (const [index, { seq, leaf }] of leaves.entries()) {
    assert.equal(Number(seq), index + 1)
    tree.add(leafHash(Buffer.from(leaf)))
    const root = checkpoints.get(index + 1)
    if (root) assert.deepEqual(tree.root, root)
    checkpoints.delete(index + 1)
  }
  assert.deepEqual([...checkpoints.keys()], [], 'no checkpoint is of leaves that are not there')
}

describe('the sealer (proves: AUD-04)', () => {
  it(
    'seals within two seconds what this process has written, and what another has',
    steady(async () => {
      const isSealed = (ids: number[]) => until(async () => (await seqsOf(ids)).length === ids.length)
      // It hears the announcement of this process; its own next look would be ten minutes later.
      const told = sealer({ look_ms: 600_000 })
      await until(async () => (await waiting()) === 0)
      const [, here_ms] = await timed(async () => {
        await world.as('ada').post('/api/roles/', { name: `Sealed here ${randomUUID()}` })
        const [entry] = await world.rows<{ id: string }>('select max(id) as id from audit_entries')
        await isSealed([Number(entry!.id)])
      })
      await told.stop()
      const looking = sealer({ look_ms: usualSealing.look_ms })
      const [, elsewhere_ms] = await timed(async () => isSealed(await write()))
      assert.ok(here_ms < 2000 && elsewhere_ms < 2000, `${here_ms} ms, ${elsewhere_ms} ms`)
      assert.deepEqual([told.state().stopped, looking.state().stopped], [[], []])
    }),
  )

  it('waits for nobody: a transaction that commits late gets its places after those that overtook it, and one that is rolled back none', async () => {
    sealer()
    const [late, never] = [await writer(), await writer()]
    const [lateIds, neverIds] = [await late.write(3), await never.write(2)]
    const early = await write(2)
    await until(async () => (await seqsOf(early)).length === 2)
    assert.deepEqual(await seqsOf(lateIds), [])
    await late.commit()
    await never.rollback()
    await until(async () => (await seqsOf(lateIds)).length === 3)
    assert.ok(Math.min(...(await seqsOf(lateIds))) > Math.max(...(await seqsOf(early))))
    assert.ok(Math.max(...lateIds) < Math.min(...early), 'though they were written first')
    await until(async () => (await waiting()) === 0)
    assert.deepEqual(await seqsOf(neverIds), [])
    await Promise.all([late.end(), never.end()])
    await requireWhole(acme)
  })

  it('does the work of sixty tenants once, in two processes at the same time, beside writers', async () => {
    const tenants = await addTenants(60)
    const [one, two] = [anotherDatabase(), anotherDatabase()]
    const both = [sealer({ database: one }), sealer({ database: two })]
    await Promise.all(tenants.map(tenant => write(20, tenant)))
    await Promise.all([
      ...tenants.slice(0, 5).map(tenant => write(3, tenant)),
      ...tenants.slice(0, 5).map(tenant => sealNow(world.services, tenant)),
      ...tenants.slice(0, 5).map(tenant => sealNow({ ...world.services, database: one }, tenant)),
    ])
    await until(async () => (await waiting()) === 0)
    for (const tenant of tenants) await requireWhole(tenant)
    const [{ sealed }] = (await world.rows<{ sealed: string }>(
      'select count(*) as sealed from audit_leaves where tenant_id = any ($1)',
      [tenants],
    )) as [{ sealed: string }]
    assert.equal(Number(sealed), 60 * 20 + 5 * 3)
    for (const each of both) assert.deepEqual(each.state().stopped, [])
    assert.deepEqual(problems, [])
  })

  it('goes on to the next tenant where another process is at work', async () => {
    const rival = world.people.rex!.tenant_id
    await world.seal()
    const holder = new pg.Client(world.postgres.owner)
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from audit_logs where tenant_id = $1 for update', [acme])
    const [mine, theirs] = [await write(1, acme), await write(1, rival)]
    assert.equal(await sealSome(world.services, acme, { skip: true }), undefined)
    const running = sealer()
    await until(async () => (await seqsOf(theirs)).length === 1)
    assert.deepEqual(await seqsOf(mine), [])
    await until(() => running.state().waiting_s > 0)
    await holder.query('rollback')
    await holder.end()
    await until(async () => (await seqsOf(mine)).length === 1)
    await until(() => running.state().waiting_s === 0)
  })

  it('has to do with no clock that somebody can set', async () => {
    const running = sealer()
    world.clock.moved_ms = -30 * 86_400_000
    try {
      const before = await write()
      await until(async () => (await seqsOf(before)).length === 1)
      world.clock.moved_ms = 365 * 86_400_000
      const later = await write()
      await until(async () => (await seqsOf(later)).length === 1)
      assert.equal(running.state().waiting_s, 0)
    } finally {
      world.clock.moved_ms = 0
    }
    await requireWhole(acme)
  })
})

describe('a log that is not what it was (proves: AUD-04)', () => {
  const [bytes, more] = [`'\\x${'ab'.repeat(32)}'::bytea`, `'\\x${'cd'.repeat(32)}'::bytea`]
  const newest = '(select max(size) from audit_checkpoints where tenant_id = $1)'
  const changes: Record<string, [RegExp, string, string[]]> = {
    'another frontier': [
      /another root/,
      `update audit_logs set frontier[1] = ${bytes} where tenant_id = $1`,
      ['audit_logs'],
    ],
    'a frontier of another tree': [
      /not that of a tree/,
      `update audit_logs set frontier = array[${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}, ${bytes}] where tenant_id = $1`,
      ['audit_logs'],
    ],
    'another size': [/sequence numbers/, 'update audit_logs set size = size - 1 where tenant_id = $1', ['audit_logs']],
    'a shorter log': [
      /last checkpoint is of/,
      `update audit_logs set size = 1, seq = 1, frontier = array[${bytes}] where tenant_id = $1`,
      ['audit_logs'],
    ],
    'no checkpoint any more': [/missing/, 'delete from audit_checkpoints where tenant_id = $1', ['audit_checkpoints']],
    'a root that nobody signed': [
      /not signed/,
      `with log as (update audit_logs set size = 1, seq = 1, frontier = array[${more}] where tenant_id = $1 returning tenant_id),
        gone as (delete from audit_checkpoints where tenant_id = $1 and size > 1 and size <> ${newest})
      update audit_checkpoints set size = 1, root = ${more} from log where audit_checkpoints.tenant_id = log.tenant_id and size = ${newest}`,
      ['audit_logs', 'audit_checkpoints'],
    ],
    'an entry that waits for another place': [
      /already has a place/,
      'insert into audit_pending (tenant_id, entry_id) select tenant_id, min(entry_id) from audit_leaves where tenant_id = $1 group by 1',
      [],
    ],
    'a leaf that is not what was hashed': [
      /does not match its content/,
      `update audit_entries set leaf = leaf || ' ' where id = (select max(entry_id) from audit_pending where tenant_id = $1)`,
      ['audit_entries'],
    ],
  }
  for (const [what, [reason, text, tables]] of Object.entries(changes)) {
    it(`is sealed no more, and says so once: ${what}`, async () => {
      const [tenant] = (await addTenants(1)) as [number]
      for (const count of [5, 6]) {
        await write(count, tenant)
        await sealNow(world.services, tenant)
      }
      await write(2, tenant)
      for (const table of tables) await world.rows(`alter table ${table} disable trigger user`)
      await world.superuser.query(text, [tenant])
      for (const table of tables) await world.rows(`alter table ${table} enable trigger user`)
      const rows = () =>
        world.rows(
          `select (select to_jsonb(l) from audit_logs l where tenant_id = $1) as log,
            (select count(*) from audit_leaves where tenant_id = $1) as leaves, (select count(*) from audit_pending where tenant_id = $1) as pending,
            (select count(*) from audit_checkpoints where tenant_id = $1) as checkpoints`,
          [tenant],
        )
      const before = await rows()
      await assert.rejects(sealNow(world.services, tenant), { status: 503, message: reason })
      const lines: string[] = []
      const database = anotherDatabase()
      const transactions = mock.method(database, 'transaction').mock
      const tries = () => transactions.calls.filter(({ arguments: [binding] }) => binding.tenantId === tenant).length
      const running = sealer({ database, lines })
      const ours = write(1, world.people.rex!.tenant_id)
      await until(() => running.state().stopped.some(({ tenant_id }) => tenant_id === tenant))
      await until(async () => (await seqsOf(await ours)).length === 1)
      // It has tried twice again.
      const tried = tries()
      await until(() => tries() >= tried + 2)
      assert.equal(lines.filter(line => reason.test(line)).length, 1, lines.join())
      assert.match(running.state().stopped.find(({ tenant_id }) => tenant_id === tenant)!.reason, reason)
      assert.deepEqual(await rows(), before)
      // Cleans up for the next tests: no entry of this tenant waits any more.
      await world.superuser.query('delete from audit_pending where tenant_id = $1', [tenant])
    })
  }
})
