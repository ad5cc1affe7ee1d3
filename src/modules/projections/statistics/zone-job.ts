import { forEachTenant, type Schedule } from '#modules/jobs'
import { deleteReplaced, findZones } from './queries.ts'
import { countSome, defaultAtOnce, type Place } from './zones.ts'

const deletedAtOnce = 10_000

/**
 * Counts the records of tenants whose time zone has changed, some in each transaction, so that a killed run continues where it was, and
 * deletes the counts of earlier zones. It is no action, because it only changes the days of the statistics.
 */
export const countByNewZone = ({ at_once = defaultAtOnce }: { at_once?: number } = {}): Schedule => ({
  name: 'statistics.count_by_new_zone',
  every_minutes: 1,
  round: forEachTenant(
    async ({ read, write, signal }) => {
      let isMore = true
      while (isMore && !signal.aborted) isMore = await write(tx => deleteReplaced(tx, deletedAtOnce))
      const { next } = await read(findZones)
      let done = 0
      let place: Place | undefined
      while (next && !signal.aborted) {
        place = await write(tx => countSome(tx, place, at_once))
        done += 1
        if (!place) break
      }
      return { done }
    },
    { task: 'statistics.count_by_new_zone' },
  ),
})
