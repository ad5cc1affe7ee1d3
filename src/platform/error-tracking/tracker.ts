import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import type { Log } from '../log/log.ts'

/** A request as it came; what must not leave is taken out of it before anything is sent. */
export interface TrackedRequest {
  method: string
  url: string
  /** As it is mounted: `/api/documents/:id`. Empty where nothing is. */
  route: string
  headers: IncomingHttpHeaders
}

/**
 * Tells those who operate the service what went wrong, without what is secret. Request id, tenant and user are those of the request
 * context. Nothing here throws or is waited for, whatever the tracker does.
 */
export interface Tracker {
  /** One event (TRK-02), also of an error that was there before. */
  capture(error: unknown, request?: TrackedRequest): void
  /** How long a request took, of the share of them that is asked for (TRK-01). */
  trace(request: TrackedRequest, answer: { status: number; duration_ms: number }): void
  /** Sends what is waiting, for two seconds at most. */
  close(): Promise<void>
}

export const noTracker: Tracker = {
  capture() {},
  trace() {},
  async close() {},
}

/** Where no DSN is given, the client is not even loaded: it takes a while, and much memory. */
export async function openTracker(config: Config, log: Log): Promise<Tracker> {
  if (!config.error_tracker) return noTracker
  const { openSentry } = await import('./sentry.ts')
  return openSentry({ ...config.error_tracker, release: config.release, environment: config.environment }, log)
}
