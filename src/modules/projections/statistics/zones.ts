// Counting by the days of another time zone, beside the counts from which statistics are read until all records are counted.
import type { Tx } from '#platform/db/database.ts'
import { kinds } from './counting.ts'
import { completeZone, findZones, insertZone, replaceZone, stopCounting, storeChanges } from './queries.ts'

/** Enough for most tenants to be counted in the transaction that changes the time zone. It also limits how long others wait for a step. */
export const defaultAtOnce = 2000

/** Begins to count by the time zone of the tenant, unless its records are counted by it already. A new tenant has no records. */
export async function followTimeZone(tx: Tx): Promise<void> {
  if (isSettled(await findZones(tx))) return
  await stopCounting(tx)
  const { time_zone, whole, next } = await findZones(tx)
  if (next && next.time_zone !== time_zone) await replaceZone(tx, next.id)
  if (!whole) await insertZone(tx, { time_zone, is_whole: true })
  else if (whole.time_zone !== time_zone && next?.time_zone !== time_zone) {
    await insertZone(tx, { time_zone, is_whole: false })
    await countSome(tx)
  }
}

const isSettled = ({ time_zone, whole, next }: Awaited<ReturnType<typeof findZones>>) =>
  next ? next.time_zone === time_zone : whole?.time_zone === time_zone

/** How far the records of a zone are counted: up to an id of a kind of records. */
export interface Place {
  zone_id: number
  kind: number
  after: number
}

/**
 * Counts the next records by the days of the new time zone, and reads by that zone once all are counted. Resolves to the place to go on
 * from, and to undefined when nothing is left.
 *
 * A record with stored facts is counted: by an earlier step, or by the transaction that changed it since. So a step without a place
 * skips what killed steps have counted, and a place only saves looking at it. Nobody counts at the same time, so that a record is
 * either read here as it was committed, or finds the facts from here when it is counted after its change.
 */
export async function countSome(tx: Tx, from?: Place, at_once = defaultAtOnce): Promise<Place | undefined> {
  await stopCounting(tx)
  const { whole, next } = await findZones(tx)
  if (!next) return undefined
  const zone_id = next.id
  let { kind, after } = from?.zone_id === zone_id ? from : { kind: 0, after: 0 }
  for (let left = at_once; kind < kinds.length; kind += 1, after = 0) {
    const { list, derive, resource } = kinds[kind]!
    const ids = await list(tx, after, left)
    if (ids.length === 0) continue
    const uncounted = (await derive(tx, { zone_id, ids })).filter(({ stored }) => stored === null)
    if (uncounted.length > 0) await storeChanges(tx, resource, uncounted)
    left -= ids.length
    if (left === 0) return { zone_id, kind, after: ids.at(-1)! }
  }
  if (whole) await replaceZone(tx, whole.id)
  await completeZone(tx, zone_id)
  return undefined
}
