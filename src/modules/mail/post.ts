import { sql } from 'kysely'
import type { Config } from '#platform/config.ts'
import type { Tx } from '#platform/db/database.ts'
import { enqueue, type QueueItem } from '#platform/jobs/queue.ts'
import type { MailKind } from './words.ts'

export interface NewMail {
  user_id: number
  kind: MailKind
  /** Notifications of this person. Their text is read when the message is sent. */
  notification_ids: readonly number[]
  /** Instead of the address of the user. */
  address?: string | undefined
  /** Of a message with a link to choose a password. */
  password_link_id?: number
}

/** Queues messages in the transaction of their notifications, so that they are sent only if it commits. */
type PostMails = (tx: Tx, mails: readonly NewMail[]) => Promise<void>

/** The queue item of a message, which holds its id only. */
export interface MailItem {
  tenant_id: number
  id: number
}
export const queueMails = (tx: Tx, mails: readonly MailItem[]) => enqueue(tx, 'mail', mails.map(itemOf))
export const itemOf = ({ tenant_id, id }: MailItem): QueueItem => ({
  key: `${tenant_id}:${id}`,
  data: { tenant_id, id },
})

/** Undefined if the installation sends no e-mail. */
export function mailPosting({ mail, public_url }: Pick<Config, 'mail' | 'public_url'>): PostMails | undefined {
  if (!mail) return undefined
  const host = public_url ? new URL(public_url).hostname : mail.from.address.split('@')[1]!
  return async (tx, mails) => {
    if (mails.length > 0) await queueMails(tx, await insertMails(tx, mails, host))
  }
}

/**
 * The Message-ID is created with the row and stays. It is not made from the id of the row, because a restored database gives ids out
 * again, and a mail program drops a message whose Message-ID it has seen.
 */
const insertMails = async (tx: Tx, mails: readonly NewMail[], host: string) =>
  (
    await sql<MailItem>`
      insert into mails (user_id, kind, notification_ids, address, password_link_id, message_id)
      select user_id, kind, notification_ids, address, password_link_id, '<' || gen_random_uuid() || '@' || ${host}::text || '>'
      from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as new (user_id bigint, kind text, notification_ids bigint[], address text, password_link_id bigint)
      returning tenant_id, id`.execute(tx)
  ).rows
