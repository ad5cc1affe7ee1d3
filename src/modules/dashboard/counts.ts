import type { Happening, Standing } from '#kernel/measures.ts'
import { rateOf } from './figures.ts'
import type { Counted, CountedByDay, Monthly } from './stats-queries.ts'

export interface Keyed {
  key: string | null
  count: number
}

const byCount = (a: Keyed, b: Keyed) => b.count - a.count || (a.key ?? '').localeCompare(b.key ?? '')

function keyed(rows: readonly Counted[]): Keyed[] {
  const counts = new Map<string, number>()
  for (const { key, n } of rows) counts.set(key, (counts.get(key) ?? 0) + n)
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([key, count]) => ({ key: key === '' ? null : key, count }))
    .sort(byCount)
}

const sumOf = (rows: readonly Counted[]) => rows.reduce((sum, { n }) => sum + n, 0)

/** Some tens of figures are counted from the same rows, each from those of one measure. */
function rowsOfMeasures<R extends Counted>(rows: readonly R[]) {
  const byMeasure = Map.groupBy(rows, ({ measure }) => measure)
  return (measure: string): readonly R[] => byMeasure.get(measure) ?? []
}

/** The counts of events in the window. */
export function windowOf(rows: readonly Counted[]) {
  const of: (measure: Happening) => readonly Counted[] = rowsOfMeasures(rows)
  const count = (measure: Happening, key?: string) =>
    sumOf(of(measure).filter(row => key === undefined || row.key === key))
  return {
    count,
    by: (measure: Happening) => keyed(of(measure)),
    /** For measures whose key is a number of days. */
    days: (measure: Happening) => of(measure).map(({ key, n }) => [Number(key), n] as const),
    rate: (part: [Happening, string?], all: [Happening, string?]) => rateOf(count(...part), count(...all)),
  }
}
export type InWindow = ReturnType<typeof windowOf>

/** The counts of the current state. */
export function todayOf(rows: readonly CountedByDay[]) {
  const ofMeasure = rowsOfMeasures(rows)
  const of = (measure: Standing, { from, to }: { from?: string; to?: string }) =>
    ofMeasure(measure).filter(
      ({ day }) =>
        (from === undefined || (day !== null && day >= from)) && (to === undefined || (day !== null && day <= to)),
    )
  return {
    count: (measure: Standing, days: { from?: string; to?: string } = {}) => sumOf(of(measure, days)),
    by: (measure: Standing) => keyed(of(measure, {})),
  }
}
export type AsOfToday = ReturnType<typeof todayOf>

/** The counts of each month, also of months without events. */
export function monthsOf(rows: readonly { measure: string; month: string; n: number }[], months: readonly string[]) {
  const counts = new Map(
    [...Map.groupBy(rows, ({ measure }) => measure)].map(([measure, counted]) => [
      measure,
      new Map(counted.map(({ month, n }) => [month, n])),
    ]),
  )
  const at = (measure: Monthly, month: string) => counts.get(measure)?.get(month) ?? 0
  return {
    at,
    months,
    lines: <K extends string>(measures: Record<K, Monthly>) =>
      months.map(month => ({
        month,
        ...(Object.fromEntries(
          Object.entries<Monthly>(measures).map(([name, measure]) => [name, at(measure, month)]),
        ) as Record<K, number>),
      })),
  }
}
export type ByMonth = ReturnType<typeof monthsOf>
