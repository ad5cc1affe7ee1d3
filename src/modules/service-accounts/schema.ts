import { type Static, Type } from 'typebox'
import { tenantPermissions } from '#kernel/catalogue.ts'
import {
  Body,
  ChangeFields,
  CommonFields,
  Id,
  Nullable,
  OneOf,
  Person,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { Username } from '#modules/accounts'
import { keyStates, maxLifetimeDays, maxOverlapHours } from '#modules/api-keys'

const Permissions = Type.Array(OneOf(...tenantPermissions), { maxItems: 200, uniqueItems: true })
const RequestsPerSecond = Type.Integer({ minimum: 1, maximum: 200 })

export const ServiceAccount = Type.Object({
  id: Id,
  username: Type.String(),
  full_name: Nullable(Type.String()),
  role: Type.String(),
  role_id: Id,
  granted: Type.Array(Type.String()),
  permissions: Type.Array(Type.String(), {
    description: 'What the role and the single grants give, without what no machine can hold',
  }),
  owner: Type.Object(
    { ...Person.properties, is_active: Type.Boolean() },
    { description: 'The person who answers for the account' },
  ),
  is_active: Type.Boolean(),
  requests_per_second: Nullable({ ...RequestsPerSecond, description: 'null for the usual limit of 20' }),
  live_keys: Type.Integer(),
  last_used_at: Nullable({ ...Timestamp, description: 'Of any of its keys; written at most once a minute' }),
  ...CommonFields,
})
export type ServiceAccount = Static<typeof ServiceAccount>

const owner = { ...Ref('user'), description: 'An active person, who is told before a key ends' }
export const ServiceAccountCreate = Body({
  username: Username,
  full_name: { ...Words(200), description: 'What the machine is and does' },
  role_id: Type.Optional({ ...Ref('role'), description: 'Without it, the role User' }),
  granted: Type.Optional({ ...Permissions, description: 'Beside those of the role' }),
  owner_id: owner,
  requests_per_second: Type.Optional(Nullable(RequestsPerSecond)),
})
export const ServiceAccountUpdate = Body({
  full_name: Type.Optional(Words(200)),
  role_id: Type.Optional(Ref('role')),
  granted: Type.Optional(Permissions),
  owner_id: Type.Optional(owner),
  requests_per_second: Type.Optional(Nullable(RequestsPerSecond)),
  ...ChangeFields,
})
export const ServiceAccountDeactivation = Body(ChangeFields)

export const KeyParams = Type.Object({ id: Id, key_id: Id })

export const ApiKey = Type.Object({
  id: Id,
  name: Type.String(),
  prefix: Type.String({ description: 'The beginning of the key, which names it' }),
  status: OneOf(...keyStates),
  permissions: Type.Array(Type.String()),
  networks: Type.Array(Type.String()),
  expires_at: Timestamp,
  replaces_id: Nullable(Id),
  replaced_by_id: Nullable(Id),
  created_at: Timestamp,
  created_by: Nullable(Person),
  last_used_at: Nullable({ ...Timestamp, description: 'Written at most once a minute' }),
  last_used_addr: Nullable(Type.String()),
  revoked_at: Nullable(Timestamp),
  revoked_by: Nullable(Person),
  revoke_reason: Nullable(Type.String()),
})
export type ApiKey = Static<typeof ApiKey>

export const IssuedKey = Type.Object({
  ...ApiKey.properties,
  api_key: Type.String({ description: 'The key itself. It is shown this once, and kept nowhere' }),
})

export const KeyCreate = Body({
  name: { ...Words(100), description: 'Where the key is used' },
  permissions: Type.Array(OneOf(...tenantPermissions), { minItems: 1, maxItems: 200, uniqueItems: true }),
  networks: Type.Optional(
    Type.Array(Text({ minLength: 2, maxLength: 50 }), {
      maxItems: 50,
      description: 'Addresses and networks that the key is good from; without any, from everywhere',
      examples: [['192.0.2.7', '10.0.0.0/8']],
    }),
  ),
  expires_at: { ...Timestamp, description: `At most ${maxLifetimeDays} days from now` },
})

export const KeyRotation = Body({
  overlap_hours: Type.Integer({
    minimum: 0,
    maximum: maxOverlapHours,
    description: 'For so long the key that is replaced stays good; 0 revokes it at once',
  }),
})
