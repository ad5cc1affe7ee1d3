import type { Config } from '../config.ts'
import type { Log } from '../log/log.ts'
import { noTracker, type Tracker } from './tracker.ts'

/** Without a DSN the client is not even loaded, because that takes time and memory. */
export async function openTracker(config: Config, log: Log): Promise<Tracker> {
  if (!config.error_tracker) return noTracker
  const { openSentry } = await import('./sentry.ts')
  return openSentry({ ...config.error_tracker, release: config.release, environment: config.environment }, log)
}
