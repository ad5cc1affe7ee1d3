import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'

interface NewKey {
  user_id: number
  name: string
  secret_hash: Buffer
  permissions: string[]
  networks: string[]
  expires_at: string
  warned_days: number | null
  replaces_id: number | null
  created_at: string
  created_by: number | null
}
export const insertKey = (tx: Tx, values: NewKey) =>
  tx.insertInto('api_keys').values(values).returning('id').executeTakeFirstOrThrow()

const selectKeys = (tx: Tx) =>
  tx
    .selectFrom('api_keys as k')
    .select(['k.id', 'k.user_id', 'k.name', 'k.permissions', 'k.networks', 'k.expires_at', 'k.replaces_id'])
    .select(['k.created_at', 'k.last_used_at', 'k.last_used_addr', 'k.revoked_at', 'k.revoke_reason'])
    .select([personOf('k.created_by').as('created_by'), personOf('k.revoked_by').as('revoked_by')])
    .select(
      sql<number | null>`(select n.id from api_keys n where n.tenant_id = k.tenant_id and n.replaces_id = k.id)`.as(
        'replaced_by_id',
      ),
    )

/** The newest first. */
export const listKeys = (tx: Tx, userId: number) =>
  selectKeys(tx).where('k.user_id', '=', userId).orderBy('k.id', 'desc').execute()
export type KeyRow = Awaited<ReturnType<typeof listKeys>>[number]

export const findKey = (tx: Tx, { id, userId }: { id: number; userId: number }) =>
  selectKeys(tx).where('k.id', '=', id).where('k.user_id', '=', userId).executeTakeFirst()

/** Rotation and revocation of a key wait for each other. */
export const lockKey = (tx: Tx, { id, userId }: { id: number; userId: number }) =>
  tx
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()

export const countLiveKeys = async (tx: Tx, userId: number, now: Date) =>
  (
    await tx
      .selectFrom('api_keys')
      .select(e => e.fn.countAll<number>().as('n'))
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now.toISOString())
      .executeTakeFirstOrThrow()
  ).n

interface Revocation {
  at: Date
  by: number | null
  reason: string
}
const revoked = ({ at, by, reason }: Revocation) => ({
  revoked_at: at.toISOString(),
  revoked_by: by,
  revoke_reason: reason,
})

export const revokeKey = (tx: Tx, id: number, revocation: Revocation) =>
  tx.updateTable('api_keys').set(revoked(revocation)).where('id', '=', id).where('revoked_at', 'is', null).execute()

/** The ids of those that it revoked. */
export const revokeAllKeys = async (tx: Tx, userId: number, revocation: Revocation) =>
  (
    await tx
      .updateTable('api_keys')
      .set(revoked(revocation))
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', revocation.at.toISOString())
      .returning('id')
      .execute()
  ).map(({ id }) => id)

/** Never later than it would end anyway. */
export const endKeyAt = (tx: Tx, id: number, expires_at: string) =>
  tx.updateTable('api_keys').set({ expires_at }).where('id', '=', id).where('expires_at', '>', expires_at).execute()

/** The use of a key is written down at most once in so long, so that reading costs no write each time. */
export const usedEveryMs = 60_000

/** Two requests at the same moment write it once. */
export const noteKeyUsed = (tx: Tx, id: number, { at, address }: { at: Date; address: string }) =>
  tx
    .updateTable('api_keys')
    .set({ last_used_at: at.toISOString(), last_used_addr: address })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where(e =>
      e.or([
        e('last_used_at', 'is', null),
        e('last_used_at', '<=', new Date(at.getTime() - usedEveryMs).toISOString()),
      ]),
    )
    .execute()

/** Live keys of active accounts that end within 30 days and have not been told of at the nearest notice. A key that was rotated ends as planned. */
const ending = (tx: Tx, now: Date) => {
  const at = sql`${now.toISOString()}::timestamptz`
  const notice = sql<number>`case when k.expires_at <= ${at} + interval '1 day' then 1
    when k.expires_at <= ${at} + interval '7 days' then 7 else 30 end`
  return tx
    .selectFrom('api_keys as k')
    .innerJoin('users as u', join => join.onRef('u.tenant_id', '=', 'k.tenant_id').onRef('u.id', '=', 'k.user_id'))
    .select(['k.id', 'k.name', 'k.expires_at', 'u.id as user_id', 'u.username', 'u.owner_id'])
    .select(notice.as('days'))
    .where('k.revoked_at', 'is', null)
    .where('u.is_active', '=', true)
    .where(sql<boolean>`k.expires_at > ${at} and k.expires_at <= ${at} + interval '30 days'`)
    .where(sql<boolean>`coalesce(k.warned_days, 31) > ${notice}`)
    .where(sql<boolean>`not exists (select from api_keys n where n.tenant_id = k.tenant_id and n.replaces_id = k.id)`)
}

export const listEnding = (tx: Tx, now: Date, limit: number) =>
  ending(tx, now).orderBy('k.expires_at').orderBy('k.id').limit(limit).execute()

export const lockEnding = (tx: Tx, id: number, now: Date) =>
  ending(tx, now).where('k.id', '=', id).forNoKeyUpdate('k').executeTakeFirst()

export const noteWarned = (tx: Tx, id: number, warned_days: number) =>
  tx.updateTable('api_keys').set({ warned_days }).where('id', '=', id).execute()
