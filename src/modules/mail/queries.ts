import { type ExpressionBuilder, sql } from 'kysely'
import { defaultLanguage, type Language, type MessageParams } from '#kernel/message.ts'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import { pageOf } from '#modules/notifications'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { MailKind, MailStatus } from './words.ts'

/** The recipient's own, else the company's: who was just invited has chosen none. */
const languageOf =
  sql<Language>`coalesce(user_preferences.language, tenants.settings ->> 'language', ${defaultLanguage})`.as('language')

/** A message with its recipient and notifications, and whether the recipient is still active and has an address. */
export const findLetter = async (tx: Tx, id: number) => {
  const mail = await tx
    .selectFrom('mails')
    .innerJoin('users', join =>
      join.onRef('users.tenant_id', '=', 'mails.tenant_id').onRef('users.id', '=', 'mails.user_id'),
    )
    .innerJoin('tenants', 'tenants.id', 'mails.tenant_id')
    .leftJoin('user_preferences', join =>
      join
        .onRef('user_preferences.tenant_id', '=', 'mails.tenant_id')
        .onRef('user_preferences.user_id', '=', 'mails.user_id'),
    )
    .select(['mails.id', 'mails.user_id', 'mails.kind', 'mails.notification_ids', 'mails.message_id'])
    .select(['mails.status', 'mails.attempts', 'mails.created_at', 'mails.password_link_id'])
    .select(['users.username', 'users.full_name', 'tenants.name as tenant'])
    .select(languageOf)
    .select(sql<string>`coalesce(mails.address, users.email)`.as('email'))
    .select(sql<boolean>`users.is_active and users.email <> '' and tenants.is_active`.as('is_reachable'))
    .where('mails.id', '=', id)
    .executeTakeFirst()
  if (!mail) return undefined
  const notifications = await tx
    .selectFrom('notifications')
    .select(['id', 'title', 'message', 'priority', 'code'])
    .select(sql<MessageParams>`params`.as('params'))
    .select(['is_read', pageOf.as('page')])
    .where('user_id', '=', mail.user_id)
    .where(sql<boolean>`id = any(${mail.notification_ids}::bigint[])`)
    .orderBy('id')
    .execute()
  return { ...mail, notifications }
}
export type Letter = NonNullable<Awaited<ReturnType<typeof findLetter>>>

/** The recipient of a test message. */
export const findRecipient = (tx: Tx, userId: number) =>
  tx
    .selectFrom('users')
    .innerJoin('tenants', 'tenants.id', 'users.tenant_id')
    .leftJoin('user_preferences', join =>
      join
        .onRef('user_preferences.tenant_id', '=', 'users.tenant_id')
        .onRef('user_preferences.user_id', '=', 'users.id'),
    )
    .select(['users.username', 'users.full_name', 'tenants.name as tenant'])
    .select(sql<string>`coalesce(users.email, '')`.as('email'))
    .select(languageOf)
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow()
export type Recipient = Awaited<ReturnType<typeof findRecipient>>

type Outcome =
  | { status: 'sent'; sent_at: string; error: null }
  | { status: 'failed'; failed_at: string; error: string }
  | { status: 'suppressed' }
  | { error: string }

