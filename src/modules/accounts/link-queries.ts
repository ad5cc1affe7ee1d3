import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

export const linkPurposes = ['reset', 'invitation'] as const
export type LinkPurpose = (typeof linkPurposes)[number]

/** An earlier open link of the user must have ended. */
export const insertPasswordLink = async (
  tx: Tx,
  link: { user_id: number; purpose: LinkPurpose; requested_at: string },
) => (await tx.insertInto('password_links').values(link).returning('id').executeTakeFirstOrThrow()).id

/** Ends the open link of the user. */
export const endPasswordLinks = (tx: Tx, userId: number, at: Date) =>
  tx
    .updateTable('password_links')
    .set({ ended_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .execute()

const selectLink = (tx: Tx, id: number) =>
  tx
    .selectFrom('password_links as l')
    .leftJoin('users as u', join => join.onRef('u.tenant_id', '=', 'l.tenant_id').onRef('u.id', '=', 'l.requested_by'))
    .select(['l.id', 'l.user_id', 'l.requested_at', 'l.expires_at', 'l.ended_at'])
    .select(sql<LinkPurpose>`l.purpose`.as('purpose'))
    .select(sql<Buffer | null>`l.token_hash`.as('token_hash'))
    .select(sql<string | null>`coalesce(u.full_name, u.username)`.as('requested_by'))
    .where('l.id', '=', id)

export const findPasswordLink = (tx: Tx, id: number) => selectLink(tx, id).executeTakeFirst()
/** Nobody uses or ends the link meanwhile. */
export const lockPasswordLink = (tx: Tx, id: number) => selectLink(tx, id).forNoKeyUpdate('l').executeTakeFirst()
export type PasswordLink = NonNullable<Awaited<ReturnType<typeof findPasswordLink>>>

export const storeToken = (tx: Tx, id: number, token: { token_hash: Buffer; expires_at: string }) =>
  tx.updateTable('password_links').set(token).where('id', '=', id).execute()

export const spendPasswordLink = (tx: Tx, id: number, at: Date) =>
  tx.updateTable('password_links').set({ ended_at: at.toISOString(), is_used: true }).where('id', '=', id).execute()

/** Links that the user asked for by themselves. */
export const countRequestedLinks = async (tx: Tx, userId: number, since: string) =>
  (
    await tx
      .selectFrom('password_links')
      .select(e => e.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .where('requested_by', 'is', null)
      .where('requested_at', '>', since)
      .executeTakeFirstOrThrow()
  ).count
