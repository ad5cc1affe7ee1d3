import { type ExpressionBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { NotificationFilter } from './schema.ts'
import type { Notice } from './told.ts'

interface Delivery extends Notice {
  to: readonly number[]
  resource_type: string
  resource_id: number | null
  dedupe_key: string
}

/** To those of them who can log in. In the order of their ids, so that two who tell the same people never wait in a circle. */
export const deliver = (
  tx: Tx,
  { to, type, priority, title, message, resource_type, resource_id, dedupe_key }: Delivery,
) =>
  tx
    .insertInto('notifications')
    .columns(['user_id', 'type', 'priority', 'title', 'message', 'resource_type', 'resource_id', 'dedupe_key'])
    .expression(e =>
      e
        .selectFrom('users')
        .select([
          'id',
          sql.lit(type).as('type'),
          sql.lit(priority).as('priority'),
          sql<string>`${title}`.as('title'),
          sql<string>`${message}`.as('message'),
          sql<string>`${resource_type}`.as('resource_type'),
          sql<number | null>`${resource_id}::bigint`.as('resource_id'),
          sql<string>`${dedupe_key}`.as('dedupe_key'),
        ])
        .where('id', 'in', [...to])
        .where('is_active', '=', true)
        .orderBy('id'),
    )
    .onConflict(conflict => conflict.columns(['tenant_id', 'user_id', 'dedupe_key']).doNothing())
    .execute()

/** The command's own mark, which the audit trail's entries have too. */
export const currentTransaction = async (tx: Tx) =>
  (await sql<{ id: string }>`select current_transaction() as id`.execute(tx)).rows[0]!.id

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
