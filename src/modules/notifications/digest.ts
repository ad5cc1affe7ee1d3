import { sql } from 'kysely'
import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Body, Day, Id } from '#kernel/schema.ts'
import { readSettings } from '#modules/accounts'
import { forEachDue, type Schedule } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { lastDigestDay } from './digest-day.ts'
import { messages } from './messages.ts'

const readersAtOnce = 100
const maxReaders = 10_000

/** The people with notifications that wait for the digest of this day or an earlier one. */
const listReaders = async (tx: Tx, day: string) => {
  const rows = await tx
    .selectFrom('notifications')
    .select('user_id')
    .distinct()
    .where('digest_on', '<=', day)
    .orderBy('user_id')
    .limit(maxReaders)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Takes waiting notifications out of the digest and answers the unread ones. They are locked by id, so that two runs cannot deadlock. */
const takeWaiting = async (tx: Tx, day: string, readers: readonly number[]) => {
  const { rows } = await sql<{ user_id: number; unread: number[] | null }>`
    with waiting as materialized (
      select id from notifications where digest_on <= ${day}::date and user_id = any(${[...readers]}::bigint[]) order by id for update
    ), taken as (
      update notifications n set digest_on = null from waiting w where n.id = w.id returning n.user_id, n.id, n.read_at
    )
    select user_id, jsonb_agg(id order by id) filter (where read_at is null) as unread from taken group by user_id order by user_id`.execute(
    tx,
  )
  return rows
}

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
    due: ({ services, read }) =>
      read(async tx => {
        const day = lastDigestDay(await readSettings(tx), services.clock.now())
        const readers = await listReaders(tx, day)
        const batches = Math.ceil(readers.length / readersAtOnce)
        return Array.from({ length: batches }, (_, i) => ({
          body: { day, user_ids: readers.slice(i * readersAtOnce, (i + 1) * readersAtOnce) },
        }))
      }),
    action: sendDigest,
  }),
}
