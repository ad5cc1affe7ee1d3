import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Timestamp } from '#kernel/schema.ts'

export const Health = Type.Object({
  status: OneOf('ok', 'unavailable'),
  database: OneOf('up', 'down'),
  version: Type.String(),
})

const Status = OneOf('Operational', 'Degraded', 'Down', 'Not configured')
export type Status = Static<typeof Status>

export const names = [
  'Database',
  'Vector store',
  'AI integration',
  'Storage',
  'API endpoints',
  'Email service',
  'Background workers',
] as const
export type DependencyName = (typeof names)[number]

const Dependency = Type.Object({
  name: OneOf(...names),
  status: Status,
  response_time_ms: Nullable(
    Type.Number({ description: 'Of the look that found it so; null where it did not answer' }),
  ),
  checked_at: Timestamp,
  since: Type.String({
    format: 'date-time',
    description: 'Since when every look of this process has found the same status',
  }),
  detail: Nullable(Type.String({ description: 'Why it is not Operational' })),
})
export type Dependency = Static<typeof Dependency>

/** HLTH-03. */
export const StatusReport = Type.Object({
  status: OneOf('Operational', 'Degraded', 'Down'),
  version: Type.String(),
  release: Type.String(),
  time: Type.String({ format: 'date-time', description: "The service's clock, in UTC" }),
  uptime_seconds: Type.Integer(),
  dependencies: Type.Array(Dependency),
  ai: Type.Object({ provider: Nullable(Type.String()), model: Nullable(Type.String()) }),
  mail: Type.Object({ configured: Type.Boolean() }),
  storage: Type.Object({ type: OneOf('local', 's3', 'gcp'), writable: Type.Boolean() }),
  api: Type.Object({
    requests_in_flight: Type.Integer({ description: 'Of this process, this one included' }),
    event_loop_lag_ms: Type.Number({ description: 'How long what is due waits for its turn: the 95th percentile' }),
  }),
  workers: Type.Object({
    queue_depth: Type.Integer(),
    oldest_job_seconds: Nullable(Type.Integer()),
  }),
})
export type StatusReport = Static<typeof StatusReport>
