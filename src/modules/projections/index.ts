import type { Recorded, Sink } from '#action'
import { auditPlaces } from '#modules/audit'
import { compliance } from './compliance/projection.ts'
import { deviationIndex } from './deviation-index/projection.ts'
import { documentIndex } from './document-index/projection.ts'
import type { ChangedRecords, Projection } from './projection.ts'

export { updateText as indexText } from './document-index/queries.ts'

/** Every projection. None reads the rows of another one, because they are brought up to date together. */
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
  // Together, so that their statements go to the database in one packet.
  await Promise.all(projections.map(({ update }) => update(tx, changed)))
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
