import { type Static, type TSchema, Type } from 'typebox'
import type { Message } from './message.ts'

/** A record's id. Beyond 2^53 JSON numbers are inexact. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const IdParams = Type.Object({ id: Id })

/** The id of another record. The tests try other tenants' ids wherever `x-references` names its kind. */
export const Ref = (resource: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, 'x-references': resource })

/** In a filter, the person to whom something is assigned. */
export const Assignee = Type.Union([Id, Type.Literal('none')], {
  description: 'The id of a person; `none` for what is not assigned',
})

/** A moment: ISO 8601, UTC. */
export const Timestamp = Type.String({ format: 'date-time' })
/** A day, YYYY-MM-DD. */
export const Day = Type.String({ format: 'date' })
/** A filter takes a whole day or a moment. */
export const DayOrMoment = Type.Union([Day, Timestamp])
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Text that a person types. The format refuses NUL and half characters, which PostgreSQL cannot store unchanged. */
export const Text = (limits: { minLength?: number; maxLength: number; description?: string }) =>
  Type.String({ ...limits, format: 'plain-text' })
/** Text that is neither empty nor blank. */
export const Words = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'words' })

export const OneOf = <T extends string[]>(...values: T) => Type.Enum<T>([...values])

/** A filter that may be repeated (`status=draft&status=in_review`): any of its values matches. */
export const AnyOf = <T extends TSchema>(schema: T) =>
  Type.Array(schema, { minItems: 1, maxItems: 50, description: 'May be repeated: any of its values matches' })

/** An object in a request. Unknown fields are refused, so that a mistyped one does not vanish from a record. */
export const Body = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** People in every answer. */
export const Person = Type.Object({ id: Id, username: Type.String(), full_name: Nullable(Type.String()) })
export type Person = Static<typeof Person>

/** Where a record came from that a migration imported. */
export const importedFrom = {
  batch: Type.String({ description: 'The number of the migration' }),
  source: Type.String({ description: 'The system before' }),
}
export const ImportedFields = {
  legacy_number: Nullable(
    Type.String({ description: 'The number in the system before, where a migration gave it a new one' }),
  ),
  imported: Nullable(Type.Object(importedFrom, { description: 'Null where no migration imported it' })),
}

/** The fields of an object that are said by its `code` and `params`. */
export interface SentenceFields {
  text: string
  title?: string
}
/** An option of such an object: the edge says these fields in the language of the reader. */
export const saidIn = (fields: SentenceFields) => ({ 'x-sentence': fields })

/** A sentence alone. The action answers the message, and the edge says it in the language of the reader. */
export const Said = Type.Unsafe<Message>(Type.String({ 'x-said': true }))

/** Why something is not possible, in the same form as a refusal: `reasonOf` of a message. */
export const Reason = Type.Object(
  {
    detail: Type.String(),
    code: Type.String(),
    params: Type.Record(Type.String(), Type.Unknown()),
  },
  saidIn({ text: 'detail' }),
)

/** Fields that every record has. `revision` is also its ETag. */
export const CommonFields = {
  created_at: Timestamp,
  created_by: Nullable(Person),
  updated_at: Timestamp,
  updated_by: Nullable(Person),
  revision: Type.Integer(),
}

/** The largest value of the column, an integer of four bytes. */
const maxRevision = 2_147_483_647

/** Optional fields of each request that changes a record. */
export const ChangeFields = {
  revision: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxRevision,
      description: 'The revision that the change is based on; a stale one is a 409',
    }),
  ),
  change_reason: Type.Optional(Words(2000)),
}

/** In a request that a deputy may make: the person for whom they make it. */
export const DeputyFields = {
  on_behalf_of: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, 'x-references': 'user' },
      description: 'The person for whom you act as their deputy; without it you act for yourself',
    }),
  ),
}

/** A signer re-authenticates with the password, by a log-in that is recent enough, or by the proof of a signing challenge. */
export const ProofFields = {
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  otp: Type.Optional(Type.String({ pattern: '^\\d{6}$', examples: ['123456'] })),
  signing_challenge: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, 'x-references': 'signing_challenge' },
      description:
        'A proved challenge of `POST /api/signing-challenges/` that names this request, in the place of the password',
    }),
  ),
}
/** The proof of identity in a request. */
export interface ProofOfIdentity {
  password?: string | undefined
  otp?: string | undefined
  signing_challenge?: number | undefined
}

/** The body as it is done and signed, without the proof of identity. */
export const withoutProof = (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(ProofFields, name)))

/** The pagination envelope (SVC-05). */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    page: Type.Integer(),
    page_size: Type.Integer(),
    total: Type.Integer(),
    pages: Type.Integer(),
  })
