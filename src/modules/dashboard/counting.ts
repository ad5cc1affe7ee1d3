import { sql } from 'kysely'
import { activeTenants } from '#modules/accounts'
import type { Database, Tx } from '#platform/db/database.ts'
import type { RecurringJob, Run } from '#platform/jobs/recurring.ts'

/** Limits how long a change of a record waits for this job. */
const defaultAtOnce = 2000

const isUnderWay = async (tx: Tx) =>
  (await tx.selectFrom('stat_zones').select('time_zone').where('is_whole', '=', false).execute()).length > 0

async function countSome(tx: Tx, at_once: number): Promise<boolean> {
  const { rows } = await sql<{ is_more: boolean }>`select count_further(${at_once}::int) as is_more`.execute(tx)
  return rows[0]!.is_more
}

/**
 * Counts the records of tenants whose time zone has changed, some in each transaction, so that a killed run continues where it was. It is
 * no action, because it only changes the days of the statistics.
 */
export const countByNewZone = ({
  database,
  at_once = defaultAtOnce,
}: {
  database: Database
  at_once?: number
}): RecurringJob => ({
  name: 'dashboard.count_by_new_zone',
  every_minutes: 1,
  async run(signal) {
    const result: Run = { done: 0, refused: 0, failed: 0 }
    for (const tenantId of await activeTenants(database)) {
      const bound = { tenantId, userId: null }
      let isMore = await database.transaction(bound, 'read only', isUnderWay, { canRunAgain: true })
      while (isMore && !signal.aborted) {
        isMore = await database.transaction(bound, 'read write', tx => countSome(tx, at_once), { canRunAgain: true })
        result.done += 1
      }
    }
    return result
  },
})
