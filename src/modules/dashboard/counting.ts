import { sql } from 'kysely'
import { forEachTenant, type Schedule } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'

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
export const countByNewZone = ({ at_once = defaultAtOnce }: { at_once?: number } = {}): Schedule => ({
  name: 'dashboard.count_by_new_zone',
  every_minutes: 1,
  round: forEachTenant(async ({ read, write, signal }) => {
    let done = 0
    let isMore = await read(isUnderWay)
    while (isMore && !signal.aborted) {
      isMore = await write(tx => countSome(tx, at_once))
      done += 1
    }
    return { done }
  }),
})
