import { type Static, Type } from 'typebox'
import { events } from '#kernel/catalogue.ts'
import { PageParams } from '#kernel/paging.ts'
import { DayOrMoment, Id, Nullable, OneOf, Text, Timestamp } from '#kernel/schema.ts'

/** `person` is the name, role and address of the actor; `detail` the changes, the number of the record and the reason. */
export const redactableParts = ['person', 'detail'] as const
export type RedactablePart = (typeof redactableParts)[number]

export const AuditEntry = Type.Object({
  id: Id,
  seq: Nullable(Type.Integer({ description: 'Its place in the log, without gaps from 1; null until it is sealed' })),
  occurred_at: Timestamp,
  user: Type.Object({ id: Nullable(Id), username: Nullable(Type.String()), role: Nullable(Type.String()) }),
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

const resourceTypes = [...new Set(Object.keys(events).map(name => name.split('.')[0]!))]

/** A place in the log, not the id of a record. */
const Seq = Type.Integer({ minimum: 1, maximum: 1_000_000_000_000_000 })

/** AUD-02. A day in `date_from` counts from its beginning, a day in `date_to` to its end (UTC). */
const filters = {
  user_id: Type.Optional(Id),
  action: Type.Optional(OneOf(...Object.keys(events))),
  resource_type: Type.Optional(OneOf(...resourceTypes)),
  resource_id: Type.Optional(Id),
  outcome: Type.Optional(OneOf('success', 'denied', 'failed')),
  date_from: Type.Optional(DayOrMoment),
  date_to: Type.Optional(DayOrMoment),
  seq_from: Type.Optional(Seq),
  seq_to: Type.Optional(Seq),
  q: Type.Optional(Text({ maxLength: 200 })),
}
export const EntryFilter = Type.Object(filters, { additionalProperties: false })
export type EntryFilter = Static<typeof EntryFilter>

export const AuditFilter = Type.Object({ ...PageParams, ...filters }, { additionalProperties: false })
export type AuditFilter = Static<typeof AuditFilter>

export const ExportFilter = Type.Object(
  { ...filters, format: Type.Optional(OneOf('csv', 'pdf', 'bundle')) },
  { additionalProperties: false },
)
export type ExportFilter = Static<typeof ExportFilter>
