// Statistics: counts of records by measure, day and key, from the facts that each record counts as.
import type { Measure } from '#kernel/measures.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Projection } from '../projection.ts'
import { countRecords, kinds } from './counting.ts'
import { differingMeasures } from './fact.ts'
import { deleteAll, findDriftOfCounts, findZones, holdZones, insertZone, stopCounting } from './queries.ts'
import { countSome, followTimeZone, type Place } from './zones.ts'

export { countByNewZone } from './zone-job.ts'

const checkedAtOnce = 2000

export const statistics: Projection = {
  name: 'statistics',

  async update(tx, changed) {
    if (changed.idsOf('tenant').length > 0) await followTimeZone(tx)
    const all = kinds.map(kind => ({ kind, ids: changed.idsOf(kind.resource) })).filter(({ ids }) => ids.length > 0)
    if (all.length === 0) return
    // Sent together: the records are read once the lock is held.
    await Promise.all([holdZones(tx), ...all.map(({ kind, ids }) => countRecords(tx, kind, ids))])
  },

  async rebuild(tx) {
    await stopCounting(tx)
    await deleteAll(tx)
    const { time_zone } = await findZones(tx)
    await insertZone(tx, { time_zone, is_whole: false })
    let place: Place | undefined
    do place = await countSome(tx, place)
    while (place)
  },

  async findDrift(tx) {
    const { whole } = await findZones(tx)
    if (!whole) return ['nothing is counted']
    const found = new Set(await findDriftOfCounts(tx, whole.id))
    for (const kind of kinds) for await (const measure of driftOf(tx, kind, whole.id)) found.add(measure)
    return [...found].sort()
  },
}

/** The measures by which the stored facts of records differ from those derived from them. */
async function* driftOf(tx: Tx, { list, derive }: (typeof kinds)[number], zone_id: number): AsyncGenerator<Measure> {
  for (let after = 0; ; ) {
    const ids = await list(tx, after, checkedAtOnce)
    if (ids.length === 0) return
    for (const { stored, facts } of await derive(tx, { zone_id, ids })) yield* differingMeasures(stored ?? [], facts)
    after = ids.at(-1)!
  }
}
