import { type Static, Type } from 'typebox'
import { tenantPermissions } from '#kernel/catalogue.ts'
import { PageParams } from '#kernel/paging.ts'
import { Body, ChangeFields, CommonFields, Id, Nullable, OneOf, Person, Ref, Text, Words } from '#kernel/schema.ts'
import { areasOfPermissions, everybodys } from './rules.ts'

const Names = Type.Array(Type.String())

/** Without `platform.*`, which no role or user of a tenant can hold (AUTH-07). */
export const Granted = Type.Array(OneOf(...tenantPermissions), { maxItems: 200, uniqueItems: true })
export const Denied = Type.Array(OneOf(...tenantPermissions.filter(each => each !== everybodys)), {
  maxItems: 200,
  uniqueItems: true,
})

export const PermissionOrigin = Type.Object({ permission: Type.String(), role: Nullable(Type.String()) })

const summaryFields = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  is_system: Type.Boolean(),
  inherits: Nullable(Type.Object({ id: Id, name: Type.String() })),
  granted: Names,
  denied: Names,
  user_count: Type.Integer(),
  ...CommonFields,
}
export const RoleSummary = Type.Object(summaryFields)
export type RoleSummary = Static<typeof RoleSummary>

/** ROLE-03: `permissions` are the effective ones, and `origins` names the role that grants each. */
export const Role = Type.Object({ ...summaryFields, permissions: Names, origins: Type.Array(PermissionOrigin) })
export type Role = Static<typeof Role>

export const RoleFilter = Type.Object(
  { ...PageParams, q: Type.Optional(Text({ maxLength: 200 })), is_system: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
export type RoleFilter = Static<typeof RoleFilter>

export const RoleCreate = Body({
  name: Words(80),
  description: Type.Optional(Text({ maxLength: 500 })),
  inherits_role_id: Type.Optional(Nullable(Ref('role'))),
  granted: Type.Optional(Granted),
  denied: Type.Optional(Denied),
})

/** The name cannot be changed, because approval rules name roles. */
export const RoleUpdate = Body({
  description: Type.Optional(Text({ maxLength: 500 })),
  inherits_role_id: Type.Optional(Nullable(Ref('role'))),
  granted: Type.Optional(Granted),
  denied: Type.Optional(Denied),
  ...ChangeFields,
})

export const PermissionList = Type.Object({
  items: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      area: OneOf(...areasOfPermissions),
      order: Type.Integer({ description: 'Its place in a list of all of them, where those of an area stand together' }),
      is_grantable: Type.Boolean({
        description: 'A role or a user can be given it or denied it. False for the one that everybody holds',
      }),
      for_services: Type.Boolean({ description: 'A service account can hold it' }),
    }),
  ),
  total: Type.Integer(),
})

/** Each role or person that says something about a permission, from the farthest role on: the last one decides. */
export const PermissionSteps = Type.Array(
  Type.Object({
    role: Nullable({ ...Type.String(), description: 'null for what was granted or denied to the person' }),
    effect: OneOf('granted', 'denied'),
  }),
)

/** A role as it would be: with `role_id` a change of that role, without it a new one. */
export const RolePreviewInput = Body({
  role_id: Type.Optional(Ref('role')),
  inherits_role_id: Type.Optional(Nullable(Ref('role'))),
  granted: Type.Optional(Granted),
  denied: Type.Optional(Denied),
})

const difference = { gained: Names, lost: Names }

/** How many of the people who are touched are named. */
export const maxNamed = 200

export const RolePreview = Type.Object({
  permissions: { ...Names, description: 'What the role would give' },
  ...difference,
  roles: Type.Array(Type.Object({ id: Id, name: Type.String(), people: Type.Integer(), ...difference }), {
    description: 'The roles whose permissions change, this one and those that inherit from it',
  }),
  people: Type.Array(Type.Object({ ...Person.properties, role: Type.String(), ...difference }), {
    description: `Active people who gain or lose a permission, the first ${maxNamed} by name`,
  }),
  people_total: Type.Integer({ description: 'How many active people gain or lose a permission' }),
})
export type RolePreview = Static<typeof RolePreview>
