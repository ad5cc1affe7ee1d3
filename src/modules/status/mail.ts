import type { Clock } from '#kernel/clock.ts'
import { type MailTrouble, readTrouble } from '#modules/mail'
import type { Database } from '#platform/db/database.ts'
import { within } from '#platform/within.ts'
import { greetMailServer } from './mail-server.ts'
import type { Impression } from './probe.ts'
import type { StatusReport } from './schema.ts'

const dayMs = 86_400_000
const countedDays = 7
/** A mail server may delay the first message of an unknown sender, so a short wait is normal. */
const usualWaitMinutes = 15
/** The mail server is checked even if the database does not answer. */
const countTimeoutMs = 1000

/** The mail server with the counts of waiting and failed messages, which the report shows beside its status. */
export interface MailWatch {
  visit(signal: AbortSignal): Promise<Impression>
  seen(): Pick<StatusReport['mail'], 'waiting' | 'failed'>
}

export function watchMail(url: string, database: Database, clock: Clock): MailWatch {
  let last: MailTrouble | undefined
  const count = () =>
    database.transaction({ tenantId: null, userId: null }, 'read only', tx =>
      readTrouble(tx, new Date(clock.now().getTime() - countedDays * dayMs)),
    )
  return {
    async visit(signal) {
      const counting = within(count(), countTimeoutMs, undefined).catch(() => undefined)
      const greeted = greetMailServer(url, signal)
      const [impression] = await Promise.all([
        greeted,
        counting.then(found => {
          last = found
        }),
      ])
      return last ? impressionOf(last, clock.now()) : impression
    },
    seen: () => ({ waiting: last?.waiting ?? null, failed: last?.failed ?? null }),
  }
}

/** HLTH-03: a mail server that answers is still degraded if messages fail or wait. */
export function impressionOf({ failed, waiting, waiting_since }: MailTrouble, now: Date): Impression {
  const minutes = waiting_since === null ? 0 : Math.floor((now.getTime() - Date.parse(waiting_since)) / 60_000)
  const troubles = [
    ...(failed > 0
      ? [`${failed} ${failed === 1 ? 'message' : 'messages'} of the last ${countedDays} days could not be sent`]
      : []),
    ...(minutes >= usualWaitMinutes ? [`${waiting} are waiting, the oldest for ${minutes} minutes`] : []),
  ]
  return troubles.length > 0 ? { status: 'Degraded', detail: troubles.join('; ') } : {}
}
