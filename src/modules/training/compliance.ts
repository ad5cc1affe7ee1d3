// How far people are trained, of a whole tenant. What is read is exact whether or not it was counted yet: who is still to be counted is
// counted by whoever reads.
import type { Services } from '#action'
import { activeTenants, todayOf } from '#modules/accounts'
import type { Database, Tx } from '#platform/db/database.ts'
import type { RecurringJob, Run } from '#platform/jobs/recurring.ts'
import { most_at_once } from './assign-rules.ts'
import {
  type Compliance,
  countPeople,
  findMarks,
  findToCount,
  lockCounting,
  markEach,
  readCompliance,
} from './compliance-queries.ts'

/** How many of the trainings that are required of people they hold today. */
export async function complianceOf(tx: Tx, today: string): Promise<Compliance[]> {
  const { everyone, user_ids } = await findToCount(tx, today)
  return readCompliance(tx, today, everyone ? undefined : user_ids)
}

/** Whether what is answered from the counts is what the records say. */
export async function isComplianceExact(tx: Tx, today: string): Promise<boolean> {
  const [answered, counted] = [await complianceOf(tx, today), await readCompliance(tx, today, undefined)]
  return JSON.stringify(answered) === JSON.stringify(counted)
}

/** Some people are counted in one transaction. How many are left; none where another process counts at this moment. */
async function countSome(tx: Tx, services: Services): Promise<{ counted: number; left: number }> {
  if (!(await lockCounting(tx))) return { counted: 0, left: 0 }
  const today = await todayOf({ tx, services })
  await markEach(tx)
  const { user_ids } = await findToCount(tx, today)
  const some = user_ids.slice(0, most_at_once)
  if (some.length > 0) await countPeople(tx, today, some, await findMarks(tx, some))
  return { counted: some.length, left: user_ids.length - some.length }
}

/** Everybody in the tenant who is to be counted. How many that were. */
export async function countTenant(
  { database, services }: { database: Database; services: Services },
  tenantId: number,
  signal?: AbortSignal,
): Promise<number> {
  for (let counted = 0; ; ) {
    const some = await database.transaction({ tenantId, userId: null }, 'read write', tx => countSome(tx, services), {
      canRunAgain: true,
    })
    counted += some.counted
    if (some.left === 0 || signal?.aborted) return counted
  }
}

/** No action: it changes nothing that a person could see. */
export const countCompliance = (parties: { database: Database; services: Services }): RecurringJob => ({
  name: 'training.compliance',
  every_minutes: 1,
  async run(signal) {
    const result: Run = { done: 0, refused: 0, failed: 0 }
    for (const tenantId of await activeTenants(parties.database)) {
      if (signal.aborted) return result
      result.done += await countTenant(parties, tenantId, signal)
    }
    return result
  },
})
