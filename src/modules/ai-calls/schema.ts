import { type Static, Type } from 'typebox'
import { Body, ChangeFields, Id, Nullable, OneOf, Person, Timestamp } from '#kernel/schema.ts'
import { callKinds } from './words.ts'

/** Fits into the column and into a JSON number. */
const maxAmount = 1_000_000_000_000_000

const Tokens = Type.Integer({ minimum: 0, maximum: maxAmount })
const Price = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000_000,
  description: 'Price of 1,000,000 tokens, in millionths of your currency',
})
const Money = Type.Integer({ minimum: 0, maximum: maxAmount, description: 'In millionths of your currency' })

const decided = {
  is_enabled: Type.Boolean(),
  monthly_tokens: Nullable(Tokens),
  monthly_cost_micros: Nullable(Money),
  input_price_micros: Price,
  output_price_micros: Price,
}

export const AssistantSettings = Type.Object({
  ...decided,
  provider: Nullable(Type.String({ description: 'Null if the installation has no assistant' })),
  model: Nullable(Type.String()),
  installation_monthly_tokens: Nullable(
    Type.Integer({ description: 'The monthly limit of every company, whatever its own settings say' }),
  ),
  revision: Type.Integer(),
  updated_at: Nullable(Type.String({ format: 'date-time', description: 'Null while nobody has changed them' })),
  updated_by: Nullable(Person),
})
export type AssistantSettings = Static<typeof AssistantSettings>

export const AssistantSettingsUpdate = Body({
  is_enabled: Type.Optional(decided.is_enabled),
  monthly_tokens: Type.Optional(decided.monthly_tokens),
  monthly_cost_micros: Type.Optional(decided.monthly_cost_micros),
  input_price_micros: Type.Optional(decided.input_price_micros),
  output_price_micros: Type.Optional(decided.output_price_micros),
  ...ChangeFields,
})

const sums = {
  calls: Type.Integer(),
  answered: Type.Integer(),
  declined: Type.Integer({ description: 'Calls that the documents could not answer' }),
  failed: Type.Integer(),
  tokens: Type.Integer(),
  cost_micros: Type.Integer(),
}

export const Usage = Type.Object({
  from: Timestamp,
  until: Timestamp,
  tokens: Type.Integer({ description: 'A running call counts as the most that it can use' }),
  cost_micros: Type.Integer(),
  most_tokens: Nullable(Type.Integer()),
  most_cost_micros: Nullable(Type.Integer()),
  by_month: Type.Array(
    Type.Object({
      month: Type.String({ pattern: '^\\d{4}-\\d{2}$' }),
      calls: Type.Integer(),
      tokens: Type.Integer(),
      cost_micros: Type.Integer(),
    }),
    { description: 'The last twelve calendar months of the tenant, the current one last' },
  ),
  by_kind: Type.Array(Type.Object({ kind: OneOf(...callKinds), ...sums })),
  by_person: Type.Array(Type.Object({ user: Person, ...sums }), {
    description: 'The hundred people with the highest use',
  }),
})

export const CallParams = Type.Object({ id: Id })
