import { type Static, Type } from 'typebox'
import { tenantPermissions } from '#kernel/catalogue.ts'
import { PageParams } from '#kernel/paging.ts'
import { Body, ChangeFields, CommonFields, Id, Nullable, OneOf, Ref, Text, Words } from '#kernel/schema.ts'
import { everybodys } from './rules.ts'

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
  items: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  total: Type.Integer(),
})
