import type { Services } from '#action'
import { deleteOldSessions } from '#modules/sessions'
import { tenantsWithWork } from '../tenants/actions.ts'

const rowsPerStep = 1000

/**
 * Removes the rows of sessions that ended long ago: each run of a program leaves one. They stay for 90 days, so that an Admin can look up where an account was in use; later the audit trail answers that.
 */
export const forgetSessions = {
  name: 'accounts.sessions',
  every_minutes: 24 * 60,
  async round({ database, clock }: Services, signal: AbortSignal) {
    const part = { done: 0, refused: 0, failed: 0 }
    for (const tenantId of await tenantsWithWork(database, 'accounts.sessions', clock.now())) {
      for (let removed = rowsPerStep; removed === rowsPerStep && !signal.aborted; part.done += removed)
        removed = await database.transaction({ tenantId, userId: null }, 'read write', tx =>
          deleteOldSessions(tx, rowsPerStep),
        )
    }
    return part
  },
}
