import type { Variables } from './variables.ts'

/** What a process does: answers people, begins what is due by the clock, does queued work, seals the audit trail. */
export const processRoles = ['web', 'schedules', 'jobs', 'sealer'] as const
export type ProcessRole = (typeof processRoles)[number]

/** The queues of jobs, which JOB_QUEUES chooses from; `terms` in jobs/queue.ts has one entry for each. */
export const queueNames = ['mail', 'background_jobs', 'texts', 'exports', 'vectors'] as const
export type QueueName = (typeof queueNames)[number]

export function readProcesses({ list, text, wrong, whole }: Variables, database_url: string | undefined) {
  const web_concurrency = whole('WEB_CONCURRENCY', 1, [1, 64])
  if (web_concurrency > 1 && !database_url)
    wrong.push(
      `WEB_CONCURRENCY is ${web_concurrency} without DATABASE_URL: the embedded PostgreSQL belongs to one process`,
    )
  const some = <T extends string>(name: string, all: readonly T[]): ReadonlySet<T> => {
    const given = text(name) === undefined ? all : list(name)
    const unknown = given.filter(each => !(all as readonly string[]).includes(each))
    if (unknown.length > 0)
      wrong.push(`${name} has ${unknown.map(each => JSON.stringify(each)).join(', ')}: choose from ${all.join(', ')}`)
    else if (given.length === 0) wrong.push(`${name} names nothing: choose from ${all.join(', ')}`)
    return new Set(given as T[])
  }
  const process_roles = some('PROCESS_ROLES', processRoles)
  const job_queues = some('JOB_QUEUES', queueNames)
  if (!database_url && process_roles.size < processRoles.length)
    wrong.push(
      'PROCESS_ROLES leaves out work without DATABASE_URL: the embedded PostgreSQL belongs to one process, which does everything',
    )
  if (job_queues.size < queueNames.length && !process_roles.has('jobs'))
    wrong.push('JOB_QUEUES is set, and PROCESS_ROLES has no jobs: this process does none')
  return { web_concurrency, process_roles, job_queues }
}
