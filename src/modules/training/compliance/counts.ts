// The training compliance of a tenant. Readers get exact numbers at any time: they count people themselves whose counts are out of date.
import type { Services } from '#action'
import { todayOf } from '#modules/accounts'
import { forEachTenant, type Schedule } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { maxAtOnce } from '../assignments/rules.ts'
import {
  type Compliance,
  countPeople,
  findMarks,
  findToCount,
  lockCounting,
  markEach,
  readCompliance,
} from './queries.ts'

/** The required trainings, and how many of them people hold today. */
export async function complianceOf(tx: Tx, today: string): Promise<Compliance[]> {
  const { everyone, user_ids } = await findToCount(tx, today)
  return readCompliance(tx, today, everyone ? undefined : user_ids)
}

/** Compares the numbers from the counts with those from the records. */
export async function isComplianceExact(tx: Tx, today: string): Promise<boolean> {
  const [answered, counted] = [await complianceOf(tx, today), await readCompliance(tx, today, undefined)]
  return JSON.stringify(answered) === JSON.stringify(counted)
}

/** Counts some people, and answers how many are left; none if another process counts at this moment. */
async function countSome(tx: Tx, services: Services): Promise<{ counted: number; left: number }> {
  if (!(await lockCounting(tx))) return { counted: 0, left: 0 }
  const today = await todayOf({ tx, services })
  await markEach(tx)
  const { user_ids } = await findToCount(tx, today)
  const some = user_ids.slice(0, maxAtOnce)
  if (some.length > 0) await countPeople(tx, today, some, await findMarks(tx, some))
  return { counted: some.length, left: user_ids.length - some.length }
}

/** Counts everybody who is out of date, and answers how many that were. */
export async function countTenant(services: Services, tenantId: number, signal?: AbortSignal): Promise<number> {
  for (let counted = 0; ; ) {
    const some = await services.database.transaction(
      { tenantId, userId: null },
      'read write',
      tx => countSome(tx, services),
      {
        canRunAgain: true,
      },
    )
    counted += some.counted
    if (some.left === 0 || signal?.aborted) return counted
  }
}

/** It is no action, because it changes nothing that a person could see. */
export const countCompliance: Schedule = {
  name: 'training.compliance',
  every_minutes: 1,
  round: forEachTenant(async ({ services, tenantId, signal }) => ({
    done: await countTenant(services, tenantId, signal),
  })),
}
