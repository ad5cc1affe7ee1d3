import type { Recorded, Sink } from '#action'
import type { ChangedRecords, Projection } from './projection.ts'
import { statistics } from './statistics/index.ts'

export type { Projection } from './projection.ts'
export { countByNewZone } from './statistics/index.ts'

/** Every projection, in the order in which they are brought up to date: a later one may read the rows of an earlier one. */
export const projections: readonly Projection[] = [statistics]

/** Brings the projections up to date in the transaction of the command. */
export const projectionSink: Sink = async (tx, _by, recorded) => {
  const changed = changedRecords(recorded)
  for (const projection of projections) await projection.update(tx, changed)
}

function changedRecords(recorded: readonly Recorded[]): ChangedRecords {
  const ids = new Map<string, Set<number>>()
  for (const { event, id } of recorded) {
    if (id === null) continue
    const resource = event.split('.')[0]!
    ids.set(resource, (ids.get(resource) ?? new Set()).add(id))
  }
  return { recorded, idsOf: resource => [...(ids.get(resource) ?? [])] }
}
