// The accounts of a review: those of today, and those that were reviewed.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, isoMoment } from '#platform/db/expressions.ts'
import { dormantAfterDays } from './rules.ts'
import type { Account, AccountFilter } from './schema.ts'

export const accountSorts = ['username', 'full_name', 'role', 'last_login_at', 'dormant_since', 'user_id'] as const

const columns = [
  ...(['user_id', 'username', 'full_name', 'role', 'is_active', 'source'] as const),
  ...(['last_login_at', 'dormant_since', 'locked_until'] as const),
  ...(['second_factor', 'identity_verified', 'granted', 'denied'] as const),
]
type Row = Omit<Account, 'granted_count' | 'denied_count'>

/** The accounts as they are at this moment. */
export function accountsNow(tx: Tx, now: Date) {
  const at = sql`${now.toISOString()}::timestamptz`
  // A service account does not log in: its keys are used.
  const lastUse = sql`coalesce(c.last_login_at,
    (select max(k.last_used_at) from api_keys k where k.tenant_id = u.tenant_id and k.user_id = u.id))`
  const dormant = sql`coalesce(${lastUse}, u.created_at) + make_interval(hours => ${dormantAfterDays * 24})`
  const locked = sql`greatest(c.locked_until, (select max(l.locked_until) from login_addresses l where l.user_id = u.id))`
  return tx
    .selectFrom('users as u')
    .innerJoin('roles as r', on => on.onRef('r.tenant_id', '=', 'u.tenant_id').onRef('r.id', '=', 'u.role_id'))
    .leftJoin('credentials as c', on => on.onRef('c.tenant_id', '=', 'u.tenant_id').onRef('c.user_id', '=', 'u.id'))
    .select(['u.id as user_id', 'u.username', 'u.full_name', 'r.name as role', 'u.is_active'])
    .select([
      sql<Row['source']>`case u.kind when 'person' then 'local' else 'service' end`.as('source'),
      sql<string | null>`${lastUse}`.as('last_login_at'),
      sql<string | null>`case when u.is_active and ${dormant} <= ${at} then ${dormant} end`.as('dormant_since'),
      sql<string | null>`case when ${locked} > ${at} then ${locked} end`.as('locked_until'),
      sql<boolean>`c.totp_confirmed_at is not null`.as('second_factor'),
      sql<boolean>`u.identity_verified_at is not null`.as('identity_verified'),
      'u.granted',
      'u.denied',
    ])
}

/** The accounts as a review has kept them. */
export const accountsOf = (tx: Tx, reviewId: number) =>
  tx
    .selectFrom('access_review_accounts')
    .select(columns)
    .where('access_review_id', '=', reviewId)
    .$narrowType<Pick<Row, 'source'>>()

type Accounts = ReturnType<typeof accountsNow> | ReturnType<typeof accountsOf>

const all = (tx: Tx, accounts: Accounts) => tx.selectFrom((accounts as ReturnType<typeof accountsOf>).as('a'))

/** Last log-in and lock change by use, so a review would never be of the present list. */
const hashOf = (alias: string): RawBuilder<Buffer> => {
  const of = (name: string) => sql.ref(`${alias}.${name}`)
  return sql`sha256(convert_to(jsonb_build_array(${sql.join([
    ...['user_id', 'username', 'full_name', 'role', 'is_active', 'source'].map(of),
    isoMoment(`${alias}.dormant_since`),
    ...['second_factor', 'identity_verified', 'granted', 'denied'].map(of),
  ])})::text, 'UTF8'))`
}

/** How many accounts there are, how many of them are the person's own, and the hash of all. */
export const summarize = (tx: Tx, accounts: Accounts, userId: number | null = null) =>
  all(tx, accounts)
    .select([
      sql<number>`count(*)`.as('accounts'),
      sql<number>`count(*) filter (where a.user_id = ${userId}::bigint)`.as('own_accounts'),
      sql<string>`encode(sha256(coalesce(string_agg(${hashOf('a')}, ''::bytea order by a.user_id), ''::bytea)), 'hex')`.as(
        'accounts_sha256',
      ),
    ])
    .executeTakeFirstOrThrow()

type Narrowing = Pick<AccountFilter, 'q' | 'role' | 'is_active' | 'is_dormant'>

const matching = (tx: Tx, accounts: Accounts, { q, role, is_active, is_dormant }: Narrowing) =>
  all(tx, accounts)
    .$if(q !== undefined, query =>
      query.where(e => e.or([e('a.username', 'ilike', contains(q!)), e('a.full_name', 'ilike', contains(q!))])),
    )
    .$if(role !== undefined, query => query.where('a.role', '=', role!))
    .$if(is_active !== undefined, query => query.where('a.is_active', '=', is_active!))
    .$if(is_dormant !== undefined, query => query.where('a.dormant_since', is_dormant ? 'is not' : 'is', null))

const shown = (row: Row): Account => ({
  ...row,
  granted_count: row.granted.length,
  denied_count: row.denied.length,
})

export const listAccounts = async (
  tx: Tx,
  accounts: Accounts,
  filter: Narrowing,
  { field, direction }: Sort<(typeof accountSorts)[number]>,
  limit: number,
  offset: number,
) =>
  (
    await matching(tx, accounts, filter)
      .selectAll()
      .orderBy(`a.${field}`, direction)
      .orderBy('a.user_id')
      .limit(limit)
      .offset(offset)
      .execute()
  ).map(shown)

export const countAccounts = (tx: Tx, accounts: Accounts, filter: Narrowing) =>
  countRows(matching(tx, accounts, filter))

/** A page of an export, in the order of the ids. */
export const listAccountsAfter = async (
  tx: Tx,
  accounts: Accounts,
  filter: Narrowing,
  after: number,
  limit: number,
): Promise<Account[]> =>
  (
    await matching(tx, accounts, filter)
      .selectAll()
      .where('a.user_id', '>', after)
      .orderBy('a.user_id')
      .limit(limit)
      .execute()
  ).map(shown)

/** How many accounts were added, removed or changed since the review. */
export const countChanged = async (tx: Tx, reviewId: number, now: Date): Promise<number> =>
  (
    await sql<{ n: number }>`
      select count(*) as n from (${accountsOf(tx, reviewId)}) o full join (${accountsNow(tx, now)}) n using (user_id)
      where ${isOther()}`.execute(tx)
  ).rows[0]!.n

const isOther = (): Expression<SqlBool> =>
  sql`o.username is null or n.username is null or ${hashOf('o')} <> ${hashOf('n')}`

/** Keeps the accounts as they are now with the review. */
export const keepAccounts = (tx: Tx, reviewId: number, now: Date) =>
  tx
    .insertInto('access_review_accounts')
    .columns(['access_review_id', ...columns])
    .expression(
      tx
        .selectFrom(accountsNow(tx, now).as('a'))
        .select(sql<number>`${reviewId}::bigint`.as('access_review_id'))
        .select(columns.map(name => `a.${name}` as const)),
    )
    .execute()
