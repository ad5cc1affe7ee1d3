import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import { type Config, readConfig } from '#platform/config.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import { lineWriter } from '#platform/log/lines.ts'
import { createLog } from '#platform/log/log.ts'
import { giveBackWhenIdle, keepCode } from '#platform/memory.ts'
import { giveMetricsToPrimary, listenForScrapes } from '#platform/metrics/listener.ts'
import { type Command, Refusal, readOptions } from './command.ts'
import { lines } from './messages.ts'
import type { Service } from './service.ts'
import { announceFirstStart, start } from './start.ts'
import { ofTerminal, onTerminal } from './terminal.ts'
import { supervise } from './workers.ts'

// Running requests have 25 s (see usualLimits). This limit is for a hanging close, and shorter than the 30 s of most supervisors.
const maxCloseMs = 29_000

/**
 * Answers requests and does schedules and jobs until a signal ends the process. Resolves to the exit code. `announce` receives the address.
 */
export async function listen(service: Service, announce?: (address: string) => void): Promise<number> {
  const { server } = service
  const { config, tracker } = service.services
  const log = service.services.log.child({ logger: 'server' })
  const report = createReport(log, tracker)
  const address = await server.listen({ host: config.host, port: config.port }).catch(async (error: Error) => {
    await service.close()
    throw new Refusal(lines.listen_failed({ address: `${config.host}:${config.port}`, reason: error.message }))
  })
  // Before the address is announced, because the process may be ended at once.
  const ended = new Promise<number>(resolve => {
    // It ends the process itself; at a second signal at once.
    const options = { delay: maxCloseMs, logger: log, onSecondError: report, skip: [...ofTerminal] }
    let closingOn: NodeJS.Signals | undefined
    const { close } = closeWithGrace(options, async reason => {
      // An uncaught error, perhaps `undefined`: the state of the process is unknown.
      const isFailure = 'err' in reason
      if (isFailure) report(reason.err)
      else log.info(`closing on ${closingOn ?? reason.signal}`)
      closingOn ??= reason.signal
      await service.close()
      log.info('closed')
      if (isFailure) process.exit(1)
    })
    onTerminal(signal => {
      if (closingOn) {
        log.error(`second ${signal}, exiting`)
        process.exit(1)
      }
      closingOn = signal
      close()
    })
    void service.died.then(async () => {
      report(new Error('the database server has ended by itself: closing'))
      await service.close()
      resolve(1)
    })
  })
  const { metrics } = service
  if (metrics && config.metrics) {
    if (cluster.isWorker) await giveMetricsToPrimary(metrics)
    else
      await listenForScrapes(config.metrics, {
        contentType: metrics.contentType,
        render: () => metrics.metrics(),
        log,
      }).catch(async (error: Error) => {
        await service.close()
        throw new Refusal(lines.metrics_listen_failed({ reason: error.message }))
      })
  }
  // The reader of the log has gone, so the supervisor should restart the service.
  const silenced = new Promise<void>(resolve => process.stdout.once('error', () => resolve())).then(async () => {
    await service.close()
    return 1
  })
  log.info(`listening on ${address}${servedBeside(config, address)}`)
  service.background.start()
  service.sealer.start()
  keepCode()
  giveBackWhenIdle()
  announce?.(address)
  return Promise.race([ended, silenced])
}

function servedBeside({ process_roles, docs_enabled }: Config, address: string) {
  if (!process_roles.has('web')) return `, for GET /api/health alone (${[...process_roles].join(', ')})`
  return docs_enabled ? `, the API's description is at ${address}/docs` : ''
}

export const serve: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    const config = readConfig(env)
    const log = createLog({
      format: config.log_format,
      level: config.log_level,
      write: lineWriter(process.stdout),
      // Tells the lines of several processes apart.
      ...(cluster.isWorker && { fields: { process: process.pid } }),
    })
    if (config.web_concurrency > 1 && cluster.isPrimary) return supervise(config, log.child({ logger: 'server' }))
    const service = await start(config, log)
    // With several processes, the first one has printed a code already.
    if (!cluster.isWorker) await announceFirstStart(service, log)
    return listen(service)
  },
}
