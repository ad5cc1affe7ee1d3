// The cost of the audit trail: its leaf and its place in the queue, in the writer's transaction; the guard that lets nothing change without
// an entry; and how many entries a second are sealed.
//
//   node bench/sealing.ts [--entries 20000] [--rounds 500]
//
// Each cost is of transactions with the triggers and of ones without, in turns, so that what else the machine does comes to both. The guard is
// measured on a trail of so many entries: of many records, then of one, which nobody has counted yet, then counted.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import { sealNow } from '#modules/audit'
import type { Tx } from '#platform/db/database.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { loadNow } from './questions.ts'
import { median } from './service.ts'

const { values: given } = parseArgs({
  options: { entries: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '500' } },
})
const [entries, rounds] = [Number(given.entries), Number(given.rounds)]
const turns = 10
const at_once = 100
const roles = 500

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
const tenant = world.people.ada!.tenant_id
try {
  console.log(`of ${rounds} transactions each, in microseconds: with and without; ${loadNow()}`)
  const first = await addRoles()
  const anyRole = () => first + Math.floor(Math.random() * roles)
  const leaf = { table: 'audit_entries', triggers: ['leaf', 'pending'], enable: 'enable always' }
  await compare('leaf and queue, of one entry', leaf, tx => write(tx, 1, first))
  await compare(`leaf and queue, an entry of ${at_once}`, leaf, tx => write(tx, at_once, first), at_once)

  const guard = { table: 'roles', triggers: ['audited', 'audited_update'], enable: 'enable' }
  const change = async (tx: Tx, role: number) => {
    await sql`update roles set revision = revision + 1 where id = ${role}`.execute(tx)
    await write(tx, 1, role)
  }
  await world.rows('alter table audit_entries set (autovacuum_enabled = false)')
  await writeMany(() => first)
  await compare('guard, where all entries are of one record, not counted', guard, tx => change(tx, first))
  await writeMany(anyRole)
  await compare('guard, where they are of many, not counted', guard, tx => change(tx, anyRole()))
  await world.rows('vacuum analyze audit_entries')
  await compare('guard, counted', guard, tx => change(tx, anyRole()))
  const several = async (tx: Tx) => {
    await sql`update roles set revision = revision + 1 where id between ${first} and ${first + at_once - 1}`.execute(tx)
    await write(tx, at_once, sql`${first} + n - 1`)
  }
  await compare(`guard, a row of ${at_once}`, guard, several, at_once)
  await measureSealing(world)
} finally {
  await world.close()
  await server.close()
}

/** Answers the first of their ids. */
async function addRoles(): Promise<number> {
  await world.rows(`set app.tenant_id = '${tenant}'; set session_replication_role = replica`)
  const made = await world.rows<{ id: number }>(
    `insert into roles (name) select 'Role ' || n from generate_series(1, ${roles}) n returning id::int`,
  )
  await world.rows('reset session_replication_role; reset app.tenant_id')
  return Math.min(...made.map(({ id }) => id))
}

/** Complete as the triggers would make it, for when they are off. */
function write(tx: Tx, count: number, role: number | RawBuilder<unknown>) {
  const [salt, hash] = [randomBytes(16), randomBytes(32)]
  return sql`insert into audit_entries (username, user_role, outcome, action, resource_type, resource_id, changes, request_id, client_addr, reason,
      person_salt, detail_salt, leaf, leaf_hash)
    select 'quinn', 'QA', 'success', 'role.updated', 'role', ${role}, '{"description":{"from":"Reviews","to":"Reviews and approves"}}',
      '01a2b3c4d5e6f708', '192.0.2.1', 'As decided in the management review', ${salt}, ${salt}, repeat('x', 500), ${hash}
    from generate_series(1, ${count}::int) n`.execute(tx)
}

/** Writes as many records at once as fit into a transaction. */
async function writeMany(role: () => number) {
  for (let left = entries; left > 0; left -= at_once)
    await world.database.transaction({ tenantId: tenant, userId: null }, 'read write', tx => write(tx, at_once, role()))
}

async function compare(
  name: string,
  { table, triggers, enable }: { table: string; triggers: string[]; enable: string },
  work: (tx: Tx) => Promise<unknown>,
  parts = 1,
) {
  const turn = (what: string) =>
    world.rows(`alter table ${table} ${triggers.map(trigger => `${what} trigger ${trigger}`).join(', ')}`)
  const times: Record<'with' | 'without', number[]> = { with: [], without: [] }
  for (let n = 0; n < 2 * turns; n++) {
    const arm = n % 2 === 0 ? 'with' : 'without'
    await turn(arm === 'with' ? enable : 'disable')
    for (let round = -3; round < rounds / turns; round++) {
      const begun = performance.now()
      await world.database.transaction({ tenantId: tenant, userId: null }, 'read write', work)
      if (round >= 0) times[arm].push(((performance.now() - begun) * 1000) / parts)
    }
  }
  await turn(enable)
  // Entries without a place in the queue would never be sealed, and entries without a leaf stop the sealing.
  await world.rows(`delete from audit_pending p using audit_entries e where e.id = p.entry_id and e.leaf like 'xxx%'`)
  const [on, off] = [median(times.with), median(times.without)]
  console.log(`${name}: ${on.toFixed(0)} and ${off.toFixed(0)}, so ${(on - off).toFixed(0)} more`)
}

async function measureSealing({ database, services }: World) {
  await world.seal()
  for (let left = entries; left > 0; left -= 1000)
    await database.transaction({ tenantId: tenant, userId: null }, 'read write', tx =>
      write(tx, Math.min(left, 1000), 1),
    )
  await world.superuser.query('vacuum analyze')
  const [cpu, begun] = [process.cpuUsage(), performance.now()]
  await sealNow(services, tenant)
  const seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    `sealed ${entries} entries in ${seconds.toFixed(2)} s: ${Math.round(entries / seconds)} a second, ${((user + system) / entries).toFixed(0)} microseconds of this process each`,
  )
}
