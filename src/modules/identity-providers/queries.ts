import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { personOf, revised } from '#platform/db/expressions.ts'
import type { AttemptKind, Claims, Mapping, Provider, VerificationMethod } from './schema.ts'

type Choice<K extends 'token_auth' | 'subject_claim' | 'provisioning' | 'roles_from'> = Provider[K]

const selectProviders = (tx: Tx) =>
  tx
    .selectFrom('identity_providers as p')
    .innerJoin('tenants as t', 't.id', 'p.tenant_id')
    .select(['p.id', 'p.tenant_id', 'p.slug', 'p.name', 'p.issuer', 'p.client_id', 'p.client_secret', 'p.scopes'])
    .select(['p.default_role_id', 'p.is_active', 'p.created_at', 'p.updated_at', 'p.revision', 't.slug as tenant_slug'])
    .select(['p.provider_mfa_values', 'p.signing_tested_at', 'p.may_sign'])
    .select([
      sql<Claims>`p.claims`.as('claims'),
      sql<Choice<'token_auth'>>`p.token_auth`.as('token_auth'),
      sql<Choice<'subject_claim'>>`p.subject_claim`.as('subject_claim'),
      sql<Choice<'provisioning'>>`p.provisioning`.as('provisioning'),
      sql<Choice<'roles_from'>>`p.roles_from`.as('roles_from'),
      sql<Buffer | null>`p.client_secret`.as('client_secret'),
      sql<Buffer | null>`p.seal`.as('seal'),
      sql<number>`(select count(*) from user_identities i where i.provider_id = p.id)`.as('linked_users'),
      sql<Mapping[]>`coalesce((select jsonb_agg(jsonb_build_object('claim_value', m.claim_value, 'role_id', m.role_id,
          'group_id', m.group_id, 'priority', m.priority) order by m.priority desc, m.claim_value, m.id)
        from identity_provider_mappings m where m.provider_id = p.id), '[]')`.as('mappings'),
    ])
    .select([personOf('p.created_by').as('created_by'), personOf('p.updated_by').as('updated_by')])

export const listProviders = (tx: Tx) => selectProviders(tx).orderBy('p.name').orderBy('p.id').execute()
export const findProvider = (tx: Tx, id: number) => selectProviders(tx).where('p.id', '=', id).executeTakeFirst()
export const findProviderBySlug = (tx: Tx, slug: string) =>
  selectProviders(tx).where('p.slug', '=', slug).executeTakeFirst()
export type ProviderRow = NonNullable<Awaited<ReturnType<typeof findProvider>>>

/** Accounts that it makes wait for each other here, so that one person becomes one account. */
export const lockProvider = (tx: Tx, id: number) =>
  tx.selectFrom('identity_providers').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

export const hasOtherActiveProvider = async (tx: Tx, except: number) =>
  (await tx
    .selectFrom('identity_providers')
    .select('id')
    .where('is_active', '=', true)
    .where('id', '<>', except)
    .limit(1)
    .executeTakeFirst()) !== undefined

export const isSlugTaken = async (tx: Tx, slug: string) =>
  (await tx.selectFrom('identity_providers').select('id').where('slug', '=', slug).executeTakeFirst()) !== undefined

export const isClientTaken = async (
  tx: Tx,
  { issuer, client_id, except }: { issuer: string; client_id: string; except: number },
) =>
  (await tx
    .selectFrom('identity_providers')
    .select('id')
    .where('issuer', '=', issuer)
    .where('client_id', '=', client_id)
    .where('id', '<>', except)
    .executeTakeFirst()) !== undefined

interface ProviderValues {
  slug: string
  name: string
  issuer: string
  client_id: string
  token_auth: string
  scopes: string[]
  claims: string
  subject_claim: string
  provisioning: string
  roles_from: string
  default_role_id: number | null
  provider_mfa_values: string[]
  is_active: boolean
}

/** Not active yet: its secret is sealed for the id that it gets here. */
export const insertProvider = (tx: Tx, values: Omit<ProviderValues, 'is_active'>) =>
  tx
    .insertInto('identity_providers')
    .values({ ...values, is_active: false })
    .returning('id')
    .executeTakeFirstOrThrow()

export const completeProvider = (tx: Tx, id: number, values: { client_secret: Buffer; is_active: boolean }) =>
  tx.updateTable('identity_providers').set(values).where('id', '=', id).execute()

export const updateProvider = (
  tx: Tx,
  id: number,
  values: Partial<Omit<ProviderValues, 'slug'>> & {
    client_secret?: Buffer
    signing_tested_at?: string | null
    may_sign?: boolean
  },
) =>
  tx
    .updateTable('identity_providers')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

export const storeSeal = (tx: Tx, id: number, seal: Buffer) =>
  tx.updateTable('identity_providers').set({ seal }).where('id', '=', id).execute()

