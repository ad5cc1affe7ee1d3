import type { Config } from '#platform/config.ts'
import type { Tx } from '#platform/db/database.ts'
import { enqueue, type QueueItem } from '#platform/jobs/queue.ts'
import { insertMails, type MailItem, type NewMail } from './queries.ts'

/** Queues messages in the transaction of their notifications, so that they are sent only if it commits. */
type PostMails = (tx: Tx, mails: readonly NewMail[], options?: { isBulk: boolean }) => Promise<void>

export const queueMails = (tx: Tx, mails: readonly MailItem[], { isBulk = false } = {}) =>
  enqueue(
    tx,
    'mail',
    mails.map(mail => ({ ...itemOf(mail), priority: isBulk ? -1 : 0 })),
  )
export const itemOf = ({ tenant_id, id }: MailItem): QueueItem => ({
  key: `${tenant_id}:${id}`,
  tenant_id,
  data: { tenant_id, id },
})

/** What the ids of messages end with. */
export const hostOf = ({ mail, public_url }: Pick<Config, 'mail' | 'public_url'>) =>
  public_url ? new URL(public_url).hostname : mail!.from.address.split('@')[1]!

/** Undefined if the installation sends no e-mail. */
export function mailPosting({ mail, public_url }: Pick<Config, 'mail' | 'public_url'>): PostMails | undefined {
  if (!mail) return undefined
  const host = hostOf({ mail, public_url })
  return async (tx, mails, options) => {
    if (mails.length > 0) await queueMails(tx, await insertMails(tx, mails, host), options)
  }
}
