import { sql } from 'kysely'
import { readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { nextDigestDay } from './digest-day.ts'
import type { Notice } from './notice.ts'
import { isAlwaysMailed, isRequired, usualDelivery } from './types.ts'

export interface Delivery extends Notice {
  to: readonly number[]
  resource_type: string
  resource_id: number | null
  dedupe_key: string
  /** Escalated to the next in charge if a reader does not read it. */
  requires_action: boolean
}

/** Queues e-mails in the transaction of the change, so that neither exists without the other. */
export type Post = (
  tx: Tx,
  mails: readonly {
    user_id: number
    kind: 'notification' | 'digest' | 'password_link'
    notification_ids: readonly number[]
    address?: string | undefined
    password_link_id?: number
  }[],
) => Promise<void>

declare module '#action/definitions.ts' {
  interface Services {
    /** Undefined if the installation sends no e-mail. */
    post: Post | undefined
  }
}

/**
 * Notifies active readers who have not switched the type off, in one statement however many they are. Rows are inserted in the order
 * of the readers' ids, so that two transactions that notify the same people cannot deadlock.
 */
export async function deliver(
  tx: Tx,
  deliveries: readonly Delivery[],
  { post, now }: { post: Post | undefined; now: Date },
) {
  if (deliveries.length === 0) return
  const given = deliveries.map((each, place) => ({
    ...each,
    place,
    is_required: isRequired(each.type),
    is_always_mailed: isAlwaysMailed(each.type),
    email: post ? usualDelivery(each.type).email : 'none',
  }))
  const digest_on = post ? nextDigestDay(await readSettings(tx), now) : null
  const { rows } = await sql<{ id: number; user_id: number; former_address: string | null }>`
    with chosen as materialized (
      select u.id as user_id, n.*, case when ${post !== undefined} then
          case when n.is_always_mailed then n.email else coalesce(p.email, n.email) end end as way
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as n ("to" jsonb, place integer, type text, priority text, title text,
          message text, resource_type text, resource_id bigint, dedupe_key text, requires_action boolean, is_required boolean,
          is_always_mailed boolean, email text, former_address text)
        cross join jsonb_array_elements(n."to") as reader
        join users u on u.id = reader::bigint and u.is_active
        left join notification_preferences p on p.user_id = u.id and p.type = n.type
      where n.is_required or p.in_app is not false
    ), told as (
      insert into notifications (user_id, type, priority, title, message, resource_type, resource_id, dedupe_key, requires_action, digest_on)
      select user_id, type, priority, title, message, resource_type, resource_id, dedupe_key, requires_action,
        case when way = 'digest' then ${digest_on}::date end
      from chosen order by user_id, place
      on conflict (tenant_id, user_id, dedupe_key) do nothing
      returning id, user_id, dedupe_key
    )
    select distinct t.id, t.user_id, c.former_address from told t join chosen c using (user_id, dedupe_key) where c.way = 'immediate' order by t.id`.execute(
    tx,
  )
  if (!post || rows.length === 0) return
  await post(
    tx,
    rows.flatMap(({ id, user_id, former_address }) => {
      const mail = { user_id, kind: 'notification' as const, notification_ids: [id] }
      return former_address === null ? [mail] : [mail, { ...mail, address: former_address }]
    }),
  )
}

/** The audit entries of the same command carry this id too. */
export const currentTransaction = async (tx: Tx) =>
  (await sql<{ id: string }>`select current_transaction() as id`.execute(tx)).rows[0]!.id