export const replaceMappings = async (tx: Tx, provider_id: number, mappings: readonly Mapping[]) => {
  await tx.deleteFrom('identity_provider_mappings').where('provider_id', '=', provider_id).execute()
  if (mappings.length > 0)
    await tx
      .insertInto('identity_provider_mappings')
      .values(mappings.map(each => ({ provider_id, ...each })))
      .execute()
}

export const lockProviders = (tx: Tx) =>
  tx.selectFrom('identity_providers').select('id').orderBy('id').forNoKeyUpdate().execute()

const selectIdentities = (tx: Tx) =>
  tx
    .selectFrom('user_identities as i')
    .innerJoin('identity_providers as p', join =>
      join.onRef('p.tenant_id', '=', 'i.tenant_id').onRef('p.id', '=', 'i.provider_id'),
    )
    .select([
      'i.id',
      'i.user_id',
      'i.provider_id',
      'i.subject',
      'i.linked_at',
      'i.last_auth_time',
      'p.name as provider_name',
    ])
    .select(sql<Buffer | null>`i.seal`.as('seal'))
    .select(personOf('i.linked_by').as('linked_by'))

export const listIdentities = (tx: Tx, userId: number) =>
  selectIdentities(tx).where('i.user_id', '=', userId).orderBy('i.id').execute()
export const listIdentitiesOfProvider = (tx: Tx, providerId: number) =>
  selectIdentities(tx).where('i.provider_id', '=', providerId).orderBy('i.id').execute()
export const findIdentity = (tx: Tx, { id, userId }: { id: number; userId: number }) =>
  selectIdentities(tx).where('i.id', '=', id).where('i.user_id', '=', userId).executeTakeFirst()
export const findIdentityBySubject = (tx: Tx, providerId: number, subject: string) =>
  selectIdentities(tx).where('i.provider_id', '=', providerId).where('i.subject', '=', subject).executeTakeFirst()
export const findIdentityOfUser = (tx: Tx, providerId: number, userId: number) =>
  selectIdentities(tx).where('i.provider_id', '=', providerId).where('i.user_id', '=', userId).executeTakeFirst()
/** A password or a passkey that is good. */
export const hasOwnLogin = async (tx: Tx, userId: number) =>
  (
    await sql<{
      has: boolean
    }>`select exists (select from credentials where user_id = ${userId} and password_hash is not null)
      or exists (select from passkeys where user_id = ${userId} and revoked_at is null) as has`.execute(tx)
  ).rows[0]!.has
export type IdentityRow = NonNullable<Awaited<ReturnType<typeof findIdentity>>>

export const insertIdentity = (
  tx: Tx,
  values: { user_id: number; provider_id: number; subject: string; linked_at: string },
) => tx.insertInto('user_identities').values(values).returning('id').executeTakeFirstOrThrow()

export const sealLink = (tx: Tx, id: number, seal: Buffer) =>
  tx.updateTable('user_identities').set({ seal }).where('id', '=', id).execute()

/** No log-in from before counts for a signature from now on. */
export const noteAuthTime = (tx: Tx, id: number, auth_time: number) =>
  tx
    .updateTable('user_identities')
    .set({ last_auth_time: sql`greatest(last_auth_time, ${auth_time}::bigint)` })
    .where('id', '=', id)
    .execute()

/** Two proofs by one log-in wait for each other. */
export const lockIdentityBySubject = async (tx: Tx, providerId: number, subject: string) => {
  await tx
    .selectFrom('user_identities')
    .select('id')
    .where('provider_id', '=', providerId)
    .where('subject', '=', subject)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return findIdentityBySubject(tx, providerId, subject)
}

/** The providers by which the user may sign, that of the session first. */
export const listSigningProviders = (tx: Tx, userId: number, sessionProvider: number | null) =>
  selectProviders(tx)
    .innerJoin('user_identities as i', join =>
      join.onRef('i.tenant_id', '=', 'p.tenant_id').onRef('i.provider_id', '=', 'p.id'),
    )
    .where('i.user_id', '=', userId)
    .where('p.is_active', '=', true)
    .where('p.may_sign', '=', true)
    .orderBy(sql`p.id is not distinct from ${sessionProvider}::bigint`, 'desc')
    .orderBy('p.id')
    .execute()

export const emailOf = async (tx: Tx, userId: number) =>
  (await tx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()).email

export const findProviderOfClient = (tx: Tx, { issuer, client_id }: { issuer: string; client_id: string }) =>
  selectProviders(tx).where('p.issuer', '=', issuer).where('p.client_id', '=', client_id).executeTakeFirst()

export const listKeys = (tx: Tx, providerId: number, jwk_sha256: string) =>
  tx
    .selectFrom('identity_provider_keys')
    .select(['tenant_id', 'provider_id', 'issuer', 'jwk_sha256', sql<Buffer>`seal`.as('seal')])
    .where('provider_id', '=', providerId)
    .where('jwk_sha256', '=', jwk_sha256)
    .execute()

