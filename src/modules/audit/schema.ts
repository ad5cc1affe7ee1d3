import { type Static, Type } from 'typebox'
import { events } from '#kernel/catalogue.ts'
import { PageParams } from '#kernel/paging.ts'
import { DayOrMoment, Id, Nullable, OneOf, Text, Timestamp } from '#kernel/schema.ts'

export const AuditEntry = Type.Object({
  id: Id,
  occurred_at: Timestamp,
  user: Type.Object({ id: Nullable(Id), username: Type.String(), role: Type.String() }),
  outcome: OneOf('success', 'denied', 'failed'),
  action: Type.String(),
  resource_type: Type.String(),
  resource_id: Nullable(Id),
  resource_number: Nullable(Type.String()),
  changes: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
  reason: Nullable(Type.String()),
  request_id: Type.String(),
  client_addr: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntry>

const resourceTypes = [...new Set(Object.keys(events).map(name => name.split('.')[0]!))]

/** AUD-02. A day in `date_from` begins it, a day in `date_to` is within the range to its end (UTC). */
export const AuditFilter = Type.Object(
  {
    ...PageParams,
    user_id: Type.Optional(Id),
    action: Type.Optional(OneOf(...Object.keys(events))),
    resource_type: Type.Optional(OneOf(...resourceTypes)),
    resource_id: Type.Optional(Id),
    outcome: Type.Optional(OneOf('success', 'denied', 'failed')),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    q: Type.Optional(Text({ maxLength: 200 })),
  },
  { additionalProperties: false },
)
export type AuditFilter = Static<typeof AuditFilter>
