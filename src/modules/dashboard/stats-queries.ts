import { type RawBuilder, sql } from 'kysely'
import { daysLater } from '#kernel/day.ts'
import { type Happening, happening, standing } from '#kernel/measures.ts'
import type { Person } from '#kernel/schema.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import type { CountedResource, SoughtFacts, Window } from './counted.ts'

export interface CountedZone {
  id: number
  time_zone: string
}

/** The time zone by whose days all records are counted: after a change still the old one, until the counting is complete. */
export async function countedZone(tx: Tx): Promise<CountedZone> {
  const [zone] = await readCountedZone(tx, {})
  return zone!
}
const readCountedZone = builtOnce(tx =>
  tx.selectFrom('stat_zones').select(['id', 'time_zone']).where('is_whole', '=', true).where('replaced_at', 'is', null),
)

/** The first and the last moment of a day in the time zone, as filters of lists take them. */
export interface DayBounds {
  start(day: string): string
  end(day: string): string
}

export async function dayBounds(tx: Tx, { time_zone }: CountedZone, days: readonly string[]): Promise<DayBounds> {
  const rows = await readDayBounds(tx, { time_zone, days: [...new Set(days)] })
  const byDay = new Map(rows.map(row => [row.day, row]))
  return { start: day => byDay.get(day)!.starts, end: day => byDay.get(day)!.ends }
}

