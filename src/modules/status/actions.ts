import { openAction, report } from '#action'
import { version } from '#kernel/version.ts'
import { overall } from './rules.ts'
import { Health, StatusReport } from './schema.ts'

/** HLTH-01, HLTH-02: says whether the service works, and nothing about its configuration. */
export const health = openAction({
  summary: 'Check that the service answers and reaches its database',
  description: 'Answers 503 if the database does not answer within a second.',
  input: {},
  response: Health,
  statusOf: answer => (answer.database === 'up' ? 200 : 503),
  async run({ services }) {
    const isUp = (await services.dependencies.database.look()).status !== 'Down'
    return {
      status: isUp ? ('ok' as const) : ('unavailable' as const),
      database: isUp ? ('up' as const) : ('down' as const),
      version,
    }
  },
})

/** HLTH-03, HLTH-04. */
export const status = report({
  summary: 'Read the health of the installation and its dependencies',
  description:
    'For platform users with a second factor. A dependency that does not answer within its time budget is Down, so the report comes within 3.5 seconds even if the database hangs.',
  permission: 'platform.read_status',
  response: StatusReport,
  async run({ services: { config, clock, dependencies: found } }) {
    const { all, traffic, workers, mail, lag, storage: use } = found
    const dependencies = await Promise.all(all.map(each => each.look()))
    const storage = dependencies.find(({ name }) => name === 'Storage')
    return {
      status: overall(dependencies),
      version,
      release: config.release,
      time: clock.now().toISOString(),
      uptime_seconds: Math.floor(process.uptime()),
      dependencies,
      ai: { provider: config.ai?.provider ?? null, model: config.ai?.model ?? null },
      mail: { configured: config.mail !== undefined, ...(mail?.seen() ?? { waiting: null, failed: null }) },
      storage: { type: config.storage.type, writable: storage?.status !== 'Down', ...use.seen() },
      api: { requests_in_flight: traffic.inFlight(), event_loop_lag_ms: lag(), recent: traffic.recent() },
      ...workers.seen(),
    }
  },
})
