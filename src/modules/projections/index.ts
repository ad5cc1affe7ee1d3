import type { Recorded, Sink } from '#action'
import { auditPlaces } from '#modules/audit'
import { compliance } from './compliance/projection.ts'
import { deviationIndex } from './deviation-index/projection.ts'
import { documentIndex } from './document-index/projection.ts'
import type { ChangedRecords, Projection } from './projection.ts'

export { updateText as indexText } from './document-index/queries.ts'

/** Every projection, in the order in which they are brought up to date: a later one may read the rows of an earlier one. */
export const projections: readonly Projection[] = [
  documentIndex,
  deviationIndex,
  compliance,
  // Written by the sealer, and not by commands.
  { ...auditPlaces, async update() {} },
]

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
