import { readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { nextDigestDay } from './digest-day.ts'
import type { Notice } from './notice.ts'
import { insertNotifications } from './queries.ts'
import { isAlwaysMailed, isRequired, usualDelivery } from './types.ts'

export interface Delivery extends Notice {
  to: readonly number[]
  resource_type: string
  resource_id: number | null
  dedupe_key: string
  /** Escalated to the next in charge if a reader does not read it. */
  requires_action: boolean
  /** It asks its readers for something until that is done. */
  is_request: boolean
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
  /** Messages that many others must not wait for are sent after them, whoever's they are. */
  options?: { isBulk: boolean },
) => Promise<void>

declare module '#action/definitions.ts' {
  interface Services {
    /** Undefined if the installation sends no e-mail. */
    post: Post | undefined
  }
}

/**
 * Notifies active readers who have not switched the type off, in one statement however many they are.
 */
export async function deliver(
  tx: Tx,
  deliveries: readonly Delivery[],
  { post, now }: { post: Post | undefined; now: Date },
) {
  if (deliveries.length === 0) return
  const given = deliveries.map(({ message: { title, text, code, params }, ...each }, place) => ({
    ...each,
    ...{ title, message: text, code, params },
    place,
    is_required: isRequired(each.type),
    is_always_mailed: isAlwaysMailed(each.type),
    email: post ? usualDelivery(each.type).email : 'none',
  }))
  const digest_on = post ? nextDigestDay(await readSettings(tx), now) : null
  const rows = await insertNotifications(tx, given, { isMailing: post !== undefined, digest_on })
  if (!post || rows.length === 0) return
  await post(
    tx,
    rows.flatMap(({ id, user_id, former_address }) => {
      const mail = { user_id, kind: 'notification' as const, notification_ids: [id] }
      return former_address === null ? [mail] : [mail, { ...mail, address: former_address }]
    }),
  )
}
