import { setTimeout } from 'node:timers/promises'
import { isConnectionLost } from '#platform/db/database.ts'
import type { OutageLog } from '#platform/jobs/boss.ts'
import type { Log } from '#platform/log/log.ts'
import { lookAnew, type Sealing } from '../anchors/memory.ts'
import { BehindAnchor, SealingStopped, sealSome, tenantsToSeal } from './sealing.ts'

/** The name under which new entries are announced. */
export const announcedAs = 'audit'

export const usualSealing = {
  /** Entries of this time are sealed together. */
  gather_ms: 200,
  look_ms: 1000,
  /** After this time a stopped log is tried again, because an operator may have repaired it. */
  stopped_ms: 30_000,
}

/** The state of sealing as this process sees it. */
export interface SealingState {
  is_running: boolean
  /** The time for which the same entry of a tenant has been the first to wait, by a monotonic clock. */
  waiting_s: number
  /** The logs that can no longer be sealed, with the reason; `is_behind` if an anchor is ahead of the database. */
  stopped: { tenant_id: number; reason: string; is_behind: boolean }[]
}

export interface Sealer {
  start(): void
  /** Resolves when the current batch has ended. Another process seals the rest. */
  stop(): Promise<void>
  state(): SealingState
}

/**
 * Runs in every process, and seals in those with this role; the others only see how long entries wait. The process that locks the log of a tenant seals it, and the others go on to the next tenant. A process looks
 * after its own writes, and every second for those of others.
 *
 * It is neither a schedule nor a job: a change of an entry leaves no trace until it is sealed, so it follows each commit within
 * milliseconds, where a schedule begins once a minute, and a job would add a row of the queue to every audited transaction.
 */
export function openSealer(
  services: Sealing,
  {
    log,
    words,
    timing = {},
    seals = true,
  }: { log: Log; words: OutageLog; timing?: Partial<typeof usualSealing>; seals?: boolean },
): Sealer {
  const { database } = services
  const { gather_ms, look_ms, stopped_ms } = { ...usualSealing, ...timing }
  const stopping = new AbortController()
  /** The first waiting entry of each tenant, and since when it has been the first. */
  const first = new Map<number, { entry_id: number; since: number }>()
  const stopped = new Map<number, { reason: string; is_behind: boolean; again_at: number }>()
  let woken = Promise.withResolvers<void>()
  let running: Promise<void> | undefined
  let unlisten = () => {}

  const see = (waiting: { tenant_id: number; entry_id: number }[]) => {
    const now = performance.now()
    const seen = new Set(waiting.map(({ tenant_id }) => tenant_id))
    for (const tenant of first.keys()) if (!seen.has(tenant)) first.delete(tenant)
    for (const { tenant_id, entry_id } of waiting) {
      const before = first.get(tenant_id)
      // A late commit can add an entry before the first one; the waiting time continues.
      if (!before || entry_id > before.entry_id) first.set(tenant_id, { entry_id, since: now })
    }
  }

  /** Answers true if there is more to seal. */
  async function sealOne(tenantId: number): Promise<boolean> {
    const job = `sealing of the audit trail of tenant ${tenantId}`
    try {
      const done = await sealSome(services, tenantId, { skip: true })
      if (stopped.delete(tenantId)) log.info(`The audit trail of tenant ${tenantId} is sealed again`)
      if (done?.isAll) first.delete(tenantId)
      words.wentWell(job)
      return done?.isAll === false
    } catch (error) {
      if (isConnectionLost(error)) throw error
      if (!(error instanceof SealingStopped)) words.failed(error, job)
      else {
        if (!stopped.has(tenantId)) log.error(`Tenant ${tenantId}: ${error.message}`)
        stopped.set(tenantId, {
          reason: error.message,
          is_behind: error instanceof BehindAnchor,
          again_at: performance.now() + stopped_ms,
        })
      }
      return false
    }
  }

  /** Seals one batch of each tenant in turn, so that a tenant with many entries does not delay the others. */
  async function round() {
    for (let isMore = true; isMore; ) {
      isMore = false
      const waiting = await tenantsToSeal(database)
      see(waiting)
      if (!seals) return
      for (const { tenant_id } of waiting) {
        if (stopping.signal.aborted) return
        if ((stopped.get(tenant_id)?.again_at ?? 0) > performance.now()) continue
        isMore = (await sealOne(tenant_id)) || isMore
      }
    }
  }

  const pause = (ms: number) => setTimeout(ms, undefined, { signal: stopping.signal }).catch(() => {})

  async function run() {
    while (!stopping.signal.aborted) {
      woken = Promise.withResolvers()
      try {
        await round()
        words.wentWell()
      } catch (error) {
        words.failed(error)
        lookAnew(services.anchors)
      }
      await Promise.race([pause(look_ms), woken.promise.then(() => pause(gather_ms))])
    }
  }

  return {
    start() {
      unlisten = database.onAnnounced(what => {
        if (what === announcedAs) woken.resolve()
      })
      running = run()
    },
    async stop() {
      unlisten()
      stopping.abort()
      await running
      running = undefined
    },
    state() {
      const now = performance.now()
      return {
        is_running: running !== undefined,
        waiting_s: Math.max(0, ...[...first.values()].map(({ since }) => (now - since) / 1000)),
        stopped: [...stopped].map(([tenant_id, { reason, is_behind }]) => ({ tenant_id, reason, is_behind })),
      }
    },
  }
}
