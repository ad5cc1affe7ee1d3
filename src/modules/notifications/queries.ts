import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, endOf, isoMoment, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { linkOf } from './link-queries.ts'
import type { TrainingSubject } from './notice.ts'
import type { Notification, NotificationFilter } from './schema.ts'
import { priorities } from './types.ts'

type Filter = Omit<NotificationFilter, 'page' | 'page_size' | 'sort'>
type NotificationSort = Sort<'id' | 'created_at' | 'priority'>

/** Spelled as the partial indexes have it. */
const isUnread = sql<boolean>`not is_read`

const matches =
  (userId: number, { is_read, priority, type, date_from, date_to }: Filter) =>
  (e: ExpressionBuilder<Tables, 'notifications'>) =>
    e.and([
      e('user_id', '=', userId),
      ...(is_read === undefined ? [] : [is_read ? sql<boolean>`is_read` : isUnread]),
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
    .select([
      'id',
      'type',
      'priority',
      'title',
      'message',
      'code',
      'params',
      'resource_type',
      'resource_id',
      'is_read',
      'read_at',
      'settled_at',
      'created_at',
    ])
    .select([emailOf.as('email'), linkOf.as('link')])
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
    .where(isUnread)
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
        .where(isUnread)
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

export async function findTrainings(tx: Tx, ids: readonly number[]): Promise<Map<number, TrainingSubject>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(['a.id', 'p.number', 'p.title', 'a.due_date'])
    .select(sql<string>`coalesce(u.full_name, u.username)`.as('trainee'))
    .where('a.id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
  return new Map(rows.map(({ id, ...training }) => [id, training]))
}

export const findNamesOfDeputy = (tx: Tx, id: number) =>
  tx
    .selectFrom('deputies as d')
    .innerJoin('users as p', 'p.id', 'd.person_id')
    .innerJoin('users as u', 'u.id', 'd.deputy_id')
    .select([
      sql<string>`coalesce(p.full_name, p.username)`.as('person'),
      sql<string>`coalesce(u.full_name, u.username)`.as('deputy'),
    ])
    .where('d.id', '=', id)
    .executeTakeFirst()

export const findHolderName = async (tx: Tx, copyId: number): Promise<string | undefined> =>
  (
    await tx
      .selectFrom('controlled_copies as k')
      .innerJoin('users as u', 'u.id', 'k.holder_id')
      .select(sql<string>`coalesce(u.full_name, u.username)`.as('name'))
      .where('k.id', '=', copyId)
      .executeTakeFirst()
  )?.name

/** The people with notifications that wait for the digest of this day or an earlier one. */
export const listReaders = async (tx: Tx, day: string, limit: number) => {
  const rows = await tx
    .selectFrom('notifications')
    .select('user_id')
    .distinct()
    .where('digest_on', '<=', day)
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Takes waiting notifications out of the digest and answers the unread ones. They are locked by id, so that two runs cannot deadlock. */
export const takeWaiting = async (tx: Tx, day: string, readers: readonly number[]) => {
  const { rows } = await sql<{ user_id: number; unread: number[] | null }>`
    with waiting as materialized (
      select id from notifications where digest_on <= ${day}::date and user_id = any(${[...readers]}::bigint[]) order by id for update
    ), taken as (
      update notifications n set digest_on = null from waiting w where n.id = w.id returning n.user_id, n.id, n.is_read
    )
    select user_id, jsonb_agg(id order by id) filter (where not is_read) as unread from taken group by user_id order by user_id`.execute(
    tx,
  )
  return rows
}

/**
 * Inserts in the order of the readers' ids, so that two transactions that notify the same people cannot deadlock, and answers the
 * notifications whose e-mail is sent at once.
 */
export async function insertNotifications(
  tx: Tx,
  given: readonly object[],
  { isMailing, digest_on }: { isMailing: boolean; digest_on: string | null },
) {
  const { rows } = await sql<{ id: number; user_id: number; former_address: string | null }>`
    with chosen as materialized (
      select u.id as user_id, n.*, case when ${isMailing} then
          case when n.is_always_mailed then n.email else coalesce(p.email, n.email) end end as way
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as n ("to" jsonb, place integer, type text, priority text, title text,
          message text, code text, params jsonb, resource_type text, resource_id bigint, dedupe_key text, requires_action boolean, is_request boolean, is_required boolean,
          is_always_mailed boolean, email text, former_address text)
        cross join jsonb_array_elements(n."to") as reader
        join users u on u.id = reader::bigint and u.is_active and u.kind = 'person'
        left join notification_preferences p on p.user_id = u.id and p.type = n.type
      where n.is_required or p.in_app is not false
    ), told as (
      insert into notifications (user_id, type, priority, title, message, code, params, resource_type, resource_id, dedupe_key,
        requires_action, is_request, digest_on)
      select user_id, type, priority, title, message, code, params, resource_type, resource_id, dedupe_key, requires_action, is_request,
        case when way = 'digest' then ${digest_on}::date end
      from chosen order by user_id, place
      on conflict (tenant_id, user_id, dedupe_key) do nothing
      returning id, user_id, dedupe_key
    )
    select distinct t.id, t.user_id, c.former_address from told t join chosen c using (user_id, dedupe_key) where c.way = 'immediate' order by t.id`.execute(
    tx,
  )
  return rows
}

export interface OpenRequest {
  id: number
  user_id: number
  type: string
  resource_type: string
  resource_id: number
  dedupe_key: string
}

/**
 * The open requests about records that a command changed. A review and its CAPA ask for each other's end, so each of them stands for both.
 */
export async function listOpenRequests(
  tx: Tx,
  changed: readonly { resource_type: string; resource_id: number }[],
): Promise<OpenRequest[]> {
  const idsOf = (type: string) =>
    changed.filter(({ resource_type }) => resource_type === type).map(({ resource_id }) => resource_id)
  return openRequests(tx, {
    types: changed.map(each => each.resource_type),
    ids: changed.map(each => each.resource_id),
    capas: idsOf('capa'),
    reviews: idsOf('effectiveness_review'),
  })
}

const openRequests = builtOnce(
  (_tx, { types, ids, capas, reviews }: { types: string[]; ids: number[]; capas: number[]; reviews: number[] }) =>
    sql<OpenRequest>`
    with changed (resource_type, resource_id) as (
      select * from unnest(${types}::text[], ${ids}::bigint[]) c
      union select 'effectiveness_review', id from effectiveness_reviews where capa_id = any(${capas}::bigint[])
      union select 'capa', capa_id from effectiveness_reviews where id = any(${reviews}::bigint[])
    )
    select n.id, n.user_id, n.type, n.resource_type, n.resource_id, n.dedupe_key from changed join notifications n using (resource_type, resource_id)
    where n.is_request and n.settled_at is null order by n.id`,
)

/** Locked by id, as those that are marked as read, so that no two requests deadlock. */
export const markSettled = (tx: Tx, ids: readonly number[], at: Date) =>
  sql`with settled as materialized (
      select id from notifications where id = any(${[...ids]}::bigint[]) and settled_at is null order by id for no key update
    )
    update notifications n set settled_at = ${at.toISOString()} from settled s where n.id = s.id`.execute(tx)

/** The audit entries of the same command carry this id too. */
export const currentTransaction = async (tx: Tx) =>
  (await sql<{ id: string }>`select current_transaction() as id`.execute(tx)).rows[0]!.id
