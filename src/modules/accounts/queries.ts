import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Grants } from '#modules/roles'
import type { SessionKind } from '#modules/sessions'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, isoMoment, personOf, revised } from '#platform/db/expressions.ts'
import { type NamedRecord, namedRecords, type SoughtName } from '#platform/db/names.ts'
import type { Tables } from '#platform/db/tables.ts'
import { type Ending, usualEndings } from '#platform/files/media-type.ts'
import { endPasswordLinks } from './link-queries.ts'
import { anywhere } from './rules.ts'
import type { User, UserFilter } from './schema.ts'

export const userSorts = [
  'username',
  'full_name',
  'email',
  'role',
  'is_active',
  'last_login_at',
  'created_at',
  'updated_at',
  'id',
] as const

/** What is known of the last invitation of the user `u`. */
const invitation = sql<User['invitation']>`(select jsonb_build_object(
    'status', case when l.is_used then 'accepted' when l.ended_at is not null then 'ended' when l.expires_at is null then 'queued' else 'sent' end,
    'invited_at', ${isoMoment('l.requested_at')}, 'invited_by', ${personOf('l.requested_by')}, 'expires_at', ${isoMoment('l.expires_at')})
  from password_links l where l.tenant_id = u.tenant_id and l.user_id = u.id and l.purpose = 'invitation'
  order by l.requested_at desc, l.id desc limit 1)`

/** Only a service account has none. */
const email = sql<string>`u.email`.as('email')

// Not by its own name: `personOf` reads `users` itself. A service account has no credentials, so it is no user here.
const joined = (tx: Tx) =>
  tx
    .selectFrom('users as u')
    .innerJoin('roles', join => join.onRef('roles.tenant_id', '=', 'u.tenant_id').onRef('roles.id', '=', 'u.role_id'))
    .innerJoin('credentials', join =>
      join.onRef('credentials.tenant_id', '=', 'u.tenant_id').onRef('credentials.user_id', '=', 'u.id'),
    )

const selectUsers = (tx: Tx) =>
  joined(tx)
    .select(['u.id', 'u.username', email, 'u.full_name', 'roles.name as role', 'u.role_id', 'u.is_active'])
    .select([
      'credentials.must_change_password',
      'credentials.is_break_glass',
      'credentials.last_login_at',
      'u.identity_reset_at',
      'u.created_at',
      'u.updated_at',
      'u.revision',
    ])
    .select(sql<boolean>`credentials.totp_confirmed_at is not null`.as('totp_enrolled'))
    // Inside sessions, and from each address; `anywhere` counts the same log-ins again.
    .select(
      sql<number>`credentials.failed_attempts + coalesce((select sum(failed_attempts)::integer from login_addresses
        where login_addresses.user_id = u.id and address <> ${anywhere}), 0)`.as('failed_attempts'),
    )
    .select(
      sql<string | null>`greatest(credentials.locked_until, (select max(locked_until) from login_addresses
        where login_addresses.user_id = u.id))`.as('locked_until'),
    )
    .select(invitation.as('invitation'))
    .select([personOf('u.created_by').as('created_by'), personOf('u.updated_by').as('updated_by')])
    .select(
      sql<User['identity_verified']>`case when u.identity_verified_at is not null then jsonb_build_object(
        'at', ${isoMoment('u.identity_verified_at')}, 'by', ${personOf('u.identity_verified_by')},
        'method', u.identity_verified_method, 'note', u.identity_verified_note) end`.as('identity_verified'),
    )

const isLocked = (now: string) => sql<boolean>`(coalesce(credentials.locked_until > ${now}, false) or exists (
  select from login_addresses a where a.tenant_id = u.tenant_id and a.user_id = u.id and a.locked_until > ${now}))`

const hasSecondFactor = sql<boolean>`(credentials.totp_confirmed_at is not null or exists (
  select from passkeys p where p.tenant_id = u.tenant_id and p.user_id = u.id and p.revoked_at is null))`

const isLinked = sql<boolean>`exists (
  select from user_identities i where i.tenant_id = u.tenant_id and i.user_id = u.id)`

/** The filter, and the moment at which a lock is one. */
type SoughtUsers = UserFilter & { now: string }

