import { sql } from 'kysely'
import type { Config } from '#platform/config.ts'
import type { Tx } from '#platform/db/database.ts'
import { enqueue, type QueueItem } from '#platform/jobs/queue.ts'
import type { MailKind } from './words.ts'

export interface NewMail {
  user_id: number
  kind: MailKind
  /** The person's own. What they say is read when the message is sent. */
  notification_ids: readonly number[]
}

/** In the transaction of what is told: with its commit the messages are queued, with its rollback there are none. */
type PostMails = (tx: Tx, mails: readonly NewMail[]) => Promise<void>

/** What the queue is told of a message: nothing but which it is. */
export interface MailItem {
  tenant_id: number
  id: number
}
export const queueMails = (tx: Tx, mails: readonly MailItem[]) => enqueue(tx, 'mail', mails.map(itemOf))
export const itemOf = ({ tenant_id, id }: MailItem): QueueItem => ({
  key: `${tenant_id}:${id}`,
  data: { tenant_id, id },
})

/** Undefined where the installation sends no messages. */
export function mailPosting({ mail, public_url }: Pick<Config, 'mail' | 'public_url'>): PostMails | undefined {
  if (!mail) return undefined
  const host = public_url ? new URL(public_url).hostname : mail.from.address.split('@')[1]!
  return async (tx, mails) => {
    if (mails.length > 0) await queueMails(tx, await insertMails(tx, mails, host))
  }
}

/**
 * The Message-ID is made with the row and stays. It does not come from the row's number: a database that was restored gives numbers
 * out again, and who has received a message by an id takes another one with it for the same.
 */
const insertMails = async (tx: Tx, mails: readonly NewMail[], host: string) =>
  (
    await sql<MailItem>`
      insert into mails (user_id, kind, notification_ids, message_id)
      select user_id, kind, notification_ids, '<' || gen_random_uuid() || '@' || ${host}::text || '>'
      from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as new (user_id bigint, kind text, notification_ids bigint[])
      returning tenant_id, id`.execute(tx)
  ).rows
