import type { Clock } from '#kernel/clock.ts'
import type { BackgroundWork } from '#platform/jobs/background.ts'
import type { Depth } from '#platform/jobs/depth.ts'
import type { JobProgress, Progress } from '#platform/jobs/recurring.ts'
import { Finding, type Impression } from './probe.ts'
import type { StatusReport } from './schema.ts'

/** Beyond its period, before a job counts as late: time for another process to take over from one that was killed. */
const grace_ms = 3 * 60_000
/** What was asked for once is begun within seconds, unless there is more of it than can be done, or nobody who does it. */
const long_wait_minutes = 10

/** What the latest look has found of the work that is done by itself, for the report beside its status. */
export interface Workers {
  visit(): Promise<Impression>
  seen(): StatusReport['workers']
}

export function watchWorkers(work: Pick<BackgroundWork, 'progress' | 'depth'>, clock: Clock): Workers {
  let progress: Progress | undefined
  let queues: Depth[] = []
  return {
    async visit() {
      progress = undefined
      queues = []
      progress = await work.progress()
      if (!progress) return { status: 'Not configured', detail: 'This process does not take part' }
      queues = await work.depth()
      return impressionOf(progress, queues, clock.now())
    },
    seen() {
      const rounds = { waiting: progress?.waiting ?? 0, waiting_since: progress?.waiting_since ?? null }
      const all = [rounds, ...queues]
      const since = all.flatMap(({ waiting_since }) => waiting_since ?? []).sort()[0]
      return {
        queue_depth: all.reduce((sum, { waiting }) => sum + waiting, 0),
        oldest_job_seconds:
          since === undefined ? null : Math.max(0, Math.floor((clock.now().getTime() - Date.parse(since)) / 1000)),
        jobs: progress?.jobs ?? [],
        queues,
      }
    },
  }
}

/** HLTH-03: late is what no process has come to the end of in its time. */
export function impressionOf({ jobs, started_at }: Progress, queues: readonly Depth[], now: Date): Impression {
  const minutesSince = ({ last_run_at }: JobProgress) =>
    Math.floor((now.getTime() - Date.parse(last_run_at ?? started_at)) / 60_000)
  const late = jobs.filter(
    job => job.running_since === null && minutesSince(job) * 60_000 > job.every_minutes * 60_000 + grace_ms,
  )
  if (late.length > 0 && late.length === jobs.length)
    throw new Finding(`Nothing was done for ${Math.min(...late.map(minutesSince))} minutes`)
  const minutesOf = ({ waiting_since }: Depth) =>
    waiting_since === null ? 0 : Math.floor((now.getTime() - Date.parse(waiting_since)) / 60_000)
  const troubles = [
    ...late.map(job => `${job.name} was not done for ${minutesSince(job)} minutes`),
    ...jobs.filter(job => job.is_failing && !late.includes(job)).map(({ name }) => `${name} fails`),
    ...jobs
      .filter(({ last_run }) => last_run && last_run.failed > 0)
      .map(({ name, last_run }) => `${name} failed for ${last_run!.failed}, and tries again`),
    ...queues
      .filter(each => minutesOf(each) >= long_wait_minutes)
      .map(each => `${each.name}: ${each.waiting} of it waited for up to ${minutesOf(each)} minutes`),
  ]
  return troubles.length > 0 ? { status: 'Degraded', detail: troubles.join('; ') } : {}
}
