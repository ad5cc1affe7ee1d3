import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  AnyOf,
  Body,
  ChangeFields,
  CommonFields,
  Id,
  Nullable,
  OneOf,
  Person,
  Reason,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { Denied, Granted, PermissionOrigin, PermissionSteps } from '#modules/roles'
import { HandOver } from './open-work.ts'
import { signatureMethods } from './signing/rules.ts'

const names = Type.Array(Type.String())

/**
 * No '@', so that no name can be another person's e-mail address. Never changed, because it is not given to anyone else (21 CFR 11.100(b)).
 */
export const Username = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,63}$', examples: ['ada.lovelace'] })
export const Email = Type.String({ format: 'email', maxLength: 254 })
const FullName = Words(200)
/** Longer than any passphrase; the hash has a limit of its own. */
export const Secret = Text({ minLength: 1, maxLength: 1024 })
const Otp = Type.String({ pattern: '^[0-9]{6}$', examples: ['123456'] })

export const Login = Body({
  username: Text({ minLength: 1, maxLength: 254 }),
  password: Secret,
  otp: Type.Optional(Text({ maxLength: 20 })),
})

/** AUTH-01. `role` is the role's name. */
export const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: OneOf('bearer'),
  user: Type.Object({ id: Id, username: Type.String(), email: Type.String(), role: Type.String() }),
})

/** After a change that ends all sessions: as AUTH-01 for a program; a browser has got another cookie. */
export const RenewedSession = Type.Object({
  access_token: Nullable({
    ...TokenResponse.properties.access_token,
    description: 'null where the request came with the cookie of a browser, which is replaced',
  }),
  token_type: OneOf('bearer', 'cookie'),
  user: TokenResponse.properties.user,
})

/** AUTH-02. */
export const Me = Type.Object({
  id: Id,
  username: Type.String(),
  email: Type.String(),
  full_name: Nullable(Type.String()),
  role: Type.String(),
  permissions: names,
  tenant: Nullable(
    Type.Object({
      id: Id,
      name: Type.String(),
      slug: Type.String(),
      time_zone: { ...Type.String(), description: 'Of the IANA database: days of records are days there' },
    }),
  ),
  is_platform_user: Type.Boolean(),
  totp_enrolled: Type.Boolean(),
  must_change_password: Type.Boolean(),
  signature_statement: Nullable(
    Type.Object(
      { version: Type.Integer(), text: Type.String(), is_accepted: Type.Boolean() },
      { description: 'The statement to accept before signing; null if the tenant has none' },
    ),
  ),
  features: Type.Object(
    {
      upload_types: Type.Array(Type.String(), { description: 'The endings of files that can be uploaded' }),
      max_upload_bytes: Type.Integer(),
      signature: Type.Object({
        otp: Type.Boolean({ description: 'Each signature needs the code of a second factor' }),
        reauth_minutes: Type.Integer({ description: 'For so long a log-in proves the identity of a signer' }),
        methods: Type.Array(OneOf(...signatureMethods), {
          description: 'The proofs of identity that a signature is accepted with',
        }),
      }),
      password: Type.Object({ min_length: Type.Integer() }),
      assistant: Type.Boolean({
        description: 'The installation has a language model, and the tenant its assistant switched on',
      }),
      mail: Type.Boolean({ description: 'The installation sends e-mail' }),
      passkeys: Type.Boolean({ description: 'Passkeys can be registered: the installation has a PUBLIC_URL' }),
    },
    { description: 'What tenant and installation allow, which pages show before somebody types in vain' },
  ),
  revision: Type.Integer(),
})

/** Role and tenant are not the caller's to choose (AUTH-03). */
export const Registration = Body({
  username: Username,
  email: Email,
  password: Secret,
  full_name: FullName,
})

export const ForgottenPassword = Body({
  username: { ...Text({ minLength: 1, maxLength: 254 }), description: 'The user name or the e-mail address' },
})
export const ChosenPassword = Body({
  token: { ...Text({ minLength: 1, maxLength: 200 }), description: 'The code of the e-mail' },
  new_password: Secret,
})

export const PasswordChange = Body({ current_password: Secret, new_password: Secret })
export const TotpEnrolment = Type.Object({ secret: Type.String(), otpauth_uri: Type.String() })
export const TotpConfirmation = Body({ otp: Otp })
export const TotpEnrolmentStart = Body({ password: Secret })
export const TotpRemoval = Body({
  password: Secret,
  otp: Type.Optional({ ...Otp, description: 'The current code; needed once the second factor is confirmed' }),
})

