import { type ExpressionBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf, revised } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { OpenItem } from './open-work.ts'

export const serviceAccountSorts = ['username', 'full_name', 'is_active', 'created_at', 'updated_at', 'id'] as const

const selectServiceAccounts = (tx: Tx) =>
  tx
    .selectFrom('users as u')
    .innerJoin('roles as r', join => join.onRef('r.tenant_id', '=', 'u.tenant_id').onRef('r.id', '=', 'u.role_id'))
    .innerJoin('users as o', join => join.onRef('o.tenant_id', '=', 'u.tenant_id').onRef('o.id', '=', 'u.owner_id'))
    .where('u.kind', '=', 'service')

const withColumns = (tx: Tx, now: Date) =>
  selectServiceAccounts(tx)
    .select(['u.id', 'u.username', 'u.full_name', 'u.role_id', 'r.name as role', 'u.granted', 'u.is_active'])
    .select(['u.requests_per_second', 'u.created_at', 'u.updated_at', 'u.revision'])
    .select([personOf('u.created_by').as('created_by'), personOf('u.updated_by').as('updated_by')])
    .select(
      sql<{ id: number; username: string; full_name: string | null; is_active: boolean }>`jsonb_build_object(
        'id', o.id, 'username', o.username, 'full_name', o.full_name, 'is_active', o.is_active)`.as('owner'),
    )
    .select(
      sql<number>`(select count(*)::integer from api_keys k where k.tenant_id = u.tenant_id and k.user_id = u.id
        and k.revoked_at is null and k.expires_at > ${now.toISOString()}::timestamptz)`.as('live_keys'),
    )
    .select(
      sql<
        string | null
      >`(select max(k.last_used_at) from api_keys k where k.tenant_id = u.tenant_id and k.user_id = u.id)`.as(
        'last_used_at',
      ),
    )
export type ServiceAccountRow = Awaited<ReturnType<typeof listServiceAccounts>>[number]

export interface ServiceAccountFilter {
  q?: string | undefined
  is_active?: boolean | undefined
}
const matches =
  ({ q, is_active }: ServiceAccountFilter) =>
  (e: ExpressionBuilder<{ u: Tables['users']; o: Tables['users']; r: Tables['roles'] }, 'u' | 'o' | 'r'>) =>
    e.and([
      ...(q ? [e.or([e('u.username', 'ilike', contains(q)), e('u.full_name', 'ilike', contains(q))])] : []),
      ...(is_active === undefined ? [] : [e('u.is_active', '=', is_active)]),
    ])

export const listServiceAccounts = (
  tx: Tx,
  filter: ServiceAccountFilter,
  { field, direction }: Sort<(typeof serviceAccountSorts)[number]>,
  { limit, offset, now }: { limit: number; offset: number; now: Date },
) =>
  withColumns(tx, now)
    .where(matches(filter))
    .orderBy(`u.${field}`, direction)
    .orderBy('u.id')
    .limit(limit)
    .offset(offset)
    .execute()

export const countServiceAccounts = (tx: Tx, filter: ServiceAccountFilter) =>
  countRows(selectServiceAccounts(tx).where(matches(filter)))

export const findServiceAccount = (tx: Tx, id: number, now: Date) =>
  withColumns(tx, now).where('u.id', '=', id).executeTakeFirst()

/** Changes of the account and of its keys wait for each other. */
export const lockServiceAccount = (tx: Tx, id: number) =>
  tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('kind', '=', 'service')
    .forNoKeyUpdate()
    .executeTakeFirst()

interface NewServiceAccount {
  username: string
  full_name: string
  role_id: number
  granted: string[]
  owner_id: number
  requests_per_second: number | null
}
/** Undefined if the name is taken anywhere in the service. */
export const insertServiceAccount = (tx: Tx, account: NewServiceAccount) =>
  tx
    .insertInto('users')
    .values({ ...account, kind: 'service' })
    .onConflict(on => on.doNothing())
    .returning('id')
    .executeTakeFirst()

export const updateServiceAccount = (
  tx: Tx,
  id: number,
  change: Partial<Omit<NewServiceAccount, 'username'> & { is_active: boolean }>,
) =>
  tx
    .updateTable('users')
    .set({ ...change, ...revised })
    .where('id', '=', id)
    .where('kind', '=', 'service')
    .execute()

const owned = (tx: Tx, ownerId: number) =>
  tx.selectFrom('users').where('kind', '=', 'service').where('is_active', '=', true).where('owner_id', '=', ownerId)

export const listOwnedServices = async (
  tx: Tx,
  ownerId: number,
  { after, limit }: { after: number; limit: number },
): Promise<OpenItem[]> =>
  (
    await owned(tx, ownerId)
      .select(['id', 'username', 'full_name'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
  ).map(({ id, username, full_name }) => ({
    ...{ id, record_id: id, number: username, title: full_name ?? username, status: 'active', due_date: null },
  }))

export const countOwnedServices = (tx: Tx, ownerId: number) => countRows(owned(tx, ownerId))
