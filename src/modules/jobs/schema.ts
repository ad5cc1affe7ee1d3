import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { DayOrMoment, Id, Nullable, OneOf, Person, Text, Timestamp } from '#kernel/schema.ts'

export const jobStatuses = ['queued', 'running', 'completed', 'failed'] as const
const Status = OneOf(...jobStatuses)

const progress = {
  id: Id,
  kind: Type.String(),
  status: Status,
  total: Type.Integer({ minimum: 0 }),
  done: Type.Integer({ minimum: 0 }),
  skipped: Type.Integer({ minimum: 0, description: 'Items that needed no work, or that nobody could take' }),
}

/** The answer of a request that starts a background job. */
export const JobAnswer = Type.Object({
  ...progress,
  href: Type.String({ description: 'The path for its progress' }),
})
export type JobAnswer = Static<typeof JobAnswer>

export const Job = Type.Object({
  ...progress,
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
  error: Nullable(Type.String({ description: 'Why it failed; the steps that were done by then stay done' })),
  requested_by: Nullable(Person),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
})
export type Job = Static<typeof Job>

export const JobFilter = Type.Object(
  {
    ...PageParams,
    status: Type.Optional(Status),
    kind: Type.Optional(Text({ maxLength: 100 })),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
  },
  { additionalProperties: false },
)
export type JobFilter = Static<typeof JobFilter>
