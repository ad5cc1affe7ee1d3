import type { Services } from '#action'
import { deleteKeys } from './queries.ts'
import { forEachTenant, type Schedule } from './schedule.ts'

/** Longer than any client tries again by itself. */
const keptMs = 48 * 60 * 60 * 1000

const keptSince = ({ clock }: Services) => new Date(clock.now().getTime() - keptMs)

/** Removes the answers that were kept for requests with an Idempotency-Key. */
export const forgetAnswers: Schedule = {
  name: 'jobs.idempotency_keys',
  every_minutes: 60,
  round: forEachTenant(
    async ({ services, write }) => {
      return { done: await write(tx => deleteKeys(tx, keptSince(services).toISOString())) }
    },
    { task: 'jobs.idempotency_keys', before: keptSince },
  ),
}
