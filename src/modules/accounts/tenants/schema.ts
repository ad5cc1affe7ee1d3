import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, ChangeFields, Id, Nullable, Text, Timestamp, Words } from '#kernel/schema.ts'
import { Email, Secret, Username } from '../schema.ts'

/** The columns, which the audit trail has too. */
export const TenantRow = Type.Object({
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
export type TenantRow = Static<typeof TenantRow>
export const Tenant = Type.Object({
  ...TenantRow.properties,
  storage_bytes: Type.Integer({ description: 'What the files of its records take' }),
  storage_files: Type.Integer(),
})
export type Tenant = Static<typeof Tenant>

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
export const TenantUpdate = Body({
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

export const TenantFilter = Type.Object(
  { ...PageParams, q: Type.Optional(Text({ maxLength: 200 })), is_active: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
export type TenantFilter = Static<typeof TenantFilter>