const matches =
  ({ q, role, is_active, invitation: states, is_locked, without_second_factor, source, now }: SoughtUsers) =>
  (e: ExpressionBuilder<Pick<Tables, 'roles'> & { u: Tables['users'] }, 'u' | 'roles'>) =>
    e.and([
      ...(q
        ? [
            e.or([
              e('u.username', 'ilike', contains(q)),
              e('u.email', 'ilike', contains(q)),
              e('u.full_name', 'ilike', contains(q)),
            ]),
          ]
        : []),
      ...(role ? [e('roles.name', 'in', role)] : []),
      ...(is_active === undefined ? [] : [e('u.is_active', '=', is_active)]),
      ...(states ? [sql<boolean>`${invitation} ->> 'status' = any(${states}::text[])`] : []),
      ...(is_locked === undefined ? [] : [sql<boolean>`${isLocked(now)} = ${is_locked}`]),
      ...(without_second_factor === undefined ? [] : [sql<boolean>`${hasSecondFactor} <> ${without_second_factor}`]),
      ...(source === undefined ? [] : [sql<boolean>`${isLinked} = ${source === 'provider'}`]),
    ])

export const listUsers = (
  tx: Tx,
  filter: SoughtUsers,
  { field, direction }: Sort<(typeof userSorts)[number]>,
  limit: number,
  offset: number,
) =>
  selectUsers(tx)
    .where(matches(filter))
    .orderBy(
      field === 'role' ? 'roles.name' : field === 'last_login_at' ? 'credentials.last_login_at' : `u.${field}`,
      // Whoever never logged in stands behind the others, whichever way.
      order => order[direction]().nullsLast(),
    )
    .orderBy('u.id')
    .limit(limit)
    .offset(offset)
    .execute()

export const countUsers = (tx: Tx, filter: SoughtUsers) => countRows(joined(tx).where(matches(filter)))

export const findUser = (tx: Tx, id: number) => selectUsers(tx).where('u.id', '=', id).executeTakeFirst()

export const findUsers = (tx: Tx, ids: readonly number[]) =>
  selectUsers(tx).where('u.id', '=', sql<number>`any(${ids}::bigint[])`).orderBy('u.id').execute()

/** Everybody with the permission to read users may read all of them. */
export const listNamedPeople = (tx: Tx, sought: SoughtName, limit: number): Promise<NamedRecord[]> =>
  tx
    .selectFrom(namedRecords('user', sought, limit))
    .innerJoin('users as u', 'u.id', 'n.record_id')
    .select(['u.id', 'u.username as number', 'n.place'])
    .select([
      sql<string>`coalesce(u.full_name, u.username)`.as('title'),
      sql<string>`case when u.is_active then 'active' else 'inactive' end`.as('status'),
    ])
    .orderBy('n.place')
    .orderBy('u.id', 'desc')
    .limit(limit)
    .execute()

/** Users and service accounts of the tenant that have one of the names or addresses, whatever their case. */
export const listNamed = (tx: Tx, { usernames, emails }: { usernames: readonly string[]; emails: readonly string[] }) =>
  tx
    .selectFrom('users')
    .select(['username', sql<string>`coalesce(email, '')`.as('email')])
    .where(
      sql<boolean>`lower(username) = any(select lower(each) from unnest(${usernames}::text[]) each)
        or lower(email) = any(select lower(each) from unnest(${emails}::text[]) each)`,
    )
    .execute()

export const lockUser = (tx: Tx, id: number) =>
  tx
    .selectFrom('users')
    .select(['id', 'role_id', 'granted', 'denied', 'is_active', 'revision', 'created_by'])
    .select(['identity_reset_at', 'account_openers', 'email_changed_at'])
    .where('id', '=', id)
    .where('kind', '=', 'person')
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Null once another person has verified who the user is. */
export const findIdentityReset = (tx: Tx, id: number) =>
  tx.selectFrom('users').select(['identity_reset_at']).where('id', '=', id).executeTakeFirst()

export const findGrants = (tx: Tx, id: number) =>
  tx
    .selectFrom('users')
    .select(['id', 'role_id', 'granted', 'denied', 'revision'])
    .where('id', '=', id)
    .where('kind', '=', 'person')
    .executeTakeFirst()

