import { activeTenants } from '#modules/accounts'
import type { Database } from '#platform/db/database.ts'
import type { RecurringJob, Run } from '#platform/jobs/recurring.ts'
import { deleteReplaced, findZones } from './queries.ts'
import { countSome, defaultAtOnce, type Place } from './zones.ts'

const deletedAtOnce = 10_000

/**
 * Counts the records of tenants whose time zone has changed, some in each transaction, so that a killed run continues where it was, and
 * deletes the counts of earlier zones. It is no action, because it only changes the days of the statistics.
 */
export const countByNewZone = ({
  database,
  at_once = defaultAtOnce,
}: {
  database: Database
  at_once?: number
}): RecurringJob => ({
  name: 'statistics.count_by_new_zone',
  every_minutes: 1,
  async run(signal) {
    const result: Run = { done: 0, refused: 0, failed: 0 }
    for (const tenantId of await activeTenants(database)) {
      const bound = { tenantId, userId: null }
      let isMore = true
      while (isMore && !signal.aborted)
        isMore = await database.transaction(bound, 'read write', tx => deleteReplaced(tx, deletedAtOnce), {
          canRunAgain: true,
        })
      const { next } = await database.transaction(bound, 'read only', findZones, { canRunAgain: true })
      let place: Place | undefined
      while (next && !signal.aborted) {
        place = await database.transaction(bound, 'read write', tx => countSome(tx, place, at_once), {
          canRunAgain: true,
        })
        result.done += 1
        if (!place) break
      }
    }
    return result
  },
})
