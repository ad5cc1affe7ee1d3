import type { Clock } from '#kernel/clock.ts'
import type { AnchoringState, Sealer, SealingState } from '#modules/audit'
import type { BackgroundWork } from '#platform/jobs/background.ts'
import type { Depth } from '#platform/jobs/depth.ts'
import type { Progress, ScheduleProgress } from '#platform/jobs/timetable.ts'
import { Finding, type Impression } from './probe.ts'
import type { StatusReport } from './schema.ts'

/** A schedule counts as late only after its period and this grace, in which another process can take over from one that was killed. */
const graceMs = 3 * 60_000
/** Queue items start within seconds, unless there are too many of them or no process works on them. */
const longWaitMinutes = 10
/** An entry is usually sealed within seconds. Until then, a change of it would leave no trace. */
const longUnsealedS = 60
const maxUnsealedS = 600

/** The schedules and queues, which the report shows beside their status. */
export interface Workers {
  visit(): Promise<Impression>
  seen(): Pick<StatusReport, 'workers' | 'audit'>
}

interface Work {
  background: Pick<BackgroundWork, 'progress' | 'depth'>
  sealer: Pick<Sealer, 'state'>
  anchoring(): Promise<AnchoringState>
}

export function watchWorkers({ background, sealer, anchoring }: Work, clock: Clock): Workers {
  let progress: Progress | undefined
  let queues: Depth[] = []
  let anchors: AnchoringState | undefined
  return {
    async visit() {
      progress = undefined
      queues = []
      anchors = await anchoring()
      progress = await background.progress()
      if (!progress) return { status: 'Not configured', detail: 'This process does no background work' }
      queues = await background.depth()
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
        schedules: progress?.schedules ?? [],
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

/** HLTH-03: a schedule is late if no process has finished it in its time. */
export function impressionOf(
  { schedules, started_at }: Progress,
  queues: readonly Depth[],
  now: Date,
  sealing: Pick<SealingState, 'waiting_s' | 'stopped'>,
  anchors: AnchoringState,
): Impression {
  const [stopped, ...more] = sealing.stopped.filter(({ is_behind }) => !is_behind)
  if (stopped) {
    const others = more.length > 0 ? `; the same applies to ${more.length} more` : ''
    throw new Finding(`Tenant ${stopped.tenant_id}: ${stopped.reason}${others}`)
  }
  const isBehind = sealing.stopped.length > 0
  const unsealed = `Entries of the audit trail have waited ${Math.floor(sealing.waiting_s / 60)} minutes to be sealed`
  if (sealing.waiting_s > maxUnsealedS && !isBehind) throw new Finding(unsealed)

  const minutesSince = ({ last_run_at }: ScheduleProgress) =>
    Math.floor((now.getTime() - Date.parse(last_run_at ?? started_at)) / 60_000)
  const late = schedules.filter(
    each => each.running_since === null && minutesSince(each) * 60_000 > each.every_minutes * 60_000 + graceMs,
  )
  if (late.length > 0 && late.length === schedules.length)
    throw new Finding(`No schedule has run for ${Math.min(...late.map(minutesSince))} minutes`)
  const minutesOf = ({ waiting_since }: Depth) =>
    waiting_since === null ? 0 : Math.floor((now.getTime() - Date.parse(waiting_since)) / 60_000)
  const troubles = [
    ...anchorTroubles(sealing.stopped, anchors),
    ...(sealing.waiting_s > longUnsealedS ? [unsealed] : []),
    ...late.map(each => `${each.name} has not run for ${minutesSince(each)} minutes`),
    ...schedules.filter(each => each.is_failing && !late.includes(each)).map(({ name }) => `${name} fails`),
    ...schedules
      .filter(({ last_run }) => last_run && last_run.failed > 0)
      .map(({ name, last_run }) => `${name} failed for ${last_run!.failed} and will try again`),
    ...queues
      .filter(each => minutesOf(each) >= longWaitMinutes)
      .map(each => `${each.name}: ${each.waiting} items have waited for up to ${minutesOf(each)} minutes`),
  ]
  return troubles.length > 0 ? { status: 'Degraded', detail: troubles.join('; ') } : {}
}

/** A tenant whose log is behind its anchors is no longer sealed, and everything else goes on. The first is named, the others are counted. */
function anchorTroubles(stopped: SealingState['stopped'], { targets, contradicted, doubts }: AnchoringState): string[] {
  const behind = new Map([...contradicted, ...stopped].map(({ tenant_id, reason }) => [tenant_id, reason]))
  const named = [...behind].map(([tenant_id, reason]) => `Tenant ${tenant_id}: ${reason}`)
  const failing = [...new Set(targets.flatMap(({ trouble }) => trouble ?? []))]
  return [named, doubts]
    .flatMap(([first, ...more]) =>
      first === undefined ? [] : [more.length > 0 ? `${first}; the same applies to ${more.length} more` : first],
    )
    .concat(failing)
}
