import type { Logger } from '../log/log.ts'
import { requestContext } from '../log/request-context.ts'
import type { TrackedRequest, Tracker } from './tracker.ts'

/** Reports an unhandled error with its request, or without one for background work. */
export type Report = (thrown: unknown, request?: TrackedRequest) => void

/**
 * Writes one ERROR line of `app.errors` with the whole traceback (LOG-05), and sends one event (TRK-02). Background work has no request
 * id, even if a request began it, because that request was answered long ago.
 */
export function createReport(log: Logger, tracker: Tracker): Report {
  const errors = log.child({ logger: 'app.errors' })
  const report: Report = (thrown, request) => {
    const error =
      thrown instanceof Error ? thrown : new Error(`What was thrown is no error but a value of type ${typeof thrown}`)
    errors.error({ err: error }, error.message)
    tracker.capture(error, request)
  }
  return (thrown, request) => {
    if (request) report(thrown, request)
    else requestContext.run({ request_id: '' }, () => report(thrown))
  }
}