interface NewUser {
  username: string
  email: string
  full_name: string | null
  role_id: number
  email_logs_in: boolean
  is_active: boolean
  migration_batch_id: number | null
}
/** Those are missing whose name or address is taken anywhere in the service. */
export const insertUsers = (tx: Tx, users: readonly NewUser[]) =>
  tx
    .insertInto('users')
    .values(users)
    .onConflict(on => on.doNothing())
    .returning(['id', 'username'])
    .execute()

export const insertCredentials = (
  tx: Tx,
  values: readonly { user_id: number; password_hash: string | null; must_change_password: boolean }[],
) => tx.insertInto('credentials').values(values).execute()

type UserChange = Partial<{
  email: string
  email_changed_at: string
  full_name: string | null
  role_id: number
  granted: string[]
  denied: string[]
  is_active: boolean
  identity_reset_at: string | null
  account_openers: number[]
  identity_verified_at: string | null
  identity_verified_by: number | null
  identity_verified_method: string | null
  identity_verified_note: string | null
}>
export const updateUser = (tx: Tx, id: number, change: UserChange) =>
  tx
    .updateTable('users')
    .set({ ...change, ...revised })
    .where('id', '=', id)
    .execute()

export const acceptStatement = (
  tx: Tx,
  id: number,
  { version, accepted_at }: { version: number; accepted_at: string },
) =>
  tx
    .updateTable('users')
    .set({ signature_statement_version: version, signature_statement_accepted_at: accepted_at })
    .where('id', '=', id)
    .execute()

/** Ends all tokens of the user. */
export const endSessions = (tx: Tx, userId: number) =>
  tx
    .updateTable('credentials')
    .set({ session_version: sql`session_version + 1` })
    .where('user_id', '=', userId)
    .execute()

export const findLogin = async (tx: Tx, login: string) =>
  (await sql<{ tenant_id: number; user_id: number }>`select tenant_id, user_id from find_login(${login})`.execute(tx))
    .rows[0]

/** By another user of the tenant, or by anybody whom it logs in, if it is to log this one in. */
export const emailTaken = async (tx: Tx, email: string, userId: number) => {
  const user = await tx.selectFrom('users').select('email_logs_in').where('id', '=', userId).executeTakeFirst()
  const found = user?.email_logs_in === false ? undefined : await findLogin(tx, email)
  if (found !== undefined && found.user_id !== userId) return true
  const holder = await findUserByEmail(tx, email)
  return holder !== undefined && holder !== userId
}

/** The user of the tenant with this address. */
export const findUserByEmail = async (tx: Tx, email: string) =>
  (await tx.selectFrom('users').select('id').where(sql`lower(email)`, '=', sql`lower(${email})`).executeTakeFirst())?.id

/** Accounts that get in without a provider: those who can are active Admins with a confirmed second factor. */
export const listBreakGlass = (tx: Tx) =>
  joined(tx)
    .select(['u.id', 'u.username', 'u.is_active'])
    .select(sql<boolean>`credentials.totp_confirmed_at is not null`.as('has_totp'))
    .where('credentials.is_break_glass', '=', true)
    .orderBy('u.id')
    .execute()

/** Those that nobody has used since, nor been reminded of. */
export const listUntriedBreakGlass = (tx: Tx, since: string) =>
  tx
    .selectFrom('credentials as c')
    .innerJoin('users as u', join => join.onRef('u.tenant_id', '=', 'c.tenant_id').onRef('u.id', '=', 'c.user_id'))
    .select('u.id')
    .where('c.is_break_glass', '=', true)
    .where('u.is_active', '=', true)
    .where(
      sql<boolean>`greatest(c.last_login_at, c.password_changed_at, c.break_glass_reminded_at) < ${since}::timestamptz`,
    )
    .orderBy('u.id')
    .execute()

export const noteBreakGlassReminder = (tx: Tx, userId: number, at: Date) =>
  tx
    .updateTable('credentials')
    .set({ break_glass_reminded_at: at.toISOString() })
    .where('user_id', '=', userId)
    .execute()

export const setBreakGlass = (tx: Tx, userId: number, is_break_glass: boolean) =>
  tx.updateTable('credentials').set({ is_break_glass }).where('user_id', '=', userId).execute()

export const hasIdentities = async (tx: Tx, userId: number) =>
  (await tx.selectFrom('user_identities').select('id').where('user_id', '=', userId).limit(1).executeTakeFirst()) !==
  undefined

