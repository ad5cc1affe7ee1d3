import { type Static, Type } from 'typebox'
import { Body, ChangeFields, CommonFields, Id, Nullable, OneOf, Ref, Text, Timestamp, Words } from '#kernel/schema.ts'

export const tokenAuths = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const
export const subjectClaims = ['sub', 'oid'] as const
export const provisionings = ['linked', 'create'] as const
export const roleSources = ['service', 'claims'] as const
export const attemptKinds = ['login', 'link', 'test', 'sign', 'test_signing'] as const
export type AttemptKind = (typeof attemptKinds)[number]
export const verificationMethods = ['dns', 'operator'] as const
export type VerificationMethod = (typeof verificationMethods)[number]

const Slug = Type.String({
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  description: 'In the address of the log-in; it stays',
  examples: ['entra'],
})
const Issuer = Type.String({
  pattern: '^https://[^\\s?#]{1,500}$',
  description: 'As the metadata of the provider says it, to the letter',
  examples: ['https://id.example.com/realms/company'],
})
const ClaimName = Type.String({ pattern: '^[A-Za-z0-9_:./-]{1,120}$', examples: ['email'] })
const claimNames = { username: ClaimName, email: ClaimName, full_name: ClaimName, groups: ClaimName }
export const Claims = Type.Object(claimNames)
export type Claims = Static<typeof Claims>
const Scope = Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,120}$', examples: ['openid'] })

const described = {
  subject_claim: {
    ...OneOf(...subjectClaims),
    description: 'Names the person. Entra ID: `oid`, because its `sub` is another one in each application',
  },
  provisioning: {
    ...OneOf(...provisionings),
    description:
      '`linked`: only people whose account was linked log in. `create`: whoever the provider lets in gets an account at the first log-in',
  },
  roles_from: {
    ...OneOf(...roleSources),
    description: '`claims`: role and groups follow the groups of the provider at each log-in, by `mappings`',
  },
  provider_mfa_values: {
    ...Type.Array(Words(200), { maxItems: 20, uniqueItems: true }),
    description:
      'The values of `amr` or `acr` that name a second factor. Where signatures need one, the provider signs by these alone',
    examples: [['mfa']],
  },
}

const PublicKey = Type.Object({
  ...{ kty: Type.String(), crv: Type.String(), x: Type.String(), y: Type.String() },
  ...{ kid: Type.String(), alg: Type.String(), use: Type.String() },
})
export type PublicKey = Static<typeof PublicKey>

const TokenAuth = {
  ...OneOf(...tokenAuths),
  description:
    'How the service proves to the provider that it is the client. `private_key_jwt`: by a key that the service makes, and whose public half the provider is given (`client_jwks`)',
}

const Mapping = Type.Object({
  claim_value: { ...Words(200), description: 'A group, as the provider sends it' },
  role_id: Nullable(Ref('role')),
  group_id: Nullable(Ref('group')),
  priority: Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'Of several roles the one with the highest is given',
  }),
})
export type Mapping = Static<typeof Mapping>

const MappingInput = Body({
  claim_value: Mapping.properties.claim_value,
  role_id: Type.Optional(Ref('role')),
  group_id: Type.Optional(Ref('group')),
  priority: Type.Optional(Mapping.properties.priority),
})
export const MappingsUpdate = Body({ mappings: Type.Array(MappingInput, { maxItems: 500 }), ...ChangeFields })

export const Provider = Type.Object({
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  issuer: Type.String(),
  client_id: Type.String(),
  has_secret: Type.Boolean({ description: 'The secret itself is never shown' }),
  is_altered: Type.Boolean({
    description:
      'The settings were changed past this service, in its database, so nobody logs in or signs by the provider until an Admin confirms them',
  }),
  token_auth: TokenAuth,
  client_jwks: Nullable(
    Type.Object(
      { keys: Type.Array(PublicKey) },
      { description: 'The public key of the client, to be entered at the provider; with `private_key_jwt` alone' },
    ),
  ),
  scopes: Type.Array(Type.String()),
  claims: Claims,
  ...described,
  default_role_id: Nullable({
    ...Id,
    description: 'The role of people whom no mapping gives another one; without it User',
  }),
  is_active: Type.Boolean(),
  may_sign: Type.Boolean({ description: 'People sign by a new log-in at this provider' }),
  signing_tested_at: Nullable({ ...Timestamp, description: 'When `test-signing` succeeded last' }),
  linked_users: Type.Integer(),
  start: Type.String({ description: 'The address that a browser opens to log in' }),
  redirect_uri: Type.String({ description: 'To be entered at the provider' }),
  back_channel_logout_uri: Type.String({ description: 'To be entered at the provider, where it ends sessions' }),
  mappings: Type.Array(Mapping),
  ...CommonFields,
})
export type Provider = Static<typeof Provider>

