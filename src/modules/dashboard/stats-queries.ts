import { type RawBuilder, sql } from 'kysely'
import { daysLater } from '#kernel/day.ts'
import { type Happening, happening, standing } from '#kernel/measures.ts'
import type { Tx } from '#platform/db/database.ts'

export interface Window {
  date_from: string
  date_to: string
}

export interface CountedZone {
  id: number
  time_zone: string
}

/** The time zone by whose days all records are counted: after a change still the old one, until the counting is complete. */
export const countedZone = (tx: Tx): Promise<CountedZone> =>
  tx
    .selectFrom('stat_zones')
    .select(['id', 'time_zone'])
    .where('is_whole', '=', true)
    .where('replaced_at', 'is', null)
    .executeTakeFirstOrThrow()

/** The first and the last moment of a day in the time zone, as filters of lists take them. */
export interface DayBounds {
  start(day: string): string
  end(day: string): string
}

export async function dayBounds(tx: Tx, { time_zone }: CountedZone, days: readonly string[]): Promise<DayBounds> {
  const start = (day: RawBuilder<unknown>) => sql`${day}::timestamp at time zone ${time_zone}`
  const text = (moment: RawBuilder<unknown>) =>
    sql`to_char((${moment}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  const { rows } = await sql<{ day: string; starts: string; ends: string }>`
    select day, ${text(start(sql`day`))} as starts,
      ${text(sql`${start(sql`(day::date + 1)`)} - interval '1 microsecond'`)} as ends
    from unnest(${[...new Set(days)]}::text[]) day`.execute(tx)
  const byDay = new Map(rows.map(row => [row.day, row]))
  return { start: day => byDay.get(day)!.starts, end: day => byDay.get(day)!.ends }
}

export interface Counted {
  measure: string
  key: string
  n: number
}

export async function countsInWindow(tx: Tx, zone: CountedZone, { date_from, date_to }: Window): Promise<Counted[]> {
  const { rows } = await sql<Counted>`select c.measure, c.key, sum(c.n)::bigint as n
    from unnest(${happening}::text[]) m (measure) join stat_counts c on c.zone_id = ${zone.id} and c.measure = m.measure
    where c.day between ${date_from} and ${date_to}
    group by 1, 2 having sum(c.n) <> 0 order by 1, 3 desc, 2`.execute(tx)
  return rows
}

export interface CountedByDay extends Counted {
  /** Null where the measure has no day. */
  day: string | null
}

export async function countsOfToday(tx: Tx, zone: CountedZone): Promise<CountedByDay[]> {
  const { rows } =
    await sql<CountedByDay>`select c.measure, c.key, nullif(c.day, '-infinity') as day, sum(c.n)::bigint as n
    from unnest(${standing}::text[]) m (measure) join stat_counts c on c.zone_id = ${zone.id} and c.measure = m.measure
    group by 1, 2, 3 having sum(c.n) <> 0 order by 1, 4 desc, 2`.execute(tx)
  return rows
}

const monthly = [
  'documents.created',
  'versions.created',
  'deviations.opened.severity',
  'deviations.closed',
  'capas.opened',
  'capas.closed',
  'assignments.assigned',
  'assignments.completed',
] as const satisfies readonly Happening[]
export type Monthly = (typeof monthly)[number]

export async function countsByMonth(
  tx: Tx,
  zone: CountedZone,
  { date_from, date_to }: Window,
): Promise<{ measure: string; month: string; n: number }[]> {
  const { rows } = await sql<{ measure: string; month: string; n: number }>`
    select c.measure, to_char(c.day, 'YYYY-MM') as month, sum(c.n)::bigint as n
    from unnest(${monthly}::text[]) m (measure) join stat_counts c on c.zone_id = ${zone.id} and c.measure = m.measure
    where c.day between ${date_from} and ${date_to} group by 1, 2`.execute(tx)
  return rows
}

/** All versions since the tenant was created. */
export async function countAllVersions(tx: Tx, zone: CountedZone): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(n), 0)::bigint as n from stat_counts
    where zone_id = ${zone.id} and measure = 'versions.created'`.execute(tx)
  return rows[0]!.n
}

/** Periodic reviews that were due and are not decided yet. */
export async function countUndecidedReviews(
  tx: Tx,
  zone: CountedZone,
  { date_from, date_to }: Window,
  today: string,
): Promise<number> {
  const last = date_to < today ? date_to : daysLater(today, -1)
  const { rows } = await sql<{ n: number }>`select coalesce(sum(n), 0)::bigint as n from stat_counts
    where zone_id = ${zone.id} and measure = 'versions.review_due' and day between ${date_from} and ${last}`.execute(tx)
  return rows[0]!.n
}

export const listTypeNames = (tx: Tx): Promise<{ id: number; name: string }[]> =>
  tx.selectFrom('document_types').select(['id', 'name']).orderBy('name').execute()

/**
 * Deviations closed in the window that are recurrences: linked as one, or with the category and root cause of one that was detected in the
 * twelve months before and not cancelled.
 */
export async function recurrences(
  tx: Tx,
  { date_from, date_to }: Window,
  { time_zone }: CountedZone,
): Promise<{ key: string | null; count: number }[]> {
  const { rows } = await sql<{ key: string | null; count: number }>`select d.category as key, count(*) as count
    from deviations d
      -- The limit has each looked up by itself: those of the window are few, those that ever happened again are not.
      cross join lateral (
        (select from deviation_deviations r
        where r.tenant_id = d.tenant_id and r.deviation_id = d.id and r.relation = 'recurrence' limit 1)
        union all
        (select from deviations o
        where o.tenant_id = d.tenant_id and o.category = d.category and o.root_cause_category = d.root_cause_category
          and o.category is not null and o.root_cause_category is not null and o.status <> 'cancelled'
          and o.detected_at >= d.detected_at - interval '12 months' and (o.detected_at, o.id) < (d.detected_at, d.id)
        order by o.detected_at desc, o.id desc limit 1)
        limit 1) again
    where d.closed_at >= ${date_from}::timestamp at time zone ${time_zone}
      and d.closed_at < (${date_to}::date + 1)::timestamp at time zone ${time_zone}
    group by 1 order by 2 desc, 1`.execute(tx)
  return rows
}