const readDayBounds = builtOnce((_, { time_zone, days }: { time_zone: string; days: readonly string[] }) => {
  const start = (day: RawBuilder<unknown>) => sql`${day}::timestamp at time zone ${time_zone}`
  const text = (moment: RawBuilder<unknown>) =>
    sql`to_char((${moment}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  return sql<{ day: string; starts: string; ends: string }>`
    select day, ${text(start(sql`day`))} as starts,
      ${text(sql`${start(sql`(day::date + 1)`)} - interval '1 microsecond'`)} as ends
    from unnest(${days}::text[]) day`
})

export interface Counted {
  measure: string
  key: string
  n: number
}

/** The days that are counted by a time zone. */
type CountedDays = Window & { zone_id: number }

export const countsInWindow = (tx: Tx, { id: zone_id }: CountedZone, window: Window): Promise<Counted[]> =>
  readCountsInWindow(tx, { zone_id, ...window })
const readCountsInWindow = builtOnce(
  (_, { zone_id, date_from, date_to }: CountedDays) => sql<Counted>`select c.measure, c.key, sum(c.n)::bigint as n
    from unnest(${happening}::text[]) m (measure) join stat_counts c on c.zone_id = ${zone_id} and c.measure = m.measure
    where c.day between ${date_from} and ${date_to}
    group by 1, 2 having sum(c.n) <> 0 order by 1, 3 desc, 2`,
)

export interface CountedByDay extends Counted {
  /** Null where the measure has no day. */
  day: string | null
}

export const countsOfToday = (tx: Tx, { id: zone_id }: CountedZone): Promise<CountedByDay[]> =>
  readCountsOfToday(tx, { zone_id })
const readCountsOfToday = builtOnce(
  (_, { zone_id }: { zone_id: number }) =>
    sql<CountedByDay>`select c.measure, c.key, nullif(c.day, '-infinity') as day, sum(c.n)::bigint as n
    from unnest(${standing}::text[]) m (measure) join stat_counts c on c.zone_id = ${zone_id} and c.measure = m.measure
    group by 1, 2, 3 having sum(c.n) <> 0 order by 1, 4 desc, 2`,
)

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

export const countsByMonth = (
  tx: Tx,
  { id: zone_id }: CountedZone,
  window: Window,
): Promise<{ measure: string; month: string; n: number }[]> => readCountsByMonth(tx, { zone_id, ...window })
const readCountsByMonth = builtOnce(
  (_, { zone_id, date_from, date_to }: CountedDays) => sql<{ measure: string; month: string; n: number }>`
    select c.measure, to_char(c.day, 'YYYY-MM') as month, sum(c.n)::bigint as n
    from unnest(${monthly}::text[]) m (measure) join stat_counts c on c.zone_id = ${zone_id} and c.measure = m.measure
    where c.day between ${date_from} and ${date_to} group by 1, 2`,
)

/** All versions since the tenant was created. */
export async function countAllVersions(tx: Tx, { id: zone_id }: CountedZone): Promise<number> {
  const [sum] = await sumAllVersions(tx, { zone_id })
  return sum!.n
}
const sumAllVersions = builtOnce(
  (_, { zone_id }: { zone_id: number }) => sql<{ n: number }>`
    select coalesce(sum(n), 0)::bigint as n from stat_counts
    where zone_id = ${zone_id} and measure = 'versions.created'`,
)

/** Periodic reviews that were due and are not decided yet. */
export async function countUndecidedReviews(
  tx: Tx,
  { id: zone_id }: CountedZone,
  { date_from, date_to }: Window,
  today: string,
): Promise<number> {
  const last = date_to < today ? date_to : daysLater(today, -1)
  const [sum] = await sumUndecidedReviews(tx, { zone_id, date_from, date_to: last })
  return sum!.n
}
const sumUndecidedReviews = builtOnce(
  (_, { zone_id, date_from, date_to }: CountedDays) => sql<{
    n: number
  }>`select coalesce(sum(n), 0)::bigint as n from stat_counts
    where zone_id = ${zone_id} and measure = 'versions.review_due' and day between ${date_from} and ${date_to}`,
)

export const listTypeNames = (tx: Tx): Promise<{ id: number; name: string }[]> => readTypeNames(tx, {})
const readTypeNames = builtOnce(tx => tx.selectFrom('document_types').select(['id', 'name']).orderBy('name'))

/**
 * Deviations `d` closed in the window that are recurrences: linked as one, or with the category and root cause of one that was detected in
 * the twelve months before and not cancelled.
 */
const recurring = ({ date_from, date_to }: Window, { time_zone }: Pick<CountedZone, 'time_zone'>) => sql`deviations d
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
      and d.closed_at < (${date_to}::date + 1)::timestamp at time zone ${time_zone}`

export const recurrences = (
  tx: Tx,
  window: Window,
  { time_zone }: CountedZone,
): Promise<{ key: string | null; count: number }[]> => countRecurrences(tx, { ...window, time_zone })
const countRecurrences = builtOnce(
  (_, { date_from, date_to, time_zone }: Window & Pick<CountedZone, 'time_zone'>) => sql<{
    key: string | null
    count: number
  }>`select d.category as key, count(*) as count
    from ${recurring({ date_from, date_to }, { time_zone })} group by 1 order by 2 desc, 1`,
)

/** The recurrences as rows of `listCounted`; of one category, where one is given. */
export const recurrencesFound = (window: Window, zone: CountedZone, category: string | undefined) =>
  sql<FoundFact>`select d.id as record_id, (d.closed_at at time zone ${zone.time_zone})::date as day
    from ${recurring(window, zone)} and ${category === undefined ? sql`true` : sql`d.category = ${category}`}`

/** A record that counts, and the day by which it does; null where the measure has none. */
export interface FoundFact {
  record_id: number
  day: string | null
}

/** What counts for a figure. A record with several such facts counts several times, as it does in the figure. */
export function factsFound(zone: CountedZone, resource: CountedResource, sought: readonly SoughtFacts[]) {
  const any = (conditions: RawBuilder<unknown>[]) => sql`(${sql.join(conditions, sql` or `)})`
  const isSought = ({ measure, keys, from, to }: SoughtFacts) =>
    sql.join(
      [
        sql`f ->> 0 = ${measure}`,
        ...(keys ? [sql`f ->> 2 = any(${keys}::text[])`] : []),
        ...(from === undefined ? [] : [sql`f ->> 1 >= ${from}`]),
        ...(to === undefined ? [] : [sql`f ->> 1 <= ${to}`]),
      ],
      sql` and `,
    )
  if (sought.length === 0) return sql<FoundFact>`select null::bigint as record_id, null::date as day where false`
  // Containment first: most records have no fact of the measure, and their facts need not be unfolded.
  return sql<FoundFact>`select s.record_id, (f ->> 1)::date as day
    from stat_records s cross join lateral jsonb_array_elements(s.facts) f
    where s.zone_id = ${zone.id} and s.resource = ${resource}
      and ${any(sought.map(({ measure }) => sql`s.facts @> ${JSON.stringify([[measure]])}::jsonb`))}
      and ${any(sought.map(isSought))}`
}

const recordsOf: Record<CountedResource, RawBuilder<unknown>> = {
  document: sql`select d.id, 'document' as resource_type, d.number, v.title, v.status, null::jsonb as person
    from documents d join document_versions v on v.id = coalesce(d.shown_version_id, d.latest_version_id) where d.id = f.record_id`,
  deviation: sql`select id, 'deviation' as resource_type, number, title, status, null::jsonb as person
    from deviations where id = f.record_id`,
  capa: sql`select id, 'capa' as resource_type, number, title, status, null::jsonb as person
    from capas where id = f.record_id`,
  effectiveness_review: sql`select c.id, 'capa' as resource_type, c.number, c.title, c.status, null::jsonb as person
    from effectiveness_reviews e join capas c on c.id = e.capa_id where e.id = f.record_id`,
  training_assignment: sql`select a.id, 'training_assignment' as resource_type, p.number, p.title, a.status,
      ${personOf('a.user_id')} as person
    from training_assignments a join training_programs p on p.id = a.program_id where a.id = f.record_id`,
}

export interface CountedRecord {
  resource_type: 'document' | 'deviation' | 'capa' | 'training_assignment'
  id: number
  number: string
  title: string
  status: string
  person: Person | null
  day: string | null
}

/** The records that count, the newest day first. */
export async function listCounted(
  tx: Tx,
  resource: CountedResource,
  found: RawBuilder<FoundFact>,
  { limit, offset }: { limit: number; offset: number },
): Promise<CountedRecord[]> {
  const { rows } = await sql<CountedRecord>`
    select r.*, f.day from (${found} order by 2 desc nulls last, 1 desc limit ${limit} offset ${offset}) f
      cross join lateral (${recordsOf[resource]}) r
    order by f.day desc nulls last, f.record_id desc`.execute(tx)
  return rows
}

export async function countFound(tx: Tx, found: RawBuilder<FoundFact>): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from (${found}) f`.execute(tx)
  return rows[0]!.n
}
