import type { Dependency, StatusReport } from './schema.ts'

/** Without the database nothing works; without any of the others, the rest does. */
export function overall(dependencies: readonly Pick<Dependency, 'name' | 'status'>[]): StatusReport['status'] {
  if (dependencies.some(({ name, status }) => name === 'Database' && status === 'Down')) return 'Down'
  return dependencies.some(({ status }) => status === 'Down' || status === 'Degraded') ? 'Degraded' : 'Operational'
}
