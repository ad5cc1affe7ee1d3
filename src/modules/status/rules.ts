import type { Dependency, StatusReport } from './schema.ts'

/** The service is down without the database, and degraded without any other dependency. */
export function overall(dependencies: readonly Pick<Dependency, 'name' | 'status'>[]): StatusReport['status'] {
  if (dependencies.some(({ name, status }) => name === 'Database' && status === 'Down')) return 'Down'
  return dependencies.some(({ status }) => status === 'Down' || status === 'Degraded') ? 'Degraded' : 'Operational'
}
