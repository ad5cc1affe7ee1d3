import cluster, { type Worker } from 'node:cluster'
import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/log/log.ts'
import { listenForScrapes, metricsOfWorkers } from '#platform/metrics/listener.ts'
import { Refusal } from './command.ts'
import { lines } from './messages.ts'
import { announceFirstStart, start } from './start.ts'
import { onTerminal } from './terminal.ts'

const firstWaitMs = 100
const maxWaitMs = 10_000
/** A process that lived for so long did not fail at the start. */
const steady_ms = 10_000

/**
 * WEB_CONCURRENCY: several processes share the port, each a whole service. Resolves to the exit code when all have ended.
 *
 * A process that dies is replaced, after a growing wait if it dies at once. If none has ever listened, the start has failed.
 */
export async function supervise(config: Config, log: Logger): Promise<number> {
  // Migrates, makes keys and the first tenant, and finds problems, once and before any process listens.
  const first = await start(config, log)
  await announceFirstStart(first, log)
  await first.close()

  if (config.metrics)
    await listenForScrapes(config.metrics, { ...(await metricsOfWorkers()), log }).catch((error: Error) => {
      throw new Refusal(lines.metrics_listen_failed({ reason: error.message }))
    })

  const { promise: ended, resolve: end } = Promise.withResolvers<number>()
  const workers = new Map<Worker, number>()
  const waiting = new Set<NodeJS.Timeout>()
  let wait_ms = firstWaitMs
  let hasListened = false
  let isClosing = false
  let exitCode = 0

  const fork = () => {
    // The database is migrated, so the workers need no owner's password.
    const worker = cluster.fork({ MIGRATION_DATABASE_URL: '' })
    workers.set(worker, performance.now())
    worker.once('listening', () => {
      hasListened = true
    })
    worker.once('exit', (code, signal) => gone(worker, signal ?? code))
  }
  const gone = (worker: Worker, how: string | number) => {
    const lived_ms = performance.now() - workers.get(worker)!
    workers.delete(worker)
    if (isClosing) {
      if (how !== 0) exitCode = 1
      if (workers.size === 0) end(exitCode)
      return
    }
    if (!hasListened) {
      log.fatal(`process ${worker.process.pid} could not start (${how}): closing`)
      exitCode = 1
      return close()
    }
    wait_ms = lived_ms > steady_ms ? firstWaitMs : Math.min(wait_ms * 2, maxWaitMs)
    log.error(`process ${worker.process.pid} has ended (${how}): starting another in ${wait_ms} ms`)
    const timer = setTimeout(() => {
      waiting.delete(timer)
      fork()
    }, wait_ms)
    waiting.add(timer)
  }
  const close = () => {
    isClosing = true
    for (const timer of waiting) clearTimeout(timer)
    for (const worker of workers.keys()) worker.process.kill('SIGTERM')
    if (workers.size === 0) end(exitCode)
  }
  const take = (signal: NodeJS.Signals) => {
    if (!isClosing) {
      log.info(`closing on ${signal}`)
      return close()
    }
    log.error(`second ${signal}, exiting`)
    for (const worker of workers.keys()) worker.process.kill('SIGKILL')
    process.exit(1)
  }
  process.on('SIGTERM', take)
  onTerminal(take)
  for (let count = 0; count < config.web_concurrency; count++) fork()
  const code = await ended
  log.info('closed')
  return code
}