export const isProviderActive = async (tx: Tx, id: number) =>
  (await tx.selectFrom('identity_providers').select('is_active').where('id', '=', id).executeTakeFirst())?.is_active ===
  true

/** Whether the tenant has its assistant switched on, as it has until it decides otherwise. */
export const isAssistantOn = async (tx: Tx) =>
  (await tx.selectFrom('assistant_settings').select('is_enabled').executeTakeFirst())?.is_enabled ?? true

const credentialColumns = [
  'credentials.password_hash',
  'credentials.is_break_glass',
  'credentials.previous_hashes',
  'credentials.must_change_password',
  'credentials.password_changed_at',
] as const
const counterColumns = [
  'credentials.totp_secret',
  'credentials.totp_confirmed_at',
  'credentials.totp_last_step',
  'credentials.failed_attempts',
  'credentials.locked_until',
  'credentials.session_version',
] as const

const selectCredentials = (tx: Tx) =>
  joined(tx)
    .innerJoin('tenants', 'tenants.id', 'u.tenant_id')
    .select([...credentialColumns, ...counterColumns])
    .select(['u.id', 'u.username', email, 'u.full_name', 'u.revision', 'roles.name as role'])
    .select(['u.identity_verified_at', 'u.identity_reset_at', 'u.signature_statement_version'])
    .select(['tenants.id as tenant_id', 'tenants.name as tenant_name', 'tenants.slug as tenant_slug'])
    .select(sql<boolean>`u.is_active and tenants.is_active`.as('is_active'))

/** The only query that reads secrets. */
export const findCredentials = (tx: Tx, userId: number) =>
  selectCredentials(tx).where('u.id', '=', userId).executeTakeFirst()
export type Credentials = NonNullable<Awaited<ReturnType<typeof findCredentials>>>

/** Attempts wait for each other here, so that none is missing from the count of failures. */
export const lockCredentials = (tx: Tx, userId: number) =>
  selectCredentials(tx).where('u.id', '=', userId).forNoKeyUpdate('credentials').executeTakeFirstOrThrow()

export const countFailure = (tx: Tx, userId: number, failed_attempts: number, locked_until: Date | null) =>
  tx
    .updateTable('credentials')
    .set({ failed_attempts, locked_until: locked_until?.toISOString() ?? null })
    .where('user_id', '=', userId)
    .execute()

export const clearFailures = (tx: Tx, userId: number) =>
  tx
    .updateTable('credentials')
    .set({ failed_attempts: 0, locked_until: null })
    .where('user_id', '=', userId)
    .where(e => e.or([e('failed_attempts', '>', 0), e('locked_until', 'is not', null)]))
    .execute()

/** The counters of the address and of all unknown addresses. */
export const listLoginAddresses = (tx: Tx, userId: number | null, address: string) =>
  tx
    .selectFrom('login_addresses')
    .select(['address', 'failed_attempts', 'locked_until', 'logged_in_at', 'repeated', 'repeated_since'])
    .where('user_id', userId === null ? 'is' : '=', userId)
    .where('address', 'in', [address, anywhere])
    .orderBy('address')
    .forNoKeyUpdate()
    .execute()
export type LoginAddress = Awaited<ReturnType<typeof listLoginAddresses>>[number]

export const storeLoginAddress = (
  tx: Tx,
  user_id: number | null,
  { address, ...counted }: LoginAddress,
  last_attempt_at: string,
) =>
  tx
    .insertInto('login_addresses')
    .values({ user_id, address, ...counted, last_attempt_at })
    .onConflict(on => on.columns(['tenant_id', 'user_id', 'address']).doUpdateSet({ ...counted, last_attempt_at }))
    .execute()

export const noteLogin = (tx: Tx, userId: number, at: Date) =>
  tx.updateTable('credentials').set({ last_login_at: at.toISOString() }).where('user_id', '=', userId).execute()

/** Ends every lock of the user, and forgets the failures. */
export const clearAllFailures = async (tx: Tx, userId: number) => {
  await clearFailures(tx, userId)
  await tx
    .updateTable('login_addresses')
    .set({ failed_attempts: 0, locked_until: null })
    .where('user_id', '=', userId)
    .execute()
}

