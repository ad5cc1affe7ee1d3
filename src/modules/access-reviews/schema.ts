import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  Body,
  DayOrMoment,
  Id,
  Nullable,
  OneOf,
  Page,
  Person,
  ProofFields,
  Reason,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { GivenSignature } from '#modules/signatures'
import { dormantAfterDays } from './rules.ts'

export const Outcome = OneOf('no_findings', 'findings')
/** Who vouches for an account. Those of a directory will have a value of their own. */
export const Source = OneOf('local', 'service')

const names = (description: string) => Type.Array(Type.String(), { description })

export const Account = Type.Object({
  user_id: Id,
  username: Type.String(),
  full_name: Nullable(Type.String()),
  role: Type.String(),
  is_active: Type.Boolean(),
  source: Source,
  last_login_at: Nullable(Timestamp),
  dormant_since: Nullable(
    Type.String({
      format: 'date-time',
      description: `Of an active account: the moment ${dormantAfterDays} days after its last log-in, or its creation, once it is past`,
    }),
  ),
  locked_until: Nullable(Timestamp),
  second_factor: Type.Boolean(),
  identity_verified: Type.Boolean(),
  granted: names('Permissions that the person was granted beside those of the role'),
  granted_count: Type.Integer(),
  denied: names('Permissions of the role that the person was denied'),
  denied_count: Type.Integer(),
})
export type Account = Static<typeof Account>

const Narrowing = {
  q: Type.Optional(Text({ maxLength: 200 })),
  role: Type.Optional(Text({ maxLength: 120 })),
  is_active: Type.Optional(Type.Boolean()),
  is_dormant: Type.Optional(Type.Boolean()),
}
export const AccountFilter = Type.Object(
  { ...PageParams, ...Narrowing, format: Type.Optional(OneOf('json', 'csv')) },
  { additionalProperties: false },
)
export type AccountFilter = Static<typeof AccountFilter>

const list = {
  ...Page(Account).properties,
  accounts: Type.Integer({ description: 'All accounts, with those that the filter leaves out' }),
  accounts_sha256: Type.String({
    description:
      'SHA-256 of all accounts, without last log-in and lock, which change by use: send it back with the review',
  }),
}
const Remarks = Type.Array(Reason, { description: 'Settings that the reviewer should know of' })
export const AccountList = Type.Object({ ...list, remarks: Remarks })
export type AccountList = Static<typeof AccountList>
export const ReviewedList = Type.Object(list)
export type ReviewedList = Static<typeof ReviewedList>

export const AccessReviewCreate = Body({
  accounts_sha256: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'As `GET /api/users/access-review` gave it, so that nobody signs a list that they have not seen',
  }),
  outcome: Outcome,
  findings: Type.Optional(Words(20_000)),
  intent: Type.Optional(Words(2000)),
  ...ProofFields,
})
export type AccessReviewCreate = Static<typeof AccessReviewCreate>

export const AccessReview = Type.Object({
  id: Id,
  outcome: Outcome,
  findings: Nullable(Type.String()),
  reviewer: Person,
  accounts: Type.Integer({ description: 'How many accounts were reviewed' }),
  own_accounts: Type.Integer({ description: "How many of them are the reviewer's own" }),
  accounts_sha256: Type.String(),
  remarks: Remarks,
  signature: GivenSignature,
  created_at: Timestamp,
})
export type AccessReview = Static<typeof AccessReview>

export const AccessReviewDetails = Type.Object({
  ...AccessReview.properties,
  is_intact: Type.Boolean({ description: 'The stored list is the one that was signed, by number and hash' }),
  changed_accounts: Type.Integer({
    description: 'How many accounts are new or different today, without last log-in and lock',
  }),
})
export type AccessReviewDetails = Static<typeof AccessReviewDetails>

export const AccessReviewFilter = Type.Object(
  {
    ...PageParams,
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    reviewer_id: Type.Optional(Id),
    outcome: Type.Optional(Outcome),
  },
  { additionalProperties: false },
)
export type AccessReviewFilter = Static<typeof AccessReviewFilter>
