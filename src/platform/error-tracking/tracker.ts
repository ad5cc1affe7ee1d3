import type { IncomingHttpHeaders } from 'node:http'

/** A request before scrubbing. */
export interface TrackedRequest {
  method: string
  url: string
  /** The template of the route, such as `/api/documents/:id`. Empty for an unknown path. */
  route: string
  headers: IncomingHttpHeaders
}

/**
 * Reports errors to the operators, without secrets. Request id, tenant and user come from the request context. Its methods never throw
 * and nobody waits for them, whatever the tracker does.
 */
export interface Tracker {
  /** Sends one event (TRK-02), also for an error that was sent before. */
  capture(error: unknown, request?: TrackedRequest): void
  /** Sends the duration of a request, for the configured share of requests (TRK-01). */
  trace(request: TrackedRequest, answer: { status: number; duration_ms: number }): void
  /** Sends waiting events, for two seconds at most. */
  close(): Promise<void>
}

export const noTracker: Tracker = {
  capture() {},
  trace() {},
  async close() {},
}
