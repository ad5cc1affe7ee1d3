import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Delivered, EmailWay, NotificationType } from './types.ts'

export interface Choice extends Delivered {
  type: NotificationType
}

export const listChoices = async (tx: Tx, userId: number): Promise<Map<NotificationType, Delivered>> => {
  const rows = await tx
    .selectFrom('notification_preferences')
    .select(['type', 'in_app', 'email'])
    .where('user_id', '=', userId)
    .orderBy('type')
    .execute()
  return new Map(
    rows.map(({ type, in_app, email }) => [type as NotificationType, { in_app, email: email as EmailWay }]),
  )
}

/** Serializes the changes of one person's preferences. */
export const lockReader = (tx: Tx, userId: number) =>
  tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()

export const storeChoices = (tx: Tx, userId: number, choices: readonly Choice[]) =>
  tx
    .insertInto('notification_preferences')
    .values(choices.map(choice => ({ user_id: userId, ...choice })))
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'user_id', 'type']).doUpdateSet(e => ({
        in_app: e.ref('excluded.in_app'),
        email: e.ref('excluded.email'),
        updated_at: sql`now()`,
      })),
    )
    .execute()

export const forgetChoices = (tx: Tx, userId: number, types: readonly NotificationType[]) =>
  tx
    .deleteFrom('notification_preferences')
    .where('user_id', '=', userId)
    .where('type', 'in', [...types])
    .execute()

/** Takes waiting notifications out of the digest, because their reader does not want them there any more. */
export const leaveDigest = (tx: Tx, userId: number, types: readonly NotificationType[]) =>
  tx
    .updateTable('notifications')
    .set({ digest_on: null })
    .where('user_id', '=', userId)
    .where('digest_on', 'is not', null)
    .where('type', 'in', [...types])
    .execute()
