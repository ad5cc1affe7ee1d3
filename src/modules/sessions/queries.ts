import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { type EndReason, type SessionKind, seenEveryMs } from './rules.ts'

interface NewSession {
  user_id: number
  kind: SessionKind
  secret_hash: Buffer | null
  session_version: number
  auth_time: string
  amr: string[]
  provider_id: number | null
  provider_sid: string | null
  client_addr: string
  user_agent: string
  idle_minutes: number | null
  created_at: string
  last_seen_at: string
  expires_at: string
}
export const insertSession = (tx: Tx, values: NewSession) =>
  tx.insertInto('sessions').values(values).returning('id').executeTakeFirstOrThrow()

/** Sessions that nothing has ended, though they may be idle; with the settings of the tenant that decide about it. */
export const listOpenSessions = (tx: Tx, userId: number, now: Date) =>
  tx
    .selectFrom('sessions as s')
    .innerJoin('credentials as c', join =>
      join.onRef('c.tenant_id', '=', 's.tenant_id').onRef('c.user_id', '=', 's.user_id'),
    )
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .select(['s.id', 's.client_addr', 's.user_agent', 's.created_at', 's.last_seen_at'])
    .select(['s.auth_time', 's.amr', 's.expires_at', 's.idle_minutes'])
    .select(sql<SessionKind>`s.kind`.as('kind'))
    .select([
      sql<number | null>`(t.settings ->> 'session_idle_minutes')::integer`.as('session_idle_minutes'),
      sql<number | null>`(t.settings ->> 'session_max_hours')::integer`.as('session_max_hours'),
    ])
    .where('s.user_id', '=', userId)
    .where('s.expires_at', '>', now.toISOString())
    .where('s.revoked_at', 'is', null)
    .whereRef('s.session_version', '=', 'c.session_version')
    .orderBy('s.last_seen_at', 'desc')
    .orderBy('s.id', 'desc')
    .execute()
export type OpenSession = Awaited<ReturnType<typeof listOpenSessions>>[number]

interface End {
  at: Date
  by: number | null
  reason: EndReason
}
const ended = ({ at, by, reason }: End) => ({ revoked_at: at.toISOString(), revoked_by: by, revoke_reason: reason })

const endOpen = (tx: Tx, userId: number, end: End) =>
  tx
    .updateTable('sessions')
    .set(ended(end))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', end.at.toISOString())
    .where('session_version', '=', query =>
      query.selectFrom('credentials').select('session_version').where('user_id', '=', userId),
    )

/** False if it has ended already, or is not the user's. */
export const endSession = async (tx: Tx, { id, userId }: { id: number; userId: number }, end: End) =>
  (await endOpen(tx, userId, end).where('id', '=', id).executeTakeFirst()).numUpdatedRows === 1n

/** The ids of those that it ended. */
export const endAllSessions = async (tx: Tx, userId: number, end: End, { except }: { except?: number | null } = {}) =>
  (
    await endOpen(tx, userId, end)
      .where('id', '<>', except ?? 0)
      .returning('id')
      .execute()
  ).map(({ id }) => id)

/**
 * Those that ended 90 days ago, which is as long as an address counts as known; some at a time, so that no transaction holds many rows. By
 * the clock of the database, which refuses to remove others.
 */
export const deleteOldSessions = async (tx: Tx, limit: number): Promise<number> =>
  Number(
    (
      await tx
        .deleteFrom('sessions')
        .where('id', 'in', query =>
          query
            .selectFrom('sessions')
            .select('id')
            .where('expires_at', '<=', sql<string>`now() - interval '90 days'`)
            .orderBy('expires_at')
            .limit(limit),
        )
        .executeTakeFirst()
    ).numDeletedRows,
  )

/**
 * Ends what a provider began for the user, or one session of the provider with all of the user's that it gave no name; the ids of those
 * that it ended.
 */
export const endSessionsOfProvider = async (
  tx: Tx,
  { userId, providerId, sid }: { userId: number; providerId: number; sid: string | null },
  end: End,
) =>
  (
    await endOpen(tx, userId, end)
      .where('provider_id', '=', providerId)
      .$if(sid !== null, update =>
        update.where(e => e.or([e('provider_sid', '=', sid), e('provider_sid', 'is', null)])),
      )
      .returning('id')
      .execute()
  ).map(({ id }) => id)

/** The users of whom the provider began a session by this name. */
export const listUsersOfProviderSession = async (tx: Tx, providerId: number, sid: string) =>
  (
    await tx
      .selectFrom('sessions')
      .select('user_id')
      .distinct()
      .where('provider_id', '=', providerId)
      .where('provider_sid', '=', sid)
      .execute()
  ).map(({ user_id }) => user_id)

/** Two requests at the same moment write it once. */
export const noteSeen = (tx: Tx, id: number, now: Date) =>
  tx
    .updateTable('sessions')
    .set({ last_seen_at: now.toISOString() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('last_seen_at', '<=', new Date(now.getTime() - seenEveryMs).toISOString())
    .execute()

export const hasUser = async (tx: Tx, id: number) =>
  (await tx.selectFrom('users').select('id').where('id', '=', id).where('kind', '=', 'person').executeTakeFirst()) !==
  undefined
