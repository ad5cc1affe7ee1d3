import { type Static, Type } from 'typebox'
import { Id, Nullable, OneOf } from '#kernel/schema.ts'

export const JobProgress = Type.Object({
  id: Id,
  status: OneOf('queued', 'running', 'completed', 'failed'),
  total: Type.Integer(),
  done: Type.Integer(),
  skipped: Type.Integer(),
})
export type JobProgress = Static<typeof JobProgress>

const endings = ['signed_out', 'stopping', 'expired'] as const
export type Ending = (typeof endings)[number]

/** The present state, and at the end of a stream why it ended. */
export const EventsState = Type.Object({
  unread: Type.Integer({ description: 'Notifications that are not read; 0 at the end of a stream' }),
  jobs: Type.Array(JobProgress, { description: "One's own background jobs that are not finished" }),
  ended: Nullable(OneOf(...endings)),
})

export const LiveEvent = Type.Union([
  Type.Object({
    type: Type.Literal('ready'),
    unread: Type.Integer(),
    jobs: Type.Array(JobProgress),
  }),
  Type.Object(
    {
      type: Type.Literal('changed'),
      resource_type: Type.String(),
      id: Id,
      revision: Nullable(Type.Integer()),
    },
    { description: 'Somebody else changed a record that the reader may read' },
  ),
  Type.Object({ type: Type.Literal('unread'), unread: Type.Integer() }),
  Type.Object({ type: Type.Literal('job'), ...JobProgress.properties }),
  Type.Object(
    { type: Type.Literal('resync') },
    { description: 'Too much changed to be listed: read anew whatever is shown' },
  ),
])
export type LiveEvent = Static<typeof LiveEvent>
