import { typesIn } from './areas.ts'
import type { EntryFilter } from './schema.ts'

/** What the blocks of places know of an entry. */
export const dimensions = ['user_id', 'action', 'resource_type', 'outcome'] as const
export type Dimension = (typeof dimensions)[number]

/** For each restricted dimension the values of which an entry must have one. An area is the types of records in it. */
export function valuesOf(filter: EntryFilter): [Dimension, string[]][] {
  const found = dimensions.flatMap((dimension): [Dimension, string[]][] =>
    filter[dimension] === undefined ? [] : [[dimension, [filter[dimension]].flat().map(String)]],
  )
  return filter.area === undefined ? found : [...found, ['resource_type', typesIn([filter.area].flat())]]
}

/** For what is stored and signed: a list of one value as that value, which says the same. */
export const withoutListsOfOne = (filter: EntryFilter): EntryFilter =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length === 1 ? value[0] : value,
    ]),
  )