/** Returns false if the message is no longer queued, because another process has sent it. */
export const noteOutcome = async (tx: Tx, id: number, outcome: Outcome) => {
  const { numUpdatedRows } = await tx
    .updateTable('mails')
    .set(outcome)
    .$if(!('status' in outcome) || outcome.status !== 'suppressed', update =>
      update.set({ attempts: sql`attempts + 1` }),
    )
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

const listed = (tx: Tx) =>
  tx
    .selectFrom('mails')
    .innerJoin('users', join =>
      join.onRef('users.tenant_id', '=', 'mails.tenant_id').onRef('users.id', '=', 'mails.user_id'),
    )
    .select(['mails.tenant_id', 'mails.id', 'mails.kind', 'mails.status', 'mails.attempts', 'mails.error'])
    .select(['mails.created_at', 'mails.sent_at', 'users.username'])

/** The newest first. */
export const listMails = (tx: Tx, { status, limit }: { status?: MailStatus | undefined; limit: number }) =>
  listed(tx)
    .$if(status !== undefined, select => select.where('mails.status', '=', status!))
    .orderBy('mails.id', 'desc')
    .limit(limit)
    .execute()

/** Locks the messages, so that two retries at the same moment queue each only once. */
export const lockFailed = (tx: Tx, only: number | undefined, limit: number) =>
  tx
    .selectFrom('mails')
    .select(['tenant_id', 'id', 'kind', 'user_id', 'attempts'])
    .where('status', '=', 'failed')
    .$if(only !== undefined, select => select.where('id', '=', only!))
    .orderBy('id')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute()

export const mailSorts = ['failed_at', 'created_at', 'id'] as const

interface MailFilter {
  status?: readonly MailStatus[] | undefined
  user_id?: number | undefined
}

const matches =
  ({ status, user_id }: MailFilter) =>
  (e: ExpressionBuilder<Tables, 'mails'>) =>
    e.and([...(status ? [e('status', 'in', [...status])] : []), ...(user_id ? [e('user_id', '=', user_id)] : [])])

/** Without the text and the title of any notification: whoever manages the messages may not read each record. */
const shown = (tx: Tx) =>
  tx
    .selectFrom('mails')
    .select(['id', 'kind', 'status', 'attempts', 'error', 'created_at', 'sent_at', 'failed_at'])
    .select(sql<Person>`${personOf('user_id')}`.as('recipient'))
    .select(
      sql<
        string | null
      >`(select type from notifications n where n.user_id = mails.user_id and n.id = mails.notification_ids[1])`.as(
        'notification_type',
      ),
    )
    .select(sql<number>`cardinality(notification_ids)`.as('notifications'))

export const listPage = (
  tx: Tx,
  filter: MailFilter,
  { field, direction }: Sort<(typeof mailSorts)[number]>,
  limit: number,
  offset: number,
) =>
  shown(tx)
    .where(matches(filter))
    .orderBy(field, order => (direction === 'asc' ? order.asc().nullsLast() : order.desc().nullsLast()))
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countMails = (tx: Tx, filter: MailFilter) => countRows(tx.selectFrom('mails').where(matches(filter)))

export const findMail = (tx: Tx, id: number) => shown(tx).where('id', '=', id).executeTakeFirst()

/** Undefined if there is none. Waits for whoever decides about it at the same moment. */
export const lockMail = (tx: Tx, id: number) =>
  tx
    .selectFrom('mails')
    .select(['tenant_id', 'id', 'kind', 'user_id', 'attempts', 'status'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

export const dismiss = (tx: Tx, id: number) =>
  tx.updateTable('mails').set({ status: 'dismissed', failed_at: null }).where('id', '=', id).execute()

export const queueAgain = (tx: Tx, ids: readonly number[]) =>
  tx
    .updateTable('mails')
    .set({ status: 'queued', failed_at: null })
    .where('id', 'in', [...ids])
    .execute()

export const listQueued = (tx: Tx, limit: number) =>
  tx.selectFrom('mails').select(['tenant_id', 'id']).where('status', '=', 'queued').orderBy('id').limit(limit).execute()

export interface MailTrouble {
  /** Messages that were given up since then. */
  failed: number
  waiting: number
  waiting_since: string | null
}

/** Counts over all tenants. */
export const readTrouble = async (tx: Tx, since: Date): Promise<MailTrouble> =>
  (await sql<MailTrouble>`select * from mail_trouble(${since.toISOString()}::timestamptz)`.execute(tx)).rows[0]!

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

/** The queue item of a message, which holds its id only. */
export interface MailItem {
  tenant_id: number
  id: number
}

/**
 * The Message-ID is created with the row and stays. It is not made from the id of the row, because a restored database gives ids out
 * again, and a mail program drops a message whose Message-ID it has seen.
 */
export const insertMails = async (tx: Tx, mails: readonly NewMail[], host: string) =>
  (
    await sql<MailItem>`
      insert into mails (user_id, kind, notification_ids, address, password_link_id, message_id)
      select user_id, kind, notification_ids, address, password_link_id, '<' || gen_random_uuid() || '@' || ${host}::text || '>'
      from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as new (user_id bigint, kind text, notification_ids bigint[], address text, password_link_id bigint)
      returning tenant_id, id`.execute(tx)
  ).rows
