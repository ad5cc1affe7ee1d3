import type { RecentAnswers } from '#http/traffic.ts'
import type { Dependency, StatusReport } from './schema.ts'

/** The service is down without the database, and degraded without any other dependency. */
export function overall(dependencies: readonly Pick<Dependency, 'name' | 'status'>[]): StatusReport['status'] {
  if (dependencies.some(({ name, status }) => name === 'Database' && status === 'Down')) return 'Down'
  return dependencies.some(({ status }) => status === 'Down' || status === 'Degraded') ? 'Degraded' : 'Operational'
}

/** A server that answers may be one that takes no changes, such as after a failover that did not end. */
export const troubleOfDatabase = ({ isStandby }: { isStandby: boolean }): { status?: 'Degraded'; detail?: string } =>
  isStandby ? { status: 'Degraded', detail: 'It is a standby server, which takes no changes' } : {}

/** Of the answers of the last minutes: fewer say nothing. */
const minRequests = 20
const minFailed = 5
const thresholds = { degradedShare: 0.02, downShare: 0.5, slowMedianMs: 1000 }

/** What people get from the endpoints: undefined while it is good. */
export function troubleOfAnswers({
  minutes,
  requests,
  failed,
  median_ms,
}: RecentAnswers): { status: 'Degraded' | 'Down'; detail: string } | undefined {
  const share = requests === 0 ? 0 : failed / requests
  const isDown = requests >= minRequests && share >= thresholds.downShare
  if (failed >= minFailed && share >= thresholds.degradedShare)
    return {
      status: isDown ? 'Down' : 'Degraded',
      detail: `${failed} of ${requests} requests of the last ${minutes} minutes were answered with a server error`,
    }
  if (requests >= minRequests && median_ms !== null && median_ms >= thresholds.slowMedianMs)
    return {
      status: 'Degraded',
      detail: `Half of the ${requests} requests of the last ${minutes} minutes took ${median_ms} ms or more`,
    }
  return undefined
}
