import { type Static, Type } from 'typebox'
import { events } from '#kernel/catalogue.ts'
import { PageParams } from '#kernel/paging.ts'
import { AnyOf, DayOrMoment, Id, Nullable, OneOf, Text, Timestamp } from '#kernel/schema.ts'
import { areas } from './areas.ts'

/** `person` is the name, role and address of the actor; `detail` the changes, the number of the record and the reason. */
export const redactableParts = ['person', 'detail'] as const
export type RedactablePart = (typeof redactableParts)[number]

export const AuditEntry = Type.Object({
  id: Id,
  seq: Nullable(Type.Integer({ description: 'Its place in the log, without gaps from 1; null until it is sealed' })),
  occurred_at: Timestamp,
  user: Type.Object({
    id: Nullable(Id),
    username: Nullable(Type.String()),
    role: Nullable(Type.String()),
    full_name: Nullable(Type.String({ description: 'Null for the system, an unknown name, and a redacted person' })),
    full_name_as_of: Type.Union([OneOf('entry', 'now'), Type.Null()], {
      description:
        '`entry`: the name that the person had when the entry was written, as the trail tells it; `now`: their present name, because a later entry about the person was redacted and may have renamed them',
    }),
  }),
  outcome: OneOf('success', 'denied', 'failed'),
  action: Type.String(),
  resource_type: Type.String(),
  resource_id: Nullable(Id),
  resource_number: Nullable(Type.String()),
  resource_revision: Nullable(Type.Integer()),
  changes: Nullable(Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() }))),
  reason: Nullable(Type.String()),
  request_id: Type.String(),
  client_addr: Nullable(Type.String()),
  redacted: Type.Array(OneOf(...redactableParts), {
    description:
      'The redacted parts, which are null: the person (name, role, address), or the detail (number, revision, changes, reason)',
  }),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditAction = Type.Object({
  action: Type.String(),
  description: Type.String({ description: 'What happened, as a sentence' }),
  area: OneOf(...areas),
  resource_type: Type.String(),
})
export const AuditActions = Type.Object({ items: Type.Array(AuditAction) })

const resourceTypes = [...new Set(Object.keys(events).map(name => name.split('.')[0]!))]

/** A place in the log, not the id of a record. */
const Seq = Type.Integer({ minimum: 1, maximum: 1_000_000_000_000_000 })

const Action = OneOf(...Object.keys(events))
const ResourceType = OneOf(...resourceTypes)
const Outcome = OneOf('success', 'denied', 'failed')

/** The filter of a review, which holds and signs it with one value for each field. */
export const ReviewNarrowing = {
  user_id: Type.Optional(Id),
  action: Type.Optional(Action),
  resource_type: Type.Optional(ResourceType),
  resource_id: Type.Optional(Id),
  outcome: Type.Optional(Outcome),
  q: Type.Optional(Text({ maxLength: 200 })),
}

/** AUD-02. A day in `date_from` counts from its beginning, a day in `date_to` to its end (UTC). */
const filters = {
  user_id: Type.Optional(AnyOf(Id)),
  action: Type.Optional(AnyOf(Action)),
  area: Type.Optional(AnyOf(OneOf(...areas))),
  resource_type: Type.Optional(AnyOf(ResourceType)),
  resource_id: Type.Optional(Id),
  outcome: Type.Optional(AnyOf(Outcome)),
  date_from: Type.Optional(DayOrMoment),
  date_to: Type.Optional(DayOrMoment),
  seq_from: Type.Optional(Seq),
  seq_to: Type.Optional(Seq),
  q: Type.Optional(Text({ maxLength: 200 })),
}
type Listed<T> = { [K in keyof T]: T[K] | Extract<T[K], readonly unknown[]>[number] }
/** A filter of a request, or of a review, in which each field has one value. */
export type EntryFilter = Listed<Static<ReturnType<typeof Type.Object<typeof filters>>>>

export const AuditFilter = Type.Object({ ...PageParams, ...filters }, { additionalProperties: false })
export type AuditFilter = Static<typeof AuditFilter>

export const ExportFilter = Type.Object(
  { ...filters, format: Type.Optional(OneOf('csv', 'pdf', 'bundle')) },
  { additionalProperties: false },
)
export type ExportFilter = Static<typeof ExportFilter>
