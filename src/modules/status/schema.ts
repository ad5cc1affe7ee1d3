import { type Static, Type } from 'typebox'
import { Id, Nullable, OneOf, Said, Timestamp } from '#kernel/schema.ts'

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
  response_time_ms: Nullable(Type.Number({ description: 'Duration of the check; null if it did not answer' })),
  checked_at: Timestamp,
  since: Type.String({
    format: 'date-time',
    description: 'Since when every check of this process has found the same status',
  }),
  detail: Nullable(Type.String({ description: 'The reason if it is not Operational' })),
})
export type Dependency = Static<typeof Dependency>

/** A schedule, whose rounds any process may run. */
const Schedule = Type.Object({
  name: Type.String(),
  every_minutes: Type.Integer(),
  last_run_at: Nullable(Timestamp),
  last_run: Nullable(
    Type.Object({
      done: Type.Integer(),
      refused: Type.Integer({ description: 'Items that were already done by somebody else' }),
      failed: Type.Integer(),
    }),
  ),
  running_since: Nullable(Timestamp),
  is_failing: Type.Boolean(),
})

const Queue = Type.Object({
  name: Type.String(),
  waiting: Type.Integer({ description: 'Items that are due and not started' }),
  waiting_since: Nullable(Timestamp),
  later: Type.Integer({ description: 'Items that wait for their time, or for another attempt' }),
  active: Type.Integer({ description: 'Items in progress' }),
  failed: Type.Integer({ description: 'Items that were given up within the last hour' }),
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
    waiting: Nullable(Type.Integer({ description: 'Messages that wait to be sent' })),
    failed: Nullable(Type.Integer({ description: 'Messages that were given up in the last seven days' })),
  }),
  storage: Type.Object({
    type: OneOf('local', 's3', 'gcp'),
    writable: Type.Boolean(),
    used_bytes: Nullable(
      Type.Integer({
        description: 'What the files of the records of all tenants take; GET /api/platform/tenants/ has it of each',
      }),
    ),
    tenants_nearly_full: Nullable(
      Type.Integer({ description: 'Tenants that use 90 % of their storage quota or more' }),
    ),
  }),
  api: Type.Object({
    requests_in_flight: Type.Integer({ description: 'Requests in this process, including this one' }),
    event_loop_lag_ms: Type.Number({ description: 'The delay of the event loop: the 95th percentile' }),
    recent: Type.Object(
      {
        minutes: Type.Integer(),
        requests: Type.Integer(),
        failed: Type.Integer({ description: 'Answers of 500 and above' }),
        median_ms: Nullable(Type.Integer({ description: 'Half of them took no longer; null without requests' })),
      },
      { description: 'The answers of this process in the last minutes, without those of the health report' },
    ),
  }),
  workers: Type.Object({
    queue_depth: Type.Integer({
      description: 'Rounds of schedules and queue items that are due and not started',
    }),
    oldest_job_seconds: Nullable(Type.Integer({ description: 'Age of the oldest of them' })),
    schedules: Type.Array(Schedule, { description: 'Recurring work' }),
    queues: Type.Array(Queue, { description: 'Queues in which jobs wait' }),
  }),
  audit: Type.Object({
    unsealed_seconds: Type.Integer({
      description: 'Age of the oldest audit entry that is not sealed, as seen by this process',
    }),
    stopped: Type.Integer({ description: 'Tenants whose audit trail is no longer sealed' }),
    anchors: Type.Array(
      Type.Object({
        target: Type.String(),
        anchored_at: Nullable(Type.String({ format: 'date-time', description: 'When this process last updated it' })),
        trouble: Nullable(Type.String({ description: 'Why it accepts no checkpoints, and what to do' })),
      }),
      { description: 'Copies of the checkpoints outside of the database' },
    ),
  }),
})
export type StatusReport = Static<typeof StatusReport>

export const HealthHour = Type.Object({
  hour: Timestamp,
  looks: Type.Integer({
    description:
      'How often the service looked; fewer than in a whole hour where it did not run, or its database did not answer',
  }),
  dependencies: Type.Array(
    Type.Object({
      name: OneOf(...names),
      worst: Status,
      detail: Nullable(Type.String()),
    }),
    { description: 'Empty where nobody looked' },
  ),
})
export type HealthHour = Static<typeof HealthHour>

const Certificate = Type.Object({
  of: OneOf('public_url', 'database', 'mail_server', 'mail_authority'),
  valid_from: Nullable(Timestamp),
  valid_to: Nullable(Timestamp),
  is_accepted: Nullable(
    Type.Boolean({ description: 'Whether this machine trusts it; null for one that is read from a file' }),
  ),
  trouble: Nullable(Type.String({ description: 'Why it could not be read' })),
})
export type Certificate = Static<typeof Certificate>

export const Installation = Type.Object({
  time: Timestamp,
  versions: Type.Object({
    program: Type.String(),
    release: Type.String(),
    node: Type.String(),
    postgresql: Type.String(),
    migration: Type.String({ description: 'The last one that was applied' }),
    migrated_at: Timestamp,
  }),
  keys: Type.Array(
    Type.Object({
      use: OneOf('signatures', 'audit_trail'),
      key_id: Type.String(),
      created_at: Type.String({ format: 'date-time', description: 'When the database came to know it' }),
      is_in_use: Type.Boolean(),
    }),
  ),
  certificates: Type.Array(Certificate, {
    description:
      'Of PUBLIC_URL, of the database where the connection is encrypted, of a mail server with smtps, and of SMTP_CA_FILE, where they are set',
  }),
  newest_backup: Nullable(
    Type.Object(
      {
        snapshot_at: Timestamp,
        completed_at: Timestamp,
        version: Type.String(),
        rows: Type.Integer(),
        files: Type.Integer(),
        bytes: Type.Integer(),
        has_keys: Type.Boolean(),
      },
      {
        description: 'Of those by `qms backup`: whether it can be restored, and where it is now, nobody examines here',
      },
    ),
  ),
  history: Type.Object({
    looks_of_an_hour: Type.Integer(),
    hours: Type.Array(HealthHour, { description: 'The last day by the hour, the oldest first, up to the present one' }),
  }),
})

/** One thing that was examined. */
const Check = Type.Object({
  about: Said,
  verdict: OneOf('ok', 'failed', 'note'),
  details: Type.Array(Said, { description: 'What was found, and what to do' }),
})
export type Check = Static<typeof Check>

export const Checks = Type.Object({ time: Timestamp, checks: Type.Array(Check) })

export const FailedWork = Type.Object({
  since: Timestamp,
  items: Type.Array(
    Type.Object({
      tenant: Type.Object({ id: Id, name: Type.String(), is_active: Type.Boolean() }),
      work: OneOf('mail', 'job'),
      kind: Type.String(),
      reason: Nullable(Type.String({ description: 'The answer of the mail server, without the address' })),
      count: Type.Integer(),
      first_at: Timestamp,
      last_at: Timestamp,
    }),
    { description: 'The latest failure first; 500 at most' },
  ),
})

export const Retried = Type.Object({ retried: Type.Integer({ description: 'How many were queued again' }) })
