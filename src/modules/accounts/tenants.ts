import { type ExpressionBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { command, type Origin, query, type Runner, type Services, type Writing } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { PageParams, pageOf, parseSort, type Sort } from '#kernel/paging.ts'
import { Body, ChangeFields, Id, IdParams, Nullable, Page, Text, Timestamp, Words } from '#kernel/schema.ts'
import { adminRoleName, lockGrants, platformRoles, systemRoles } from '#modules/roles'
import type { Database, Tx } from '#platform/db/database.ts'
import { contains, countRows } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { platformTenantId, systemActor } from './actors.ts'
import { messages } from './messages.ts'
import { addUser } from './new-user.ts'
import { acceptPassword, requirePassword } from './passwords.ts'
import { Email, Secret, Username } from './schema.ts'
import { defaultSettings } from './settings.ts'

/** The columns, which the audit trail has too. */
const TenantRow = Type.Object({
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  is_active: Type.Boolean(),
  storage_quota_mb: Nullable(
    Type.Integer({ description: 'The files of its records may take so many MiB; null for no limit' }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  revision: Type.Integer(),
})
type TenantRow = Static<typeof TenantRow>
const Tenant = Type.Object({
  ...TenantRow.properties,
  storage_bytes: Type.Integer({ description: 'What the files of its records take' }),
  storage_files: Type.Integer(),
})
type Tenant = Static<typeof Tenant>

/** Nobody could work in a tenant without an Admin, so both are created together. */
export const TenantCreate = Body({
  name: Words(200),
  slug: Type.Optional(Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$', examples: ['acme-pharma'] })),
  admin: Body({
    username: Username,
    email: Email,
    full_name: Type.Optional(Nullable(Words(200))),
    password: Secret,
    must_change_password: Type.Optional(Type.Boolean()),
  }),
})
export type TenantCreate = Static<typeof TenantCreate>
const TenantUpdate = Body({
  name: Type.Optional(Words(200)),
  is_active: Type.Optional(Type.Boolean()),
  storage_quota_mb: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'The files of its records may take so many MiB; null for no limit. Below what they take already, nothing more can be uploaded.',
      }),
    ),
  ),
  ...ChangeFields,
})

const TenantFilter = Type.Object(
  { ...PageParams, q: Type.Optional(Text({ maxLength: 200 })), is_active: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
type TenantFilter = Static<typeof TenantFilter>

/** A module's initial content for a new tenant. */
export type TenantSeed = (writing: Writing) => Promise<void>

declare module '#action/definitions.ts' {
  interface Services {
    /** The seeds of every new tenant, in this order. */
    seeds: readonly TenantSeed[]
  }
}

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
const tenantSorts = ['name', 'slug', 'created_at', 'id'] as const

const maxSlugLength = 63
const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maxSlugLength)
    .replace(/-+$/, '') || 'tenant'

/** System roles are rows, so that users can have them and roles can inherit from them; their grants are in the program. */
async function insertSystemRoles({ tx, record }: Writing, roles: typeof systemRoles): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const [name, { inherits, description }] of Object.entries(roles)) {
    const role = await tx
      .insertInto('roles')
      .values({ name, description, is_system: true, inherits_role_id: inherits === null ? null : ids.get(inherits)! })
      .returning(['id', 'name', 'description', 'is_system', 'inherits_role_id', 'revision'])
      .executeTakeFirstOrThrow()
    ids.set(name, role.id)
    record('role.created', role.id, { after: role })
  }
  return ids
}

/** The transaction of `createTenant` is bound to the new tenant, so its id is taken beforehand. */
const nextTenantId = (database: Database) =>
  database.transaction({ tenantId: null, userId: null }, 'read write', async tx => {
    const { rows } = await sql<{ id: number }>`select nextval('tenants_id_seq') as id`.execute(tx)
    return rows[0]!.id
  })

const policyOf = (admin: TenantCreate['admin']) => ({ ...admin, min_length: defaultSettings.password.min_length })

