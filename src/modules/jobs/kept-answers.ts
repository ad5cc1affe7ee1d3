import { deleteKeys } from './queries.ts'
import { forEachTenant, type Schedule } from './schedule.ts'

/** Longer than any client tries again by itself. */
const keptMs = 48 * 60 * 60 * 1000

/** Removes the answers that were kept for requests with an Idempotency-Key. */
export const forgetAnswers: Schedule = {
  name: 'jobs.idempotency_keys',
  every_minutes: 60,
  round: forEachTenant(async ({ services, write }) => {
    const before = new Date(services.clock.now().getTime() - keptMs).toISOString()
    return { done: await write(tx => deleteKeys(tx, before)) }
  }),
}
