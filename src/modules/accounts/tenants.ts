import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Body, CommonFields, Id, Words } from '#kernel/schema.ts'
import { platformRoles, systemRoles } from '#modules/roles'
import type { Database } from '#platform/db/database.ts'
import { platformTenantId } from './actors.ts'

export const Tenant = Type.Object({ id: Id, slug: Type.String(), name: Type.String(), is_active: Type.Boolean(), revision: Type.Integer(), created_at: CommonFields.created_at })
export type Tenant = Static<typeof Tenant>

export const TenantCreate = Body({ name: Words(200), slug: Type.Optional(Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' })) })

/** What a new tenant begins with, given by the modules that own it. */
export type TenantSeed = (context: Pick<ActionContext<unknown>, 'tx' | 'record'>) => Promise<void>

const tenantColumns = ['id', 'slug', 'name', 'is_active', 'revision', 'created_at'] as const

export const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '') || 'tenant'

/** System roles are rows so that users can have them and other roles inherit from them; what they grant is in the program. */
async function insertSystemRoles({ tx, record }: Parameters<TenantSeed>[0], roles: typeof systemRoles) {
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
}

/** The transaction of `createTenant` is bound to a tenant that is not there yet: it takes the id beforehand. */
export const nextTenantId = (database: Database) =>
  database.transaction({ tenantId: null, userId: null }, 'read write', async tx => {
    const { rows } = await sql<{ id: number }>`select nextval('tenants_id_seq') as id`.execute(tx)
    return rows[0]!.id
  })

/** Makes the tenant that the actor is bound to, with all that it begins with: run as the system actor of `nextTenantId`. */
export const createTenant = (seeds: TenantSeed[]) =>
  command({
    summary: 'Create a tenant',
    permission: 'platform.manage_tenants',
    input: { body: TenantCreate },
    response: Tenant,
    async run({ tx, actor, record }, { body }) {
      const slug = body.slug ?? slugOf(body.name)
      const tenant = await tx
        .insertInto('tenants')
        .values({ id: actor.tenantId, name: body.name, slug })
        .onConflict(on => on.column('slug').doNothing())
        .returning(tenantColumns)
        .executeTakeFirst()
      if (!tenant) throw conflict(`A tenant with the slug ${slug} already exists`)
      record('tenant.created', tenant.id, { after: tenant })
      for (const seed of [(context: Parameters<TenantSeed>[0]) => insertSystemRoles(context, systemRoles), ...seeds]) await seed({ tx, record })
      return tenant
    },
  })

/** The platform's own tenant comes with the migrations; its role is added at the first start. */
export const seedPlatform = command({
  summary: 'Complete the platform tenant',
  permission: 'platform.manage_tenants',
  input: {},
  response: Type.Null(),
  async run({ tx, record }) {
    await insertSystemRoles({ tx, record }, platformRoles)
    return null
  },
})

export const hasPlatformRole = async (database: Database) =>
  database.transaction({ tenantId: platformTenantId, userId: null }, 'read only', async tx => (await tx.selectFrom('roles').select('id').executeTakeFirst()) !== undefined)