/** Creates the tenant that the actor is bound to, with its Admin and its initial content. */
const createTenant = command({
  summary: 'Create a tenant',
  permission: 'platform.manage_tenants',
  input: { body: TenantCreate },
  response: TenantRow,
  prepare: (_context, { body: { admin } }) => acceptPassword(admin.password, policyOf(admin), 'admin.password'),
  async run({ tx, actor, services, record, prepared: password_hash }, { body: { name, slug = slugOf(name), admin } }) {
    const tenant = await tx
      .insertInto('tenants')
      .values({ id: actor.tenantId, name, slug })
      .onConflict(on => on.column('slug').doNothing())
      .returning(tenantColumns)
      .executeTakeFirst()
    if (!tenant) throw conflict(messages.tenant_slug_taken({ slug }))
    record('tenant.created', tenant.id, { after: tenant })
    const roles = await insertSystemRoles({ tx, record }, systemRoles)
    await addUser(
      { tx, record },
      {
        ...admin,
        role_id: roles.get(adminRoleName)!,
        password_hash,
        must_change_password: admin.must_change_password ?? false,
      },
    )
    for (const seed of services.seeds) await seed({ tx, record })
    return tenant
  },
})

/** Throws the refusals of a new tenant that need no database. */
export const refuseTenant = ({ admin }: TenantCreate): Promise<void> =>
  requirePassword(admin.password, policyOf(admin), 'admin.password')

/** The system creates the tenant with its Admin in a transaction of that tenant alone. */
export async function makeTenant(
  { database, runner }: Pick<Services, 'database' | 'runner'>,
  body: TenantCreate,
  origin: Origin,
): Promise<TenantRow> {
  const tenantId = await nextTenantId(database)
  return runner.run(createTenant, systemActor(tenantId), { body }, { origin })
}

/** The platform's own tenant comes with the migrations; its role is added at the first start. */
export const completePlatform = (runner: Runner, origin: Origin) =>
  runner.inSeparateTransaction(systemActor(platformTenantId), origin, async writing => {
    await lockGrants(writing.tx)
    const role = await writing.tx.selectFrom('roles').select('id').limit(1).executeTakeFirst()
    if (!role) await insertSystemRoles(writing, platformRoles)
  })

export const hasTenant = async (database: Database) =>
  database.transaction(
    { tenantId: platformTenantId, userId: null },
    'read only',
    async tx => (await findTenants(tx, {}).limit(1).execute()).length > 0,
  )

/** The tenant with the slug, or without a slug the only one; undefined if there is none or more than one. */
export const findTenant = (database: Database, slug: string | undefined): Promise<TenantRow | undefined> =>
  database.transaction({ tenantId: platformTenantId, userId: null }, 'read only', async tx => {
    const all = findTenants(tx, {}).limit(2)
    const found = await (slug === undefined ? all : all.where('slug', '=', slug)).execute()
    return found.length === 1 ? found[0] : undefined
  })

const matches =
  ({ q, is_active }: TenantFilter) =>
  (e: ExpressionBuilder<Tables, 'tenants'>) =>
    e.and([
      e('id', '<>', platformTenantId),
      ...(q ? [e.or([e('name', 'ilike', contains(q)), e('slug', 'ilike', contains(q))])] : []),
      ...(is_active === undefined ? [] : [e('is_active', '=', is_active)]),
    ])

const findTenants = (tx: Tx, filter: TenantFilter) =>
  tx.selectFrom('tenants').select(tenantColumns).where(matches(filter))

const listPage = (
  tx: Tx,
  filter: TenantFilter,
  { field, direction }: Sort<(typeof tenantSorts)[number]>,
  limit: number,
  offset: number,
) => findTenants(tx, filter).orderBy(field, direction).orderBy('id').limit(limit).offset(offset).execute()

const countTenants = (tx: Tx, filter: TenantFilter) => countRows(tx.selectFrom('tenants').where(matches(filter)))

/** The platform alone is answered. */
async function withUse<T extends TenantRow>(tx: Tx, tenants: readonly T[]) {
  const { rows } = await sql<{ tenant_id: number; bytes: number; files: number }>`
    select tenant_id, bytes, files from storage_use_of_tenants()`.execute(tx)
  const uses = new Map(rows.map(({ tenant_id, ...use }) => [tenant_id, use]))
  return tenants.map(tenant => {
    const { bytes, files } = uses.get(tenant.id) ?? { bytes: 0, files: 0 }
    return { ...tenant, storage_bytes: bytes, storage_files: files }
  })
}

