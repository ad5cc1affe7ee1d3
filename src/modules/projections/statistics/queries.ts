import { sql } from 'kysely'
import type { Measure } from '#kernel/measures.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Fact, Resource } from './fact.ts'

const lockOfTenant = sql`hashtextextended('stat_counts ' || current_tenant(), 0)`

/** Until the transaction ends, no zone begins to be counted, and none takes the place of another. Others count at the same time. */
export const holdZones = (tx: Tx) => heldZones(tx, {})
const heldZones = builtOnce(() => sql`select pg_advisory_xact_lock_shared(${lockOfTenant})`)

/** Waits for all who count, and keeps others from counting until the transaction ends. */
export const stopCounting = (tx: Tx) => sql`select pg_advisory_xact_lock(${lockOfTenant})`.execute(tx)

/** The facts of a record in a zone, and those that were stored for it when they were derived. */
export interface Change {
  zone_id: number
  record_id: number
  stored: Fact[] | null
  facts: Fact[]
}

/**
 * Stores the facts of records and adds what changed to the counts. Fails as what is run again does where another transaction has stored facts
 * of one of them since they were derived.
 *
 * Counts are written in the first slot in which no other transaction counts, so that none waits for another's commit.
 */
export async function storeChanges(tx: Tx, resource: Resource, changes: readonly Change[]): Promise<void> {
  const known = changes.filter(({ stored }) => stored !== null)
  await store(tx, {
    resource,
    changes: JSON.stringify(changes),
    zone_ids: [...new Set(known.map(({ zone_id }) => zone_id))],
    record_ids: known.map(({ record_id }) => record_id),
  })
}

const store = builtOnce(
  (
    _tx,
    {
      resource,
      changes,
      zone_ids,
      record_ids,
    }: { resource: Resource; changes: string; zone_ids: number[]; record_ids: number[] },
  ) => sql`
    with changed as materialized (
      select * from jsonb_to_recordset(${changes}::jsonb) as c (zone_id bigint, record_id bigint, stored jsonb, facts jsonb)),
    inserted as (
      insert into stat_records (zone_id, resource, record_id, facts)
      select zone_id, ${resource}, record_id, facts from changed where stored is null order by zone_id, record_id
      on conflict do nothing returning zone_id, record_id, null::jsonb as stored, facts),
    updated as (
      update stat_records s set facts = c.facts from changed c
      where s.zone_id = c.zone_id and s.resource = ${resource} and s.record_id = c.record_id and s.facts = c.stored
        -- Without these, a join could read the facts of all records.
        and s.zone_id = any(${zone_ids}::bigint[])
        and s.record_id = any(${record_ids}::bigint[])
      returning s.zone_id, s.record_id, c.stored, s.facts),
    done as (select * from inserted union all select * from updated),
    free as materialized (
      select slot from generate_series(0, 999) slot
      where pg_try_advisory_xact_lock(hashtextextended(format('stat_counts %s %s', current_tenant(), slot), 0)) limit 1),
    counted as (
      insert into stat_counts as c (zone_id, measure, day, key, slot, n)
      select m.zone_id, m.fact ->> 0, coalesce((m.fact ->> 1)::date, '-infinity'), m.fact ->> 2, free.slot, sum(m.sign)
      from (
        select zone_id, jsonb_array_elements(facts) as fact, 1 as sign from done
        union all
        select zone_id, jsonb_array_elements(stored), -1 from done) m cross join free
      group by 1, 2, 3, 4, 5 having sum(m.sign) <> 0
      on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n)
    select refuse_outdated_facts() where (select count(*) from done) < (select count(*) from changed)`,
)

interface Zone {
  id: number
  time_zone: string
  is_whole: boolean
}

/** The time zone of the tenant, and the zones that are counted: one that is whole, and during a change the next one. */
export async function findZones(tx: Tx): Promise<{ time_zone: string; whole?: Zone; next?: Zone }> {
  const [tenant, zones] = await Promise.all([
    sql<{ time_zone: string }>`select coalesce(settings ->> 'time_zone', 'UTC') as time_zone from tenants
      where id = current_tenant()`.execute(tx),
    tx.selectFrom('stat_zones').select(['id', 'time_zone', 'is_whole']).where('replaced_at', 'is', null).execute(),
  ])
  const [whole, next] = [true, false].map(is => zones.find(({ is_whole }) => is_whole === is))
  return { time_zone: tenant.rows[0]!.time_zone, ...(whole && { whole }), ...(next && { next }) }
}

export const insertZone = (tx: Tx, zone: Omit<Zone, 'id'>) => tx.insertInto('stat_zones').values(zone).execute()

/** Replaces rows of a zone that was taken over or never became whole. */
export const replaceZone = (tx: Tx, id: number) =>
  tx.updateTable('stat_zones').set({ replaced_at: sql`now()` }).where('id', '=', id).execute()

export const completeZone = (tx: Tx, id: number) =>
  tx.updateTable('stat_zones').set({ is_whole: true }).where('id', '=', id).execute()

export async function deleteAll(tx: Tx): Promise<void> {
  await tx.deleteFrom('stat_counts').execute()
  await tx.deleteFrom('stat_records').execute()
  await tx.deleteFrom('stat_zones').execute()
}

/**
 * Deletes some rows of a zone that was replaced, and at last the zone. Resolves to whether there was any. A reader that began before the
 * replacement reads its counts, so they are kept for a while.
 */
export async function deleteReplaced(tx: Tx, limit: number): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`select id from stat_zones where replaced_at < now() - interval '10 minutes'
    order by id limit 1 for update skip locked`.execute(tx)
  if (!rows[0]) return false
  const { id } = rows[0]
  const deleted = await sql`delete from stat_records where zone_id = ${id} and ctid = any(array(
    select ctid from stat_records where zone_id = ${id} limit ${limit}))`.execute(tx)
  if (deleted.numAffectedRows! > 0n) return true
  await tx.deleteFrom('stat_counts').where('zone_id', '=', id).execute()
  await tx.deleteFrom('stat_zones').where('id', '=', id).execute()
  return true
}

/** The measures of which a count is not the sum of the stored facts. */
export async function findDriftOfCounts(tx: Tx, zone_id: number): Promise<Measure[]> {
  const { rows } = await sql<{ measure: Measure }>`select distinct measure
    from (select measure, day, key, sum(n) as n from stat_counts where zone_id = ${zone_id} group by 1, 2, 3) c
      full join (select fact ->> 0 as measure, coalesce((fact ->> 1)::date, '-infinity') as day, fact ->> 2 as key, count(*) as n
        from stat_records, jsonb_array_elements(facts) fact where zone_id = ${zone_id} group by 1, 2, 3) f using (measure, day, key)
    where coalesce(c.n, 0) <> coalesce(f.n, 0)`.execute(tx)
  return rows.map(({ measure }) => measure)
}