const written = {
  name: Words(100),
  issuer: Issuer,
  client_id: Words(300),
  client_secret: Text({ minLength: 1, maxLength: 1000 }),
  token_auth: TokenAuth,
  scopes: Type.Array(Scope, { minItems: 1, maxItems: 20, uniqueItems: true }),
  claims: Body({
    username: Type.Optional(ClaimName),
    email: Type.Optional(ClaimName),
    full_name: Type.Optional(ClaimName),
    groups: Type.Optional(ClaimName),
  }),
  ...described,
  default_role_id: Nullable(Ref('role')),
  is_active: Type.Boolean({ description: 'False: nobody logs in by it yet' }),
}
export const ProviderCreate = Body({
  slug: Slug,
  name: written.name,
  issuer: written.issuer,
  client_id: written.client_id,
  client_secret: Type.Optional({
    ...written.client_secret,
    description: 'Needed unless `token_auth` is `private_key_jwt`',
  }),
  token_auth: Type.Optional(written.token_auth),
  scopes: Type.Optional(written.scopes),
  claims: Type.Optional(written.claims),
  subject_claim: Type.Optional(written.subject_claim),
  provisioning: Type.Optional(written.provisioning),
  roles_from: Type.Optional(written.roles_from),
  default_role_id: Type.Optional(written.default_role_id),
  provider_mfa_values: Type.Optional(written.provider_mfa_values),
  is_active: Type.Optional(written.is_active),
})
const MaySign = Type.Boolean({ description: 'Only after `test-signing`; another issuer or client takes it away' })
export const ProviderUpdate = Body({
  ...Type.Partial(Type.Object({ ...written, may_sign: MaySign })).properties,
  new_client_key: Type.Optional(
    Type.Literal(true, {
      description: 'Makes another key for `private_key_jwt`. Nobody logs in until the provider has its public half',
    }),
  ),
  ...ChangeFields,
})
export type ProviderUpdate = Static<typeof ProviderUpdate>

export const Metadata = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  pushed_requests: Type.Boolean({ description: 'PAR is used (RFC 9126)' }),
  algorithms: Type.Array(Type.String(), { description: 'Those of the provider that are accepted' }),
  end_session: Type.Boolean({ description: 'A log-out here can end the session at the provider' }),
  back_channel_logout: Type.Boolean({ description: 'The provider can end sessions here' }),
})

export const Started = Type.Object({
  start: Type.String({ description: 'The address of the provider, to be opened by the browser that got this answer' }),
})
export const ReturnTo = Type.String({
  maxLength: 500,
  description: 'A path of a page of this service; anything else is `/`',
})
export const LinkOwn = Body({
  provider_id: Ref('identity_provider'),
  password: Text({ minLength: 1, maxLength: 1024 }),
  return_to: Type.Optional(ReturnTo),
})
export const UnlinkOwn = Body({
  password: Type.Optional(Text({ minLength: 1, maxLength: 1024 })),
  otp: Type.Optional(Type.String({ pattern: '^\\d{6}$', examples: ['123456'] })),
})
export const TestStart = Body({ return_to: Type.Optional(ReturnTo) })

export const Identity = Type.Object({
  id: Id,
  provider: Type.Object({ id: Id, name: Type.String() }),
  subject: Type.String({ description: 'Who the user is at the provider' }),
  linked_at: Timestamp,
  linked_by: CommonFields.created_by,
})
export type Identity = Static<typeof Identity>
export const ChangeReason = Body(ChangeFields)
export const IdentityCreate = Body({
  provider_id: Ref('identity_provider'),
  subject: { ...Words(255), description: 'The value of `subject_claim`, as the provider sends it' },
  ...ChangeFields,
})

export const StartParams = Type.Object({
  tenant: Type.String({ maxLength: 63 }),
  provider: Type.String({ maxLength: 63 }),
})

const Domain = Type.String({
  pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  maxLength: 253,
  examples: ['example.com'],
})
export const SsoDomain = Type.Object({
  id: Id,
  domain: Type.String(),
  text: Type.String({ description: 'The TXT record of the domain that proves whose it is' }),
  verified_at: Nullable(Timestamp),
  verified_by_method: Nullable(OneOf(...verificationMethods)),
})
export type SsoDomain = Static<typeof SsoDomain>
export const SsoDomainCreate = Body({ domain: Domain })