const presentTenant = async (tx: Tx, tenant: TenantRow): Promise<Tenant> => (await withUse(tx, [tenant]))[0]!

async function readTenant(tx: Tx, id: number): Promise<TenantRow> {
  const tenant = await findTenants(tx, {}).where('id', '=', id).executeTakeFirst()
  if (!tenant) throw notFound('Tenant')
  return tenant
}

export const listTenants = query({
  summary: 'List tenants',
  permission: 'platform.manage_tenants',
  input: { query: TenantFilter },
  response: Page(Tenant),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, tenantSorts, { field: 'name', direction: 'asc' })
    return pageOf(
      query,
      async (limit, offset) => withUse(tx, await listPage(tx, query, sort, limit, offset)),
      () => countTenants(tx, query),
    )
  },
})

export const tenantDetails = query({
  summary: 'Read a tenant',
  permission: 'platform.manage_tenants',
  input: { params: IdParams },
  response: Tenant,
  run: async ({ tx }, { params }) => presentTenant(tx, await readTenant(tx, params.id)),
})

/**
 * The tenant is created in a transaction of its own, before that of the platform, which only records who asked for it: each audit
 * trail is written in its own tenant, and no transaction sees both.
 */
export const addTenant = command({
  summary: 'Create a tenant with its Admin',
  permission: 'platform.manage_tenants',
  input: { body: TenantCreate },
  response: Tenant,
  prepare: ({ origin, services }, { body }) => {
    if (body.admin.must_change_password === false)
      throw invalidField('admin.must_change_password', messages.user_must_change_password())
    return makeTenant(services, { ...body, admin: { ...body.admin, must_change_password: true } }, origin)
  },
  async run({ tx, record, prepared: tenant }) {
    record('tenant.created', tenant.id, { after: tenant })
    return presentTenant(tx, tenant)
  },
})

export const changeTenant = command({
  summary: 'Change a tenant',
  description: 'Nobody of a tenant that is not active can log in, and their tokens are refused at once.',
  permission: 'platform.manage_tenants',
  input: { params: IdParams, body: TenantUpdate },
  response: Tenant,
  async run(context, { params, body: { name, is_active, storage_quota_mb, change_reason } }) {
    const { tx, services, record, afterCommit } = context
    await sql`select from tenants where id = ${params.id} for no key update`.execute(tx)
    const before = await readTenant(tx, params.id)
    await refuseStale(context, 'tenant', before)
    const change = {
      ...(name !== undefined && { name }),
      ...(is_active !== undefined && { is_active }),
      ...(storage_quota_mb !== undefined && { storage_quota_mb }),
    }
    const after = await tx
      .updateTable('tenants')
      .set({ ...change, updated_at: sql`now()`, revision: sql`revision + 1` })
      .where('id', '=', params.id)
      .returning(tenantColumns)
      .executeTakeFirstOrThrow()
    record('tenant.updated', after.id, { before, after, reason: change_reason ?? null })
    afterCommit(() => services.accounts.changed())
    return presentTenant(tx, after)
  },
})

/** The names of active tenants in which one person alone can change the configuration. */
export const tenantsWithoutConfigurationApproval = (database: Database): Promise<string[]> =>
  database.transaction({ tenantId: platformTenantId, userId: null }, 'read only', async tx => {
    const rows = await findTenants(tx, { is_active: true })
      .where(sql<boolean>`settings ->> 'configuration_needs_approval' is distinct from 'true'`)
      .orderBy('slug')
      .execute()
    return rows.map(({ slug }) => slug)
  })

/** All tenants with an audit trail, including suspended ones and the platform. */
export const allTenants = (database: Database): Promise<number[]> => tenantIds(database, { activeOnly: false })

/** Tenants in which schedules have rounds: active ones, without the platform. */
export const activeTenants = (database: Database): Promise<number[]> => tenantIds(database, { activeOnly: true })

const tenantIds = (database: Database, { activeOnly }: { activeOnly: boolean }) =>
  database.transaction({ tenantId: platformTenantId, userId: null }, 'read only', async tx => {
    const rows = await tx
      .selectFrom('tenants')
      .select('id')
      .$if(activeOnly, query => query.where('is_active', '=', true).where('id', '<>', platformTenantId))
      .orderBy('id')
      .execute()
    return rows.map(({ id }) => id)
  })