/** Counted failures whose period is over. */
export const lockRepeated = (tx: Tx, before: string, limit: number) =>
  tx
    .selectFrom('login_addresses')
    .select(['user_id', 'address', 'repeated', 'repeated_since', 'last_attempt_at'])
    .where('repeated', '>', 0)
    .where('repeated_since', '<=', before)
    .orderBy('repeated_since')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute()

export const clearRepeated = (tx: Tx, userId: number | null, address: string) =>
  tx
    .updateTable('login_addresses')
    .set({ repeated: 0, repeated_since: null })
    .where('user_id', userId === null ? 'is' : '=', userId)
    .where('address', '=', address)
    .execute()

/** Addresses without a successful log-in, and those of a log-in long ago. */
export const forgetLoginAddresses = (tx: Tx, { failed, loggedIn }: { failed: string; loggedIn: string }) =>
  tx
    .deleteFrom('login_addresses')
    .where('repeated', '=', 0)
    .where('last_attempt_at', '<', failed)
    .where(e => e.or([e('logged_in_at', 'is', null), e('logged_in_at', '<', loggedIn)]))
    .execute()

/** False if this code or a later one was already used. */
export const spendTotpStep = async (tx: Tx, userId: number, step: number) => {
  const { numUpdatedRows } = await tx
    .updateTable('credentials')
    .set({ totp_last_step: step })
    .where('user_id', '=', userId)
    .where('totp_last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Ends the open link too. The new session version; undefined if the password changed after it was checked. */
export const replacePassword = async (
  tx: Tx,
  userId: number,
  {
    from,
    to,
    previous,
    must_change_password,
    at,
  }: { from: string | null; to: string; previous: string[]; must_change_password: boolean; at: Date },
) => {
  await endPasswordLinks(tx, userId, at)
  return tx
    .updateTable('credentials')
    .set({
      password_hash: to,
      previous_hashes: previous,
      password_changed_at: at.toISOString(),
      must_change_password,
      failed_attempts: 0,
      locked_until: null,
      session_version: sql`session_version + 1`,
    })
    .where('user_id', '=', userId)
    .where('password_hash', from === null ? 'is' : '=', from)
    .returning('session_version')
    .executeTakeFirst()
}

export const storeTotp = (
  tx: Tx,
  userId: number,
  totp_secret: Buffer | null,
  confirmed: { at: Date; step: number } | null = null,
) =>
  tx
    .updateTable('credentials')
    .set({
      totp_secret,
      totp_confirmed_at: confirmed?.at.toISOString() ?? null,
      ...(confirmed && { totp_last_step: confirmed.step }),
      session_version: sql`session_version + 1`,
    })
    .where('user_id', '=', userId)
    .returning('session_version')
    .executeTakeFirstOrThrow()

const selectTotpSecrets = (tx: Tx) =>
  tx
    .selectFrom('credentials')
    .select(['user_id', sql<Buffer>`totp_secret`.as('totp_secret')])
    .where('totp_secret', 'is not', null)
    .orderBy('user_id')

export const listTotpSecrets = (tx: Tx) => selectTotpSecrets(tx).execute()
/** Nobody enrols another second factor meanwhile. */
export const lockTotpSecrets = (tx: Tx) => selectTotpSecrets(tx).forNoKeyUpdate().execute()

/** An unconfirmed secret has no effect, so no token ends. */
export const offerTotp = (tx: Tx, userId: number, totp_secret: Buffer) =>
  tx.updateTable('credentials').set({ totp_secret }).where('user_id', '=', userId).execute()

interface RoleRow extends Grants {
  name: string
  is_system: boolean
}

const roleColumns = ['r.tenant_id', 'r.name', 'r.is_system', 'r.granted', 'r.denied', 'r.inherits_role_id'] as const

/** An account with its role and the roles that this inherits from, the nearest first. */
const accountRow = (tx: Tx, userId: RawBuilder<number>) =>
  tx
    .withRecursive('chain', db =>
      db
        .selectFrom('users as u')
        .innerJoin('roles as r', join => join.onRef('r.tenant_id', '=', 'u.tenant_id').onRef('r.id', '=', 'u.role_id'))
        .where('u.id', '=', userId)
        .select([...roleColumns, sql<number>`0`.as('distance')])
        .unionAll(
          db
            .selectFrom('roles as r')
            .innerJoin('chain as c', join =>
              join.onRef('c.tenant_id', '=', 'r.tenant_id').onRef('c.inherits_role_id', '=', 'r.id'),
            )
            .where('c.distance', '<', 20)
            .select([...roleColumns, sql<number>`c.distance + 1`.as('distance')]),
        ),
    )
    .selectFrom('users as u')
    .innerJoin('tenants as t', 't.id', 'u.tenant_id')
    .where('u.id', '=', userId)
    .select(['u.tenant_id', 'u.id', 'u.username', 'u.full_name', 'u.granted', 'u.denied'])
    .select(sql<boolean>`u.is_active and t.is_active`.as('is_active'))
    .select(
      sql<
        RoleRow[]
      >`(select jsonb_agg(jsonb_build_object('name', name, 'is_system', is_system, 'granted', granted, 'denied', denied) order by distance) from chain)`.as(
        'roles',
      ),
    )

/** The account of a person, with that session if it is theirs. */
export const findAccountRow = (tx: Tx, userId: number, sessionId: number | null) =>
  accountRow(tx, sql`${userId}::bigint`)
    .innerJoin('credentials as c', join =>
      join.onRef('c.tenant_id', '=', 'u.tenant_id').onRef('c.user_id', '=', 'u.id'),
    )
    .leftJoin('sessions as s', join =>
      join
        .onRef('s.tenant_id', '=', 'u.tenant_id')
        .onRef('s.user_id', '=', 'u.id')
        .on('s.id', '=', sessionId ?? 0),
    )
    .select([
      's.id as session_id',
      's.provider_id',
      's.provider_sid',
      's.amr',
      's.auth_time',
      's.last_seen_at',
      's.expires_at',
      's.idle_minutes',
    ])
    .select('s.session_version as version_of_session')
    .select([
      sql<SessionKind | null>`s.kind`.as('session_kind'),
      sql<Buffer | null>`s.secret_hash`.as('secret_hash'),
      sql<boolean>`s.revoked_at is not null`.as('is_ended'),
      sql<number | null>`(t.settings ->> 'session_idle_minutes')::integer`.as('session_idle_minutes'),
      sql<number | null>`(t.settings ->> 'session_max_hours')::integer`.as('session_max_hours'),
    ])
    .select(['c.session_version', 'c.must_change_password'])
    .select(sql<boolean>`c.totp_confirmed_at is not null`.as('has_totp'))
    .executeTakeFirst()

/** The endings of files that the tenant of the transaction accepts. */
export const findUploadTypes = async (tx: Tx): Promise<readonly Ending[]> =>
  (
    await sql<{ types: Ending[] | null }>`
      select settings -> 'upload_types' as types from tenants where id = (select current_tenant())`.execute(tx)
  ).rows[0]?.types ?? usualEndings

/** The service account of a key, with the key. */
export const findKeyAccountRow = (tx: Tx, keyId: number) =>
  accountRow(tx, sql`(select user_id from api_keys where id = ${keyId}::bigint)`)
    .innerJoin('api_keys as k', join => join.onRef('k.tenant_id', '=', 'u.tenant_id').onRef('k.user_id', '=', 'u.id'))
    .where('k.id', '=', keyId)
    .where('u.kind', '=', 'service')
    .select(['k.id as key_id', 'k.name as key_name', 'k.permissions as key_permissions', 'k.networks'])
    .select(['k.expires_at', 'k.revoked_at', 'k.last_used_at', 'u.requests_per_second', 'u.owner_id'])
    .select(sql<Buffer>`k.secret_hash`.as('secret_hash'))
    .executeTakeFirst()

/** Those of these people who exist. */
export const listUserIds = async (tx: Tx, ids: readonly number[]) =>
  (
    await tx
      .selectFrom('users')
      .select('id')
      .where('kind', '=', 'person')
      .where('id', '=', sql<number>`any(${ids}::bigint[])`)
      .execute()
  ).map(({ id }) => id)

/** Those of these groups that exist, and are not deleted. */
export const listGroupIds = async (tx: Tx, ids: readonly number[]) =>
  (
    await tx
      .selectFrom('groups')
      .select('id')
      .where('id', '=', sql<number>`any(${ids}::bigint[])`)
      .where('deleted_at', 'is', null)
      .execute()
  ).map(({ id }) => id)
