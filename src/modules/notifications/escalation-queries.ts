import { type ExpressionBuilder, sql } from 'kysely'
import type { MessageParams } from '#kernel/message.ts'
import type { TenantSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { NotificationType, Priority } from './types.ts'

export interface AboutRecord {
  resource_type: string
  resource_id: number
}

const isIgnored =
  (hours: TenantSettings['escalation_hours'], now: Date) => (e: ExpressionBuilder<Tables, 'notifications'>) => {
    const since = (of: number) => sql<string>`${new Date(now.getTime() - of * 3_600_000).toISOString()}::timestamptz`
    return e.and([
      e('requires_action', '=', true),
      sql<boolean>`not is_read`,
      e('escalated_at', 'is', null),
      e('resource_id', 'is not', null),
      e('created_at', '<=', since(Math.min(...Object.values(hours)))),
      e(
        'created_at',
        '<=',
        sql<string>`case priority when 'urgent' then ${since(hours.urgent)} when 'high' then ${since(hours.high)} else ${since(hours.normal)} end`,
      ),
    ])
  }

/** Records with a request that its reader has left unread for too long, the oldest first. */
export const listIgnored = async (
  tx: Tx,
  hours: TenantSettings['escalation_hours'],
  now: Date,
  limit: number,
): Promise<AboutRecord[]> => {
  const rows = await tx
    .selectFrom('notifications')
    .select(['resource_type', sql<number>`resource_id`.as('resource_id')])
    .where(isIgnored(hours, now))
    .groupBy(['resource_type', 'resource_id'])
    .orderBy(e => e.fn.min('created_at'))
    .limit(limit)
    .execute()
  return rows
}

export interface IgnoredRow {
  id: number
  user_id: number
  reader: string
  type: NotificationType
  priority: Priority
  title: string
  message: string
  code: string | null
  params: MessageParams
  created_at: string
}

/** Locks them, so that each is escalated once and a reader who opens one now waits. */
export const lockIgnored = async (
  tx: Tx,
  { resource_type, resource_id }: AboutRecord,
  hours: TenantSettings['escalation_hours'],
  now: Date,
): Promise<IgnoredRow[]> => {
  const rows = await tx
    .selectFrom('notifications')
    .select(['id', 'user_id', 'type', 'priority', 'title', 'message', 'code', 'params', 'created_at'])
    .select(
      sql<string>`(select coalesce(u.full_name, u.username) from users u where u.id = notifications.user_id)`.as(
        'reader',
      ),
    )
    .where(isIgnored(hours, now))
    .where('resource_type', '=', resource_type)
    .where('resource_id', '=', resource_id)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows as IgnoredRow[]
}

const whose = (ids: readonly number[]) => sql<number>`any(${[...ids]}::bigint[])`

export const markEscalated = (tx: Tx, ids: readonly number[], at: Date) =>
  tx.updateTable('notifications').set({ escalated_at: at.toISOString() }).where('id', '=', whose(ids)).execute()

/** They are not escalated any more. */
export const settleEscalation = (tx: Tx, ids: readonly number[]) =>
  tx.updateTable('notifications').set({ requires_action: false }).where('id', '=', whose(ids)).execute()