const identityFields = {
  id: Id,
  username: Type.String(),
  email: Type.String(),
  full_name: Nullable(Type.String()),
  role: Type.String(),
  role_id: Id,
  is_active: Type.Boolean(),
}
export const invitationStates = ['queued', 'sent', 'accepted', 'ended'] as const
const Invitation = Type.Object({
  status: Type.Enum([...invitationStates], {
    description:
      '`queued` until the e-mail is sent, `sent` until the user chooses a password, `accepted` then; `ended` by a withdrawal, another password or another address',
  }),
  invited_at: Timestamp,
  invited_by: Nullable(Person),
  expires_at: Nullable({
    ...Timestamp,
    description: 'After it the link no longer works; null until the e-mail is sent',
  }),
})
const loginFields = Type.Object({
  invitation: Nullable({ ...Invitation, description: 'The last one; null for a user who was not invited by e-mail' }),
  totp_enrolled: Type.Boolean(),
  must_change_password: Type.Boolean(),
  is_break_glass: Type.Boolean({ description: 'Gets in by password where single sign-on is required' }),
  failed_attempts: Type.Integer({ description: 'In a row: inside sessions, and from every address' }),
  locked_until: Nullable(Timestamp),
  last_login_at: Nullable(Timestamp),
})
const verificationFields = Type.Object({
  identity_reset_at: Nullable(Timestamp),
  identity_verified: Nullable(
    Type.Object(
      { at: Timestamp, by: Nullable(Person), method: Type.String(), note: Nullable(Type.String()) },
      { description: 'The person who verified the identity of the user, and the method (21 CFR 11.100(b))' },
    ),
  ),
})
export const User = Type.Object({
  ...identityFields,
  ...loginFields.properties,
  ...verificationFields.properties,
  ...CommonFields,
})
export type User = Static<typeof User>
/** The log-in fields, and those of the verification, are missing without the permissions for them. */
export const KnownUser = Type.Object({
  ...identityFields,
  ...Type.Partial(loginFields).properties,
  ...Type.Partial(verificationFields).properties,
  ...CommonFields,
})
export type KnownUser = Static<typeof KnownUser>

export const UserFilter = Type.Object(
  {
    ...PageParams,
    q: Type.Optional(Text({ maxLength: 200 })),
    role: Type.Optional(AnyOf(Text({ maxLength: 80 }))),
    is_active: Type.Optional(Type.Boolean()),
    invitation: Type.Optional(AnyOf(OneOf(...invitationStates))),
    is_locked: Type.Optional(Type.Boolean({ description: 'After failed log-ins, now' })),
    without_second_factor: Type.Optional(
      Type.Boolean({ description: 'true: neither an authenticator app nor a passkey; false: one of them' }),
    ),
    source: Type.Optional({
      ...OneOf('password', 'provider'),
      description: '`provider`: linked to an identity provider; `password`: not linked to any',
    }),
  },
  { additionalProperties: false },
)
export type UserFilter = Static<typeof UserFilter>

export const UserCreate = Body({
  username: Username,
  email: Email,
  full_name: FullName,
  role_id: Type.Optional(Ref('role')),
  password: Secret,
  must_change_password: Type.Optional(
    Type.Boolean({ description: 'At the first log-in. Always true: whoever sets a password knows it' }),
  ),
})
export type UserCreate = Static<typeof UserCreate>

export const UserInvitation = Body({
  username: Username,
  email: Email,
  full_name: FullName,
  role_id: Type.Optional(Ref('role')),
})
export type UserInvitation = Static<typeof UserInvitation>

export const InvitationList = Body({
  csv: {
    ...Text({ minLength: 1, maxLength: 250_000 }),
    description:
      'CSV with the columns `username`, `email`, `full_name` and, if wanted, `role` (its name; empty for User), at most 500 people, separated by commas, semicolons or tabs',
    examples: ['username,email,full_name,role\nada,ada@example.com,Ada Lovelace,Author\n'],
  },
})
export const InvitedUsers = Type.Object({
  invited: Type.Array(Type.Object({ id: Id, username: Type.String(), email: Type.String(), role: Type.String() })),
})

export const UserUpdate = Body({
  email: Type.Optional(Email),
  full_name: Type.Optional(Nullable(FullName)),
  ...ChangeFields,
})
export const UserRole = Body({ role_id: Ref('role'), ...ChangeFields })
export const Reasoned = Body(ChangeFields)
export const Deactivation = Body({
  successor_id: Type.Optional({
    ...Ref('user'),
    description: 'The open work of the user is handed over to this person, as far as they may do it',
  }),
  ...ChangeFields,
})
export const DeactivatedUser = Type.Object({
  ...User.properties,
  hand_over: Nullable({
    ...HandOver,
    description: 'The background job that hands over the open work; null if there is none, or nobody to take it',
  }),
})
export const PasswordReset = Body({
  temporary_password: Type.Optional({
    ...Secret,
    description: 'Only where the service sends no e-mail; it is needed there',
  }),
  remove_totp: Type.Optional(Type.Boolean({ description: 'For a user who has lost the device with the codes' })),
  ...ChangeFields,
})

export const BreakGlass = Body({ is_break_glass: Type.Boolean(), ...ChangeFields })

export const UserPermissionsFilter = Type.Object(
  {
    explain: Type.Optional(
      Type.Boolean({
        description: 'true: also `explained`, each permission of the company, held or not, with its reasons',
      }),
    ),
  },
  { additionalProperties: false },
)

const ExplainedPermission = Type.Object({
  permission: Type.String(),
  is_held: Type.Boolean(),
  steps: { ...PermissionSteps, description: 'Who grants and denies it, the farthest role first: the last one decides' },
  restricted_by: Nullable({
    ...Reason,
    description: 'A setting of the company that keeps the person from using the permission, though they hold it',
  }),
})

export const UserPermissions = Type.Object({
  id: Id,
  role: Type.String(),
  granted: names,
  denied: names,
  permissions: names,
  origins: Type.Array(PermissionOrigin),
  roles: Type.Optional(
    Type.Array(Type.String(), {
      description: 'With `explain`: the role and those that it inherits from, in this order',
    }),
  ),
  explained: Type.Optional(Type.Array(ExplainedPermission)),
  revision: Type.Integer(),
})
export type UserPermissions = Static<typeof UserPermissions>
export const UserPermissionsUpdate = Body({ granted: Granted, denied: Denied, ...ChangeFields })
