import type { Recorded, Sink } from '#action'
import { auditPlaces } from '#modules/audit'
import { compliance } from './compliance/projection.ts'
import { deviationIndex } from './deviation-index/projection.ts'
import { documentIndex } from './document-index/projection.ts'
import type { ChangedRecords, Projection } from './projection.ts'
import { statistics } from './statistics/index.ts'
import { storageUse } from './storage-use/projection.ts'

export { updateText as indexText } from './document-index/queries.ts'
export type { Projection } from './projection.ts'
export { countByNewZone } from './statistics/index.ts'

/** Every projection. None reads the rows of another one, because they are brought up to date together. */
export const projections: readonly Projection[] = [
  // First, because it reads before it writes: the database is at work for the others until it knows what to write.
  statistics,
  documentIndex,
  deviationIndex,
  compliance,
  storageUse,
  // Written by the sealer, and not by commands.
  { ...auditPlaces, isSlowToCompare: true, async update() {} },
]

/** Brings the projections up to date in the transaction of the command. */
export const projectionSink: Sink = async (tx, _by, recorded) => {
  const changed = changedRecords(recorded)
  // Together: their statements are sent before the first answer.
  await Promise.all(projections.map(projection => projection.update(tx, changed)))
}

/** An export changes nothing of the record that it names. */
const isExport = (event: string) => /\.(record|dossier)_exported$/.test(event)

function changedRecords(recorded: readonly Recorded[]): ChangedRecords {
  const ids = new Map<string, Set<number>>()
  for (const { event, id } of recorded) {
    if (id === null || isExport(event)) continue
    const resource = event.split('.')[0]!
    ids.set(resource, (ids.get(resource) ?? new Set()).add(id))
  }
  return { recorded, idsOf: resource => [...(ids.get(resource) ?? [])] }
}
