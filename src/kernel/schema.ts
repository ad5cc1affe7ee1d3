import { type Static, type TSchema, Type } from 'typebox'

/** Every record's id: beyond 2^53 a JSON number is another number. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const IdParams = Type.Object({ id: Id })

/** An id that points at another record. `x-references` says of what kind: the sweeps try other tenants' ids at each of them. */
export const Ref = (resource: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, 'x-references': resource })

/** A moment: ISO 8601, UTC. */
export const Timestamp = Type.String({ format: 'date-time' })
/** A day, YYYY-MM-DD. */
export const Day = Type.String({ format: 'date' })
/** Of a filter: a whole day or a moment. */
export const DayOrMoment = Type.Union([Day, Timestamp])
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Text that a person typed. The format refuses NUL and half characters, which PostgreSQL cannot store as they were sent. */
export const Text = (limits: { minLength?: number; maxLength: number }) =>
  Type.String({ ...limits, format: 'plain-text' })
/** Text that says something: not empty, not only blanks. */
export const Words = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'words' })

export const OneOf = <T extends string[]>(...values: T) => Type.Enum<T>([...values])

/** An object of a request: what the schema does not know is refused, so that no mistyped field vanishes from a record. */
export const Body = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** How people are shown in every answer. */
export const Person = Type.Object({ id: Id, username: Type.String(), full_name: Nullable(Type.String()) })
export type Person = Static<typeof Person>

/** Why something is not possible, in the same form as a refusal: `reasonOf` of a message. */
export const Reason = Type.Object({
  detail: Type.String(),
  code: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
})

/** What every record carries beside its own fields. `revision` is also its ETag. */
export const CommonFields = {
  created_at: Timestamp,
  created_by: Nullable(Person),
  updated_at: Timestamp,
  updated_by: Nullable(Person),
  revision: Type.Integer(),
}

/** Of a column of four bytes. */
const most_revisions = 2_147_483_647

/** What a request that changes a record may carry beside the fields that it changes. */
export const ChangeFields = {
  revision: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most_revisions,
      description: 'The revision that the change was made on; a stale one is a 409',
    }),
  ),
  change_reason: Type.Optional(Words(2000)),
}

/** Who signs proves who they are: by the password, or without one by a log-in that is recent enough. */
export const ProofFields = {
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  otp: Type.Optional(Type.String({ pattern: '^\\d{6}$' })),
}

/** The pagination envelope (SVC-05). */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    page: Type.Integer(),
    page_size: Type.Integer(),
    total: Type.Integer(),
    pages: Type.Integer(),
  })
