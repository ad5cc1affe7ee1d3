// The training compliance of a tenant. Readers get exact numbers at any time: they count people themselves whose counts are out of date.
import type { Services } from '#action'
import { systemClock } from '#kernel/clock.ts'
import { todayOf } from '#modules/accounts'
import { forEachTenant, type Schedule } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { maxAtOnce } from '../assignments/rules.ts'
import {
  type Compliance,
  countPeople,
  findMarks,
  findToCount,
  listWronglyCounted,
  listWrongSums,
  lockCounting,
  markEach,
  readCompliance,
} from './queries.ts'

/** The required trainings, and how many of them people hold today. */
export async function complianceOf(tx: Tx, today: string): Promise<Compliance[]> {
  const { everyone, user_ids } = await findToCount(tx, today)
  return readCompliance(tx, today, everyone ? undefined : user_ids)
}

/**
 * Compares the counts with the records: those of people whom nobody has asked to count again, and the sums of all counts. Every day will
 * do, because people whose counts do not hold on it are counted again anyway.
 */
export async function findComplianceDrift(tx: Tx, today = systemClock.now().toISOString().slice(0, 10)) {
  const { everyone, user_ids } = await findToCount(tx, today)
  const people = everyone ? [] : await listWronglyCounted(tx, today, user_ids)
  const sums = await listWrongSums(tx)
  return [
    ...people.map(id => `user ${id}: counts`),
    ...sums.map(({ kind, id }) => `${kind} ${id}: sum of the counts of people`),
  ]
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
  round: forEachTenant(
    async ({ services, tenantId, signal }) => ({
      done: await countTenant(services, tenantId, signal),
    }),
    { task: 'training.compliance' },
  ),
}
