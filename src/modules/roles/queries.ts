import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf, revised } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { grantsOfSystemRole, type RoleTable } from './rules.ts'
import type { RoleFilter, RoleSummary } from './schema.ts'

export const roleSorts = ['name', 'id', 'created_at', 'updated_at'] as const

/**
 * Every change of permissions holds this lock until its transaction ends. Two changes that are harmless alone can together leave a
 * tenant without an Admin, or roles that inherit from each other.
 */
export const lockGrants = (tx: Tx) =>
  sql`select from tenants where id = (select current_tenant()) for no key update`.execute(tx)

/** All roles of the tenant with their grants; a tenant has some tens of roles. */
export async function readRoles(tx: Tx): Promise<RoleTable> {
  const rows = await readRoleRows(tx, {})
  return new Map(
    rows.map(({ is_system, ...role }) => [role.id, is_system ? { ...role, ...grantsOfSystemRole(role.name) } : role]),
  )
}

const readRoleRows = builtOnce(tx =>
  tx.selectFrom('roles').select(['id', 'name', 'is_system', 'inherits_role_id', 'granted', 'denied']),
)

/** The active people, with what decides about their permissions. Service accounts decide nothing, and are asked and told nothing. */
export const listRoleHolders = (tx: Tx) => roleHolders(tx, {})
const roleHolders = builtOnce(tx =>
  tx
    .selectFrom('users')
    .select(['id', 'role_id', 'granted', 'denied'])
    .where('is_active', '=', true)
    .where('kind', '=', 'person')
    .orderBy('id'),
)

/** An SQL condition: the row of `users`, by its alias in the statement, is a person who holds the permission, which the roles `giving` give. */
export function holdsPermission(users: string, permission: string, giving: readonly number[]): RawBuilder<boolean> {
  const [kind, role_id, granted, denied] = ['kind', 'role_id', 'granted', 'denied'].map(column =>
    sql.ref(`${users}.${column}`),
  )
  return sql`(${kind} = 'person' and (${role_id} = any(${giving}::bigint[]) or ${permission} = any(${granted})) and ${permission} <> all(${denied}))`
}

/** Those of them who hold a permission, which `giving` are the roles that give it. */
export const listRoleHoldersWith = (tx: Tx, permission: string, giving: readonly number[]) =>
  roleHoldersWith(tx, { permission, giving })
const roleHoldersWith = builtOnce((tx, { permission, giving }: { permission: string; giving: readonly number[] }) =>
  tx
    .selectFrom('users')
    .select(['id', 'role_id', 'granted', 'denied'])
    .where('is_active', '=', true)
    .where(holdsPermission('users', permission, giving))
    .orderBy('id'),
)

/** The active people by name, with what decides about their permissions. */
export const listNamedHolders = (tx: Tx) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name', 'role_id', 'granted', 'denied'])
    .where('is_active', '=', true)
    .where('kind', '=', 'person')
    .orderBy(sql`coalesce(full_name, username)`)
    .orderBy('id')
    .execute()

const selectRoles = (tx: Tx) =>
  tx
    .selectFrom('roles')
    .select(['id', 'name', 'description', 'is_system', 'granted', 'denied', 'created_at', 'updated_at', 'revision'])
    .select([personOf('roles.created_by').as('created_by'), personOf('roles.updated_by').as('updated_by')])
    .select(
      sql<{
        id: number
        name: string
      } | null>`(select jsonb_build_object('id', i.id, 'name', i.name) from roles i where i.id = roles.inherits_role_id)`.as(
        'inherits',
      ),
    )
    .select(sql<number>`(select count(*) from users u where u.role_id = roles.id)`.as('user_count'))

/** The grants of a system role are in the program; they are shown as if they were in its row. */
const withGrants = <R extends { name: string; is_system: boolean }>(role: R) =>
  role.is_system ? { ...role, ...mutable(grantsOfSystemRole(role.name)) } : role
const mutable = ({ granted, denied }: ReturnType<typeof grantsOfSystemRole>) => ({
  granted: [...granted],
  denied: [...denied],
})

const matches =
  ({ q, is_system }: RoleFilter) =>
  (e: ExpressionBuilder<Tables, 'roles'>) =>
    e.and([
      ...(q ? [e.or([e('name', 'ilike', contains(q)), e('description', 'ilike', contains(q))])] : []),
      ...(is_system === undefined ? [] : [e('is_system', '=', is_system)]),
    ])

export async function listRoles(
  tx: Tx,
  filter: RoleFilter,
  { field, direction }: Sort<(typeof roleSorts)[number]>,
  limit: number,
  offset: number,
): Promise<RoleSummary[]> {
  const rows = await selectRoles(tx)
    .where(matches(filter))
    .orderBy(field, direction)
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(withGrants)
}

export const countRoles = (tx: Tx, filter: RoleFilter) => countRows(tx.selectFrom('roles').where(matches(filter)))

export async function findRole(tx: Tx, id: number): Promise<RoleSummary | undefined> {
  const role = await selectRoles(tx).where('id', '=', id).executeTakeFirst()
  return role && withGrants(role)
}

export const findRoleByName = (tx: Tx, name: string) =>
  tx.selectFrom('roles').select(['id', 'name']).where('name', '=', name).executeTakeFirst()

interface RoleValues {
  description: string
  inherits_role_id: number | null
  granted: string[]
  denied: string[]
}

export const insertRole = (tx: Tx, values: RoleValues & { name: string }) =>
  tx
    .insertInto('roles')
    .values(values)
    .onConflict(on => on.columns(['tenant_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()

export const updateRole = (tx: Tx, id: number, values: RoleValues) =>
  tx
    .updateTable('roles')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

export const deleteRole = (tx: Tx, id: number) => tx.deleteFrom('roles').where('id', '=', id).execute()

/** Counts the people, roles, workflow templates and curricula that would be left without the role. */
export const usesOfRole = (tx: Tx, { id, name }: { id: number; name: string }) =>
  tx
    .selectNoFrom([
      sql<number>`(select count(*) from users where role_id = ${id})`.as('users'),
      sql<number>`(select count(*) from roles where inherits_role_id = ${id})`.as('roles'),
      sql<number>`(select count(distinct template_id) from workflow_template_versions where jsonb_path_exists(definition,
        '$.transitions[*].approval.rules[*] ? (@.kind == "role" && @.who == $name)', jsonb_build_object('name', ${name}::text)))`.as(
        'workflow_templates',
      ),
      sql<number>`(select count(*) from identity_providers p where p.default_role_id = ${id} or exists (
        select from identity_provider_mappings m where m.provider_id = p.id and m.role_id = ${id}))`.as(
        'identity_providers',
      ),
      sql<number>`(select count(*) from curricula where ${name} = any (role_names))`.as('curricula'),
    ])
    .executeTakeFirstOrThrow()
