import { command, type Origin, query, type Runner, type Services, type Writing } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { adminRoleName, lockGrants, platformRoles, systemRoles } from '#modules/roles'
import type { Database, Tx } from '#platform/db/database.ts'
import { platformTenantId, systemActor } from '../actors.ts'
import { messages } from '../messages.ts'
import { addUser } from '../new-user.ts'
import { acceptPassword, requirePassword } from '../passwords.ts'
import { listTenantsWithWork, type Task } from './due-queries.ts'
import {
  countTenants,
  findTenants,
  hasRoles,
  insertSystemRole,
  insertTenant,
  listPage,
  listStorageUse,
  listTenantIds,
  listUnapproved,
  lockTenant,
  nextTenantId,
  tenantSorts,
  updateTenant,
} from './queries.ts'
import { Tenant, TenantCreate, TenantFilter, TenantRow, TenantUpdate } from './schema.ts'
import { defaultSettings } from './settings.ts'

/** A module's initial content for a new tenant. */
export type TenantSeed = (writing: Writing) => Promise<void>

declare module '#action/definitions.ts' {
  interface Services {
    /** The seeds of every new tenant, in this order. */
    seeds: readonly TenantSeed[]
  }
}

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
    const inherits_role_id = inherits === null ? null : ids.get(inherits)!
    const role = await insertSystemRole(tx, { name, description, inherits_role_id })
    ids.set(name, role.id)
    record('role.created', role.id, { after: role })
  }
  return ids
}

const policyOf = (admin: TenantCreate['admin']) => ({ ...admin, min_length: defaultSettings.password.min_length })

/** Creates the tenant that the actor is bound to, with its Admin and its initial content. */
const createTenant = command({
  summary: 'Create a tenant',
  permission: 'platform.manage_tenants',
  input: { body: TenantCreate },
  response: TenantRow,
  prepare: (_context, { body: { admin } }) => acceptPassword(admin.password, policyOf(admin), 'admin.password'),
  async run({ tx, actor, services, record, prepared: password_hash }, { body: { name, slug = slugOf(name), admin } }) {
    const tenant = await insertTenant(tx, { id: actor.tenantId, name, slug })
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
  reservedId?: number,
): Promise<TenantRow> {
  const tenantId =
    reservedId ?? (await database.transaction({ tenantId: null, userId: null }, 'read write', nextTenantId))
  return runner.run(createTenant, systemActor(tenantId), { body }, { origin })
}

/** The platform's own tenant comes with the migrations; its role is added at the first start. */
export const completePlatform = (runner: Runner, origin: Origin) =>
  runner.inSeparateTransaction(systemActor(platformTenantId), origin, async writing => {
    await lockGrants(writing.tx)
    if (!(await hasRoles(writing.tx))) await insertSystemRoles(writing, platformRoles)
  })

const inPlatform = <T>(database: Database, read: (tx: Tx) => Promise<T>) =>
  database.transaction({ tenantId: platformTenantId, userId: null }, 'read only', read)

const withTenants = new WeakSet<Database>()

/** A company is never removed, so the database is not asked again once there is one. */
export async function hasTenant(database: Database): Promise<boolean> {
  if (!withTenants.has(database)) {
    const found = await inPlatform(database, tx => findTenants(tx, {}).limit(1).execute())
    if (found.length > 0) withTenants.add(database)
  }
  return withTenants.has(database)
}

/** The tenant with the slug, or without a slug the only one; undefined if there is none or more than one. */
export async function findTenant(database: Database, slug: string | undefined): Promise<TenantRow | undefined> {
  const found = await inPlatform(database, tx =>
    findTenants(tx, {})
      .$if(slug !== undefined, query => query.where('slug', '=', slug!))
      .limit(2)
      .execute(),
  )
  return found.length === 1 ? found[0] : undefined
}

async function withUse<T extends TenantRow>(tx: Tx, tenants: readonly T[]) {
  const uses = new Map((await listStorageUse(tx)).map(({ tenant_id, ...use }) => [tenant_id, use]))
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
    await lockTenant(tx, params.id)
    const before = await readTenant(tx, params.id)
    await refuseStale(context, 'tenant', before)
    const change = {
      ...(name !== undefined && { name }),
      ...(is_active !== undefined && { is_active }),
      ...(storage_quota_mb !== undefined && { storage_quota_mb }),
    }
    const after = await updateTenant(tx, params.id, change)
    record('tenant.updated', after.id, { before, after, reason: change_reason ?? null })
    afterCommit(() => services.accounts.changed())
    return presentTenant(tx, after)
  },
})

/** The names of active tenants in which one person alone can change the configuration. */
export const tenantsWithoutConfigurationApproval = async (database: Database): Promise<string[]> =>
  (await inPlatform(database, listUnapproved)).map(({ slug }) => slug)

/** All tenants with an audit trail, including suspended ones and the platform. */
export const allTenants = (database: Database): Promise<number[]> =>
  inPlatform(database, tx => listTenantIds(tx, { activeOnly: false }))

/** Tenants in which a task of the clock may have something to do. `at` is explained by `Task`. */
export const tenantsWithWork = (database: Database, task: Task, at: Date): Promise<number[]> =>
  inPlatform(database, tx => listTenantsWithWork(tx, task, at))

/** Tenants in which schedules have rounds: active ones, without the platform. */
export const activeTenants = (database: Database): Promise<number[]> =>
  inPlatform(database, tx => listTenantIds(tx, { activeOnly: true }))
