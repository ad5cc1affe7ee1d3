import type { Logger } from '../log/log.ts'
import { requestContext } from '../log/request-context.ts'
import type { TrackedRequest, Tracker } from './tracker.ts'

/** Says what nobody handled, and of which request; without one it happened in the background. */
export type Report = (thrown: unknown, request?: TrackedRequest) => void

/**
 * One ERROR line of `app.errors` with the whole traceback (LOG-05), and one event (TRK-02). In the background neither has a request
 * id, also where a request began the work: its answer is long gone.
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
