import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Body, Day, Id } from '#kernel/schema.ts'
import { readSettings } from '#modules/accounts'
import { forEachDue, type Schedule } from '#modules/jobs'
import { lastDigestDay } from './digest-day.ts'
import { messages } from './messages.ts'
import { listReaders, takeWaiting } from './queries.ts'

const readersAtOnce = 100
const maxReaders = 10_000

const sendDigest = command({
  summary: 'Send people a digest of their unread notifications',
  permission: 'notifications.manage',
  input: { body: Body({ day: Day, user_ids: Type.Array(Id) }) },
  response: Type.Null(),
  async run({ tx, services, record }, { body: { day, user_ids } }) {
    const taken = await takeWaiting(tx, day, user_ids)
    if (taken.length === 0) throw conflict(messages.notification_nothing_to_digest({ day }))
    const mails = taken.flatMap(({ user_id, unread }) =>
      unread ? [{ user_id, kind: 'digest' as const, notification_ids: unread }] : [],
    )
    if (mails.length > 0) await services.post!(tx, mails)
    record('notification.digested', null, { after: { day, people: mails.length } })
    return null
  },
})

/** NOTE-01: once a day at the tenant's hour. The digests of days without a running service come as one message. */
export const sendDigests: Schedule = {
  name: 'notifications.send_digests',
  every_minutes: 5,
  isOn: ({ post }) => post !== undefined,
  round: forEachDue({
    where: { task: 'notifications.send_digests' },
    due: ({ services, read }) =>
      read(async tx => {
        const day = lastDigestDay(await readSettings(tx), services.clock.now())
        const readers = await listReaders(tx, day, maxReaders)
        const batches = Math.ceil(readers.length / readersAtOnce)
        return Array.from({ length: batches }, (_, i) => ({
          body: { day, user_ids: readers.slice(i * readersAtOnce, (i + 1) * readersAtOnce) },
        }))
      }),
    action: sendDigest,
  }),
}
