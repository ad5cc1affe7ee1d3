import type { Measure } from '#kernel/measures.ts'

/** A record counts once for this measure, on this day (null where the measure has none) and for this key. */
export type Fact = readonly [measure: Measure, day: string | null, key: string]

/** The types of records that are counted, as events name them. */
export const resources = ['document', 'deviation', 'capa', 'effectiveness_review', 'training_assignment'] as const
export type Resource = (typeof resources)[number]

const dayMs = 86_400_000

/** From one day to another, as the key of a measure. */
export const daysBetween = (from: string, to: string): string => String((Date.parse(to) - Date.parse(from)) / dayMs)

/** The measures by which two lists of facts differ. */
export function differingMeasures(some: readonly Fact[], others: readonly Fact[]): Measure[] {
  const counts = new Map<string, { measure: Measure; n: number }>()
  const add = (facts: readonly Fact[], by: number) => {
    for (const fact of facts) {
      const key = JSON.stringify(fact)
      counts.set(key, { measure: fact[0], n: (counts.get(key)?.n ?? 0) + by })
    }
  }
  add(some, 1)
  add(others, -1)
  return [...counts.values()].filter(({ n }) => n !== 0).map(({ measure }) => measure)
}
