import type { Clock } from '#kernel/clock.ts'
import type { Anchoring, AnchoringState, Sealer, SealingState } from '#modules/audit'
import type { BackgroundWork } from '#platform/jobs/background.ts'
import type { Depth } from '#platform/jobs/depth.ts'
import type { JobProgress, Progress } from '#platform/jobs/recurring.ts'
import { Finding, type Impression } from './probe.ts'
import type { StatusReport } from './schema.ts'

/** Beyond its period, before a job counts as late: time for another process to take over from one that was killed. */
const grace_ms = 3 * 60_000
/** What was asked for once is begun within seconds, unless there is more of it than can be done, or nobody who does it. */
const long_wait_minutes = 10
/** Until it is sealed, a change of an entry leaves no trace: seconds, as a rule. */
const long_unsealed_s = 60
const longest_unsealed_s = 600

/** What the latest look has found of the work that is done by itself, for the report beside its status. */
export interface Workers {
  visit(): Promise<Impression>
  seen(): Pick<StatusReport, 'workers' | 'audit'>
}

interface Work {
  jobs: Pick<BackgroundWork, 'progress' | 'depth'>
  sealer: Pick<Sealer, 'state'>
  anchoring: Pick<Anchoring, 'state'>
}

export function watchWorkers({ jobs, sealer, anchoring }: Work, clock: Clock): Workers {
  let progress: Progress | undefined
  let queues: Depth[] = []
  let anchors: AnchoringState | undefined
  return {
    async visit() {
      progress = undefined
      queues = []
      anchors = await anchoring.state()
      progress = await jobs.progress()
      if (!progress) return { status: 'Not configured', detail: 'This process does not take part' }
      queues = await jobs.depth()
      return impressionOf(progress, queues, clock.now(), sealer.state(), anchors)
    },
    seen() {
      const rounds = { waiting: progress?.waiting ?? 0, waiting_since: progress?.waiting_since ?? null }
      const all = [rounds, ...queues]
      const since = all.flatMap(({ waiting_since }) => waiting_since ?? []).sort()[0]
      const { waiting_s, stopped } = sealer.state()
      const workers = {
        queue_depth: all.reduce((sum, { waiting }) => sum + waiting, 0),
        oldest_job_seconds:
          since === undefined ? null : Math.max(0, Math.floor((clock.now().getTime() - Date.parse(since)) / 1000)),
        jobs: progress?.jobs ?? [],
        queues,
      }
      const audit = {
        unsealed_seconds: Math.floor(waiting_s),
        stopped: stopped.length,
        anchors: anchors?.targets ?? [],
      }
      return { workers, audit }
    },
  }
}

/** HLTH-03: late is what no process has come to the end of in its time. */
export function impressionOf(
  { jobs, started_at }: Progress,
  queues: readonly Depth[],
  now: Date,
  sealing: Pick<SealingState, 'waiting_s' | 'stopped'>,
  anchors: AnchoringState,
): Impression {
  const [stopped, ...more] = sealing.stopped.filter(({ is_behind }) => !is_behind)
  if (stopped) {
    const others = more.length > 0 ? `; so it is of ${more.length} more` : ''
    throw new Finding(`Tenant ${stopped.tenant_id}: ${stopped.reason}${others}`)
  }
  const isBehind = sealing.stopped.length > 0
  const unsealed = `Entries of the audit trail have waited ${Math.floor(sealing.waiting_s / 60)} minutes to be sealed`
  if (sealing.waiting_s > longest_unsealed_s && !isBehind) throw new Finding(unsealed)

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
    ...anchorTroubles(sealing.stopped, anchors),
    ...(sealing.waiting_s > long_unsealed_s ? [unsealed] : []),
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

/** A log that is known to have been further is sealed no more, and everything else goes on. Of many alike the first, and how many. */
function anchorTroubles(stopped: SealingState['stopped'], { targets, contradicted, doubts }: AnchoringState): string[] {
  const behind = new Map([...contradicted, ...stopped].map(({ tenant_id, reason }) => [tenant_id, reason]))
  const named = [...behind].map(([tenant_id, reason]) => `Tenant ${tenant_id}: ${reason}`)
  const failing = [...new Set(targets.flatMap(({ trouble }) => trouble ?? []))]
  return [named, doubts]
    .flatMap(([first, ...more]) =>
      first === undefined ? [] : [more.length > 0 ? `${first}; so it is of ${more.length} more` : first],
    )
    .concat(failing)
}
