import { type ExpressionBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { NotificationFilter } from './schema.ts'

const selectOwn = (tx: Tx, userId: number) =>
  tx
    .selectFrom('notifications')
    .select(['id', 'type', 'priority', 'title', 'message', 'resource_type', 'resource_id', 'read_at', 'created_at'])
    .select(sql<boolean>`read_at is not null`.as('is_read'))
    .where('user_id', '=', userId)

const matches =
  (userId: number, { is_read, priority, type }: Pick<NotificationFilter, 'is_read' | 'priority' | 'type'>) =>
  (e: ExpressionBuilder<Tables, 'notifications'>) =>
    e.and([
      e('user_id', '=', userId),
      ...(is_read === undefined ? [] : [e('read_at', is_read ? 'is not' : 'is', null)]),
      ...(priority ? [e('priority', '=', priority)] : []),
      ...(type ? [e('type', '=', type)] : []),
    ])

export const listOwn = (
  tx: Tx,
  userId: number,
  filter: NotificationFilter,
  { direction }: Sort<'id' | 'created_at'>,
  limit: number,
  offset: number,
) => selectOwn(tx, userId).where(matches(userId, filter)).orderBy('id', direction).limit(limit).offset(offset).execute()

export const countOwn = async (
  tx: Tx,
  userId: number,
  filter: Pick<NotificationFilter, 'is_read' | 'priority' | 'type'>,
) => {
  const { count } = await tx
    .selectFrom('notifications')
    .select(e => e.fn.countAll<number>().as('count'))
    .where(matches(userId, filter))
    .executeTakeFirstOrThrow()
  return count
}

export const findOwn = (tx: Tx, userId: number, id: number) =>
  selectOwn(tx, userId).where('id', '=', id).executeTakeFirst()

/** When it was read stays when it was read first. */
export const markRead = (tx: Tx, userId: number, id: number, at: Date) =>
  tx
    .updateTable('notifications')
    .set({ read_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('read_at', 'is', null)
    .execute()

export const markAllRead = async (tx: Tx, userId: number, at: Date) => {
  const { numUpdatedRows } = await tx
    .updateTable('notifications')
    .set({ read_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
