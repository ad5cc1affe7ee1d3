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

/** What is done by itself, by whichever process takes the round. */
const Job = Type.Object({
  name: Type.String(),
  every_minutes: Type.Integer(),
  last_run_at: Nullable(Timestamp),
  last_run: Nullable(
    Type.Object({
      done: Type.Integer(),
      refused: Type.Integer({ description: 'Done by somebody else meanwhile' }),
      failed: Type.Integer(),
    }),
  ),
  running_since: Nullable(Timestamp),
  is_failing: Type.Boolean(),
})

const Queue = Type.Object({
  name: Type.String(),
  waiting: Type.Integer({ description: 'Due, and begun by nobody yet' }),
  waiting_since: Nullable(Timestamp),
  later: Type.Integer({ description: 'Failed so far and tried again, or not to be done before its time' }),
  active: Type.Integer({ description: 'Being done now' }),
  failed: Type.Integer({ description: 'Failed in its last attempt, within the last hour' }),
})

/** HLTH-03. */
export const StatusReport = Type.Object({
  status: OneOf('Operational', 'Degraded', 'Down'),
  version: Type.String(),
  release: Type.String(),
  time: Type.String({ format: 'date-time', description: "The service's clock, in UTC" }),
  uptime_seconds: Type.Integer(),
  dependencies: Type.Array(Dependency),
  ai: Type.Object({ provider: Nullable(Type.String()), model: Nullable(Type.String()) }),
  mail: Type.Object({
    configured: Type.Boolean(),
    waiting: Nullable(Type.Integer({ description: 'Messages that are to be sent' })),
    failed: Nullable(Type.Integer({ description: 'Messages that were given up in the last seven days' })),
  }),
  storage: Type.Object({ type: OneOf('local', 's3', 'gcp'), writable: Type.Boolean() }),
  api: Type.Object({
    requests_in_flight: Type.Integer({ description: 'Of this process, this one included' }),
    event_loop_lag_ms: Type.Number({ description: 'How long what is due waits for its turn: the 95th percentile' }),
  }),
  workers: Type.Object({
    queue_depth: Type.Integer({
      description: 'What is due and nobody has begun yet: rounds of tasks, and what stands in the queues',
    }),
    oldest_job_seconds: Nullable(Type.Integer({ description: 'For so long the oldest of them has been due' })),
    jobs: Type.Array(Job, { description: 'What comes round' }),
    queues: Type.Array(Queue, { description: 'What was asked for once' }),
  }),
  audit: Type.Object({
    unsealed_seconds: Type.Integer({
      description:
        'For so long the oldest entry of the audit trail has waited to be sealed, as this process has seen it',
    }),
    stopped: Type.Integer({ description: 'Of so many tenants nothing is sealed any more' }),
    anchors: Type.Array(
      Type.Object({
        target: Type.String(),
        anchored_at: Nullable(
          Type.String({ format: 'date-time', description: 'When this process last brought it up to date' }),
        ),
        trouble: Nullable(Type.String({ description: 'Why it takes nothing, and what to do' })),
      }),
      { description: 'Where checkpoints are kept outside of the database' },
    ),
  }),
})
export type StatusReport = Static<typeof StatusReport>
