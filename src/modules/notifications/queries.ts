import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, endOf, isoMoment, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { linkOf } from './links.ts'
import type { Notification, NotificationFilter } from './schema.ts'
import { priorities } from './types.ts'

type Filter = Omit<NotificationFilter, 'page' | 'page_size' | 'sort'>
type NotificationSort = Sort<'id' | 'created_at' | 'priority'>

const matches =
  (userId: number, { is_read, priority, type, date_from, date_to }: Filter) =>
  (e: ExpressionBuilder<Tables, 'notifications'>) =>
    e.and([
      e('user_id', '=', userId),
      ...(is_read === undefined ? [] : [e('read_at', is_read ? 'is not' : 'is', null)]),
      ...(priority ? [e('priority_rank', '=', priorities.indexOf(priority) + 1)] : []),
      ...(type ? [e('type', '=', type)] : []),
      ...(date_from ? [e('created_at', '>=', startOf(date_from))] : []),
      ...(date_to ? [e('created_at', '<', endOf(date_to))] : []),
    ])

const inOrder =
  ({ field, direction }: NotificationSort) =>
  <O>(query: SelectQueryBuilder<Tables, 'notifications', O>) =>
    (field === 'priority' ? query.orderBy('priority_rank', direction) : query).orderBy('id', direction)

/** Its e-mail: one of its own, or the newest digest that begins with it or before it. */
const emailOf = sql<
  Notification['email']
>`case when digest_on is not null then jsonb_build_object('status', 'waiting', 'sent_at', null) else
  coalesce(
    (select jsonb_build_object('status', m.status, 'sent_at', ${isoMoment('m.sent_at')}) from mails m where m.user_id = notifications.user_id
      and m.kind = 'notification' and m.notification_ids[1] = notifications.id limit 1),
    (select jsonb_build_object('status', m.status, 'sent_at', ${isoMoment('m.sent_at')}) from (
        select * from mails d where d.user_id = notifications.user_id and d.kind = 'digest' and d.notification_ids[1] <= notifications.id
        order by d.notification_ids[1] desc limit 3) m
      where notifications.id = any(m.notification_ids) limit 1)
  ) end`

const selectOwn = (tx: Tx, userId: number) =>
  tx
    .selectFrom('notifications')
    .select(['id', 'type', 'priority', 'title', 'message', 'resource_type', 'resource_id', 'read_at', 'created_at'])
    .select([sql<boolean>`read_at is not null`.as('is_read'), emailOf.as('email'), linkOf.as('link')])
    .where('user_id', '=', userId)

/** Selects the ids of the page first, so that skipped rows cost no joins. */
export const listOwn = (
  tx: Tx,
  userId: number,
  filter: Filter,
  sort: NotificationSort,
  limit: number,
  offset: number,
) =>
  selectOwn(tx, userId)
    .where(
      'id',
      'in',
      tx
        .selectFrom('notifications')
        .select('id')
        .where(matches(userId, filter))
        .$call(inOrder(sort))
        .limit(limit)
        .offset(offset),
    )
    .$call(inOrder(sort))
    .execute()

export const countOwn = (tx: Tx, userId: number, filter: Filter) =>
  countRows(tx.selectFrom('notifications').where(matches(userId, filter)))

export const findOwn = (tx: Tx, userId: number, id: number) =>
  selectOwn(tx, userId).where('id', '=', id).executeTakeFirst()

/** Keeps the time of the first reading. */
export const markRead = (tx: Tx, userId: number, id: number, at: Date) =>
  tx
    .updateTable('notifications')
    .set({ read_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('read_at', 'is', null)
    .execute()

export const hasUnreadBeyond = async (tx: Tx, userId: number, count: number) =>
  (await tx
    .selectFrom('notifications')
    .select('id')
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .orderBy('id')
    .offset(count)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Marks the oldest unread ones, locked by id so that two requests cannot deadlock, and answers how many. */
export const markUnread = async (tx: Tx, userId: number, at: Date, limit: number) => {
  const { numUpdatedRows } = await tx
    .with('unread', query =>
      query
        .selectFrom('notifications')
        .select('id')
        .where('user_id', '=', userId)
        .where('read_at', 'is', null)
        .orderBy('id')
        .limit(limit)
        .forNoKeyUpdate(),
    )
    .updateTable('notifications')
    .from('unread')
    .set({ read_at: at.toISOString() })
    .whereRef('notifications.id', '=', 'unread.id')
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
