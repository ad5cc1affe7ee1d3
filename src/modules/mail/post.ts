import { sql } from 'kysely'
import type { Config } from '#platform/config.ts'
import type { Tx } from '#platform/db/database.ts'

export interface NewMail {
  user_id: number
  kind: 'notification' | 'digest'
  /** The person's own. What they say is read when the message is sent. */
  notification_ids: readonly number[]
}

/** In the transaction of what is told: with its commit the messages are queued, with its rollback there are none. */
export type PostMails = (tx: Tx, mails: readonly NewMail[]) => Promise<void>

/** What the queue is told of a message: nothing but which it is. */
export interface MailItem {
  tenant_id: number
  id: number
}
export const itemOf = ({ tenant_id, id }: MailItem) => ({ key: `${tenant_id}:${id}`, data: { tenant_id, id } })

type Enqueue = (tx: Tx, name: 'mail', items: readonly { key: string; data: object }[]) => Promise<void>

/** Makes messages to people, or none where the installation sends none. */
export const mailPosting =
  ({ mail, public_url }: Pick<Config, 'mail' | 'public_url'>, enqueue: Enqueue): PostMails =>
  async (tx, mails) => {
    if (!mail || mails.length === 0) return
    const host = public_url ? new URL(public_url).hostname : mail.from.address.split('@')[1]!
    await enqueue(tx, 'mail', (await insertMails(tx, mails, host)).map(itemOf))
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