export const insertKey = (
  tx: Tx,
  {
    jwk,
    ...values
  }: { provider_id: number; issuer: string; kid: string | null; jwk: object; jwk_sha256: string; seal: Buffer },
) =>
  tx
    .insertInto('identity_provider_keys')
    .values({ ...values, jwk: JSON.stringify(jwk) })
    .execute()

export const deleteIdentity = (tx: Tx, id: number) => tx.deleteFrom('user_identities').where('id', '=', id).execute()

interface NewAttempt {
  kind: AttemptKind
  provider_id: number
  user_id: number | null
  state_hash: Buffer
  browser_hash: Buffer
  return_to: string
  begun_at: string
  expires_at: string
  challenge_sha256: string | null
  tested_subject: string | null
  tested_auth_time: number | null
}
export const insertAttempt = async (tx: Tx, values: NewAttempt) =>
  (await tx.insertInto('login_attempts').values(values).returning('id').executeTakeFirstOrThrow()).id

export const findAttempt = (tx: Tx, id: number) =>
  tx
    .selectFrom('login_attempts')
    .select(['id', 'provider_id', 'user_id', 'return_to', 'begun_at', 'expires_at', 'used_at'])
    .select(['challenge_sha256', 'tested_subject', 'tested_auth_time'])
    .select([
      sql<AttemptKind>`kind`.as('kind'),
      sql<Buffer>`state_hash`.as('state_hash'),
      sql<Buffer>`browser_hash`.as('browser_hash'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
export type Attempt = NonNullable<Awaited<ReturnType<typeof findAttempt>>>

/** False if it was used before, or its time is over. */
export const spendAttempt = async (tx: Tx, id: number, now: Date) =>
  (
    await tx
      .updateTable('login_attempts')
      .set({ used_at: now.toISOString() })
      .where('id', '=', id)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now.toISOString())
      .executeTakeFirst()
  ).numUpdatedRows === 1n

export const keepIdToken = (tx: Tx, id: number, values: { session_id: number; id_token: Buffer }) =>
  tx.updateTable('login_attempts').set(values).where('id', '=', id).execute()

export const findIdToken = (tx: Tx, sessionId: number) =>
  tx
    .selectFrom('login_attempts')
    .select(['id', sql<Buffer | null>`id_token`.as('id_token')])
    .where('session_id', '=', sessionId)
    .executeTakeFirst()

export const deleteAttempts = async (tx: Tx, before: string) =>
  Number((await tx.deleteFrom('login_attempts').where('begun_at', '<', before).executeTakeFirst()).numDeletedRows)

/** False if the token was taken before. */
export const spendLogoutToken = async (tx: Tx, values: { provider_id: number; jti_hash: Buffer; expires_at: string }) =>
  (await tx
    .insertInto('logout_tokens')
    .values(values)
    .onConflict(on => on.doNothing())
    .returning('provider_id')
    .executeTakeFirst()) !== undefined

export const deleteLogoutTokens = async (tx: Tx, before: string) =>
  Number((await tx.deleteFrom('logout_tokens').where('expires_at', '<', before).executeTakeFirst()).numDeletedRows)

const selectDomains = (tx: Tx) =>
  tx
    .selectFrom('sso_domains')
    .select(['id', 'domain', 'challenge', 'verified_at'])
    .select(sql<VerificationMethod | null>`verified_by_method`.as('verified_by_method'))

export const listDomains = (tx: Tx) => selectDomains(tx).orderBy('domain').execute()
export const findDomain = (tx: Tx, id: number) => selectDomains(tx).where('id', '=', id).executeTakeFirst()
export const findDomainByName = (tx: Tx, domain: string) =>
  selectDomains(tx).where('domain', '=', domain).executeTakeFirst()
export type DomainRow = NonNullable<Awaited<ReturnType<typeof findDomain>>>

export const insertDomain = (tx: Tx, values: { domain: string; challenge: string }) =>
  tx
    .insertInto('sso_domains')
    .values(values)
    .onConflict(on => on.columns(['tenant_id', 'domain']).doNothing())
    .returning('id')
    .executeTakeFirst()

export const verifyDomain = (tx: Tx, id: number, method: VerificationMethod, at: Date) =>
  tx
    .updateTable('sso_domains')
    .set({ verified_at: at.toISOString(), verified_by_method: method })
    .where('id', '=', id)
    .execute()

export const deleteDomain = (tx: Tx, id: number) => tx.deleteFrom('sso_domains').where('id', '=', id).execute()

/** The tenant that verified the domain, in every tenant. */
export const findTenantOfDomain = async (tx: Tx, domain: string) =>
  (await sql<{ tenant_id: number }>`select tenant_id from find_sso_domain(${domain})`.execute(tx)).rows[0]?.tenant_id
