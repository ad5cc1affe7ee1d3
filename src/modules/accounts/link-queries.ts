import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

export const linkPurposes = ['reset', 'invitation'] as const
export type LinkPurpose = (typeof linkPurposes)[number]

/** One link for each user. Earlier open links of the same purpose must have ended. */
export const insertPasswordLinks = async (
  tx: Tx,
  { users, purpose, requested_at }: { users: readonly number[]; purpose: LinkPurpose; requested_at: string },
) =>
  (
    await sql<{ id: number; user_id: number }>`
      insert into password_links (user_id, purpose, requested_at, session_version)
      select user_id, ${purpose}::text, ${requested_at}::timestamptz, case when ${purpose}::text = 'reset' then session_version end
      from credentials where user_id = any(${users}::bigint[])
      returning id, user_id`.execute(tx)
  ).rows

/** Ends the open links of the user, or those of one purpose. */
export const endPasswordLinks = (tx: Tx, userId: number, at: Date, purpose?: LinkPurpose) =>
  tx
    .updateTable('password_links')
    .set({ ended_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .$if(purpose !== undefined, update => update.where('purpose', '=', purpose!))
    .execute()

const selectLink = (tx: Tx, id: number) =>
  tx
    .selectFrom('password_links as l')
    .innerJoin('credentials as c', join =>
      join.onRef('c.tenant_id', '=', 'l.tenant_id').onRef('c.user_id', '=', 'l.user_id'),
    )
    .leftJoin('users as u', join => join.onRef('u.tenant_id', '=', 'l.tenant_id').onRef('u.id', '=', 'l.requested_by'))
    .select(['l.id', 'l.user_id', 'l.requested_at', 'l.expires_at', 'l.ended_at'])
    .select(sql<LinkPurpose>`l.purpose`.as('purpose'))
    .select(sql<Buffer | null>`l.token_hash`.as('token_hash'))
    .select(sql<string | null>`coalesce(u.full_name, u.username)`.as('requested_by'))
    .select(
      sql<boolean>`l.session_version is distinct from c.session_version and l.session_version is not null`.as(
        'is_session_over',
      ),
    )
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
