import type { Clock } from '#kernel/clock.ts'
import { type MailTrouble, readTrouble } from '#modules/mail'
import type { Database } from '#platform/db/database.ts'
import { within } from '#platform/within.ts'
import { greetMailServer } from './mail-server.ts'
import type { Impression } from './probe.ts'
import type { StatusReport } from './schema.ts'

const day_ms = 86_400_000
const counted_days = 7
/** What a server says at first to whom it does not know is no trouble yet. */
const usual_wait_minutes = 15
/** While the database is silent the mail server is looked at all the same. */
const count_ms = 1000

/** What the latest look has found of messages that do not leave, for the report beside its status. */
export interface MailWatch {
  visit(signal: AbortSignal): Promise<Impression>
  seen(): Pick<StatusReport['mail'], 'waiting' | 'failed'>
}

export function watchMail(url: string, database: Database, clock: Clock): MailWatch {
  let last: MailTrouble | undefined
  const count = () =>
    database.transaction({ tenantId: null, userId: null }, 'read only', tx =>
      readTrouble(tx, new Date(clock.now().getTime() - counted_days * day_ms)),
    )
  return {
    async visit(signal) {
      const counting = within(count(), count_ms, undefined).catch(() => undefined)
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

/** HLTH-03: the server answers; and what it was given, has it left? */
export function impressionOf({ failed, waiting, waiting_since }: MailTrouble, now: Date): Impression {
  const minutes = waiting_since === null ? 0 : Math.floor((now.getTime() - Date.parse(waiting_since)) / 60_000)
  const troubles = [
    ...(failed > 0
      ? [`${failed} ${failed === 1 ? 'message' : 'messages'} of the last ${counted_days} days could not be sent`]
      : []),
    ...(minutes >= usual_wait_minutes ? [`${waiting} wait, the oldest for ${minutes} minutes`] : []),
  ]
  return troubles.length > 0 ? { status: 'Degraded', detail: troubles.join('; ') } : {}
}
