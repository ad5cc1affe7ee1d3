import type { Variables } from './variables.ts'

/** METRICS_PORT and METRICS_HOST; undefined without a port. */
export function readMetrics({ text, whole }: Variables) {
  const host = text('METRICS_HOST') ?? '127.0.0.1'
  const port = whole('METRICS_PORT', -1, [0, 65_535])
  return port === -1 ? undefined : { host, port }
}
