import { type ExpressionBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { platformTenantId } from '../actors.ts'
import type { TenantFilter } from './schema.ts'

const tenantColumns = [
  'id',
  'slug',
  'name',
  'is_active',
  'storage_quota_mb',
  'created_at',
  'updated_at',
  'revision',
] as const
export const tenantSorts = ['name', 'slug', 'created_at', 'id'] as const

const matches =
  ({ q, is_active }: TenantFilter) =>
  (e: ExpressionBuilder<Tables, 'tenants'>) =>
    e.and([
      e('id', '<>', platformTenantId),
      ...(q ? [e.or([e('name', 'ilike', contains(q)), e('slug', 'ilike', contains(q))])] : []),
      ...(is_active === undefined ? [] : [e('is_active', '=', is_active)]),
    ])

export const findTenants = (tx: Tx, filter: TenantFilter) =>
  tx.selectFrom('tenants').select(tenantColumns).where(matches(filter))

export const listPage = (
  tx: Tx,
  filter: TenantFilter,
  { field, direction }: Sort<(typeof tenantSorts)[number]>,
  limit: number,
  offset: number,
) => findTenants(tx, filter).orderBy(field, direction).orderBy('id').limit(limit).offset(offset).execute()

export const countTenants = (tx: Tx, filter: TenantFilter) => countRows(tx.selectFrom('tenants').where(matches(filter)))

export const lockTenant = (tx: Tx, id: number) =>
  sql`select from tenants where id = ${id} for no key update`.execute(tx)

/** Undefined if another tenant has the slug. */
export const insertTenant = (tx: Tx, tenant: { id: number; slug: string; name: string }) =>
  tx
    .insertInto('tenants')
    .values(tenant)
    .onConflict(on => on.column('slug').doNothing())
    .returning(tenantColumns)
    .executeTakeFirst()

export const updateTenant = (
  tx: Tx,
  id: number,
  change: { name?: string; is_active?: boolean; storage_quota_mb?: number | null; settings?: string },
) =>
  tx
    .updateTable('tenants')
    .set({ ...change, updated_at: sql`now()`, revision: sql`revision + 1` })
    .where('id', '=', id)
    .returning(tenantColumns)
    .executeTakeFirstOrThrow()

export const insertSystemRole = (
  tx: Tx,
  role: { name: string; description: string; inherits_role_id: number | null },
) =>
  tx
    .insertInto('roles')
    .values({ ...role, is_system: true })
    .returning(['id', 'name', 'description', 'is_system', 'inherits_role_id', 'revision'])
    .executeTakeFirstOrThrow()

export const hasRoles = async (tx: Tx) =>
  (await tx.selectFrom('roles').select('id').limit(1).executeTakeFirst()) !== undefined

/** A transaction that creates a tenant is bound to it, so its id is taken beforehand. */
export const nextTenantId = async (tx: Tx) =>
  (await sql<{ id: number }>`select nextval('tenants_id_seq') as id`.execute(tx)).rows[0]!.id

/** What the files of each tenant take. The platform alone is answered. */
export const listStorageUse = async (tx: Tx) =>
  (
    await sql<{ tenant_id: number; bytes: number; files: number }>`
      select tenant_id, bytes, files from storage_use_of_tenants()`.execute(tx)
  ).rows

export const listUnapproved = (tx: Tx) =>
  findTenants(tx, { is_active: true })
    .where(sql<boolean>`settings ->> 'configuration_needs_approval' is distinct from 'true'`)
    .orderBy('slug')
    .execute()

export const listTenantIds = async (tx: Tx, { activeOnly }: { activeOnly: boolean }) =>
  (
    await tx
      .selectFrom('tenants')
      .select('id')
      .$if(activeOnly, query => query.where('is_active', '=', true).where('id', '<>', platformTenantId))
      .orderBy('id')
      .execute()
  ).map(({ id }) => id)

const currentTenant = sql<number>`(select current_tenant())`

const storedRow = builtOnce(tx =>
  tx.selectFrom('tenants').select(['id', 'settings', 'revision']).where('id', '=', currentTenant),
)
export const findSettings = async (tx: Tx) => (await storedRow(tx, {}))[0]

/** How many people would be touched by a rule of signing or log-in. Machines have no credentials. */
export const countPeople = async (tx: Tx) =>
  (
    await sql<{
      active: number
      without_second_factor: number
      without_verified_identity: number
      without_passkey: number
    }>`
      select count(*) as active, count(*) filter (where c.totp_confirmed_at is null) as without_second_factor,
        count(*) filter (where u.identity_verified_at is null) as without_verified_identity,
        count(*) filter (where not exists (select from passkeys p
          where p.tenant_id = u.tenant_id and p.user_id = u.id and p.revoked_at is null)) as without_passkey
      from users u join credentials c on c.tenant_id = u.tenant_id and c.user_id = u.id where u.is_active`.execute(tx)
  ).rows[0]!

interface LastChange {
  field: string
  changed_at: string
  changed_by: Person | null
  change_reason: string | null
}

/** The last entry about each setting. A part of one, as in `due_days.minor`, is a change of the whole. */
export const listLastChanges = async (tx: Tx, tenantId: number) =>
  (
    await sql<LastChange>`
      select distinct on (field) split_part(c.key, '.', 1) as field, e.occurred_at as changed_at, ${personOf('e.user_id')} as changed_by,
        e.reason as change_reason
      from audit_entries e, json_each(e.changes) c
      where e.action = 'settings.updated' and e.resource_type = 'settings' and e.resource_id = ${tenantId} and e.outcome = 'success'
        and c.key <> 'revision'
      order by field, e.id desc`.execute(tx)
  ).rows

export const lockSettings = (tx: Tx) =>
  sql`select from tenants where id = ${currentTenant} for no key update`.execute(tx)

export const listTypePatterns = (tx: Tx) =>
  tx.selectFrom('document_types').select(['id', 'name', 'number_pattern']).orderBy('id').execute()

export const findFormTemplate = (tx: Tx, id: number) =>
  tx.selectFrom('form_templates').select(['name', 'is_active']).where('id', '=', id).executeTakeFirst()

export const nameOfTenant = async (tx: Tx) =>
  (await tx.selectFrom('tenants').select('name').where('id', '=', currentTenant).executeTakeFirstOrThrow()).name

export const hasDocument = async (tx: Tx, id: number) =>
  (await tx.selectFrom('documents').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
