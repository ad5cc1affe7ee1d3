import type { Clock } from '#kernel/clock.ts'
import type { JobProgress, Progress, RecurringJobs } from '#platform/jobs/recurring.ts'
import { Finding, type Impression } from './probe.ts'
import type { StatusReport } from './schema.ts'

/** Beyond its period, before a job counts as late: time for another process to take over from one that was killed. */
const grace_ms = 3 * 60_000

/** What the latest look has found of the work that is done by itself, for the report beside its status. */
export interface Workers {
  visit(): Promise<Impression>
  seen(): StatusReport['workers']
}

export function watchWorkers(jobs: RecurringJobs, clock: Clock): Workers {
  let last: Progress | undefined
  return {
    async visit() {
      last = undefined
      last = await jobs.progress()
      return last
        ? impressionOf(last, clock.now())
        : { status: 'Not configured', detail: 'This process does not take part' }
    },
    seen() {
      const { waiting = 0, waiting_since = null, jobs = [] } = last ?? {}
      const age_ms = waiting_since === null ? null : clock.now().getTime() - Date.parse(waiting_since)
      return {
        queue_depth: waiting,
        oldest_job_seconds: age_ms === null ? null : Math.max(0, Math.floor(age_ms / 1000)),
        jobs,
      }
    },
  }
}

/** HLTH-03: late is what no process has come to the end of in its time. */
export function impressionOf({ jobs, started_at }: Progress, now: Date): Impression {
  const minutesSince = ({ last_run_at }: JobProgress) =>
    Math.floor((now.getTime() - Date.parse(last_run_at ?? started_at)) / 60_000)
  const late = jobs.filter(
    job => job.running_since === null && minutesSince(job) * 60_000 > job.every_minutes * 60_000 + grace_ms,
  )
  if (late.length > 0 && late.length === jobs.length)
    throw new Finding(`Nothing was done for ${Math.min(...late.map(minutesSince))} minutes`)
  const troubles = [
    ...late.map(job => `${job.name} was not done for ${minutesSince(job)} minutes`),
    ...jobs.filter(job => job.is_failing && !late.includes(job)).map(({ name }) => `${name} fails`),
    ...jobs
      .filter(({ last_run }) => last_run && last_run.failed > 0)
      .map(({ name, last_run }) => `${name} failed for ${last_run!.failed}, and tries again`),
  ]
  return troubles.length > 0 ? { status: 'Degraded', detail: troubles.join('; ') } : {}
}
