import type { Outside, Services } from '#action'
import type { Schedule } from '#modules/jobs'
import { anchorFailure } from '#platform/anchors/failure.ts'
import type { AnchorStore } from '#platform/anchors/store.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Round } from '#platform/jobs/timetable.ts'
import { within } from '#platform/within.ts'
import type { PublicHalf } from '../log/keys.ts'
import { latestCheckpoint, readLog } from '../log/queries.ts'
import { contradiction, heads, isLater, newestAnchor } from './anchor.ts'
import { mailCheckpoints } from './mail.ts'
import { believedKeys, doubtOf, memoryOf } from './memory.ts'
import type { Head } from './queries.ts'

/** The result for one log in one store. */
export interface Anchored {
  outcome: 'kept' | 'unchanged' | 'contradicted' | 'empty'
  /** The contradiction between store and database. */
  why?: string
  /** Files that no known key has signed. */
  doubtful: string[]
}

/** Stores the newest committed checkpoint, unless the store has a newer one or contradicts it. */
export async function anchorLog(
  { database }: Pick<Services, 'database'>,
  store: AnchorStore,
  { tenant_id, log_id }: Pick<Head, 'tenant_id' | 'log_id'>,
  keys: readonly PublicHalf[],
): Promise<Anchored> {
  const { anchor, doubtful } = await newestAnchor(store, log_id, keys)
  const { why, checkpoint } = await database.transaction(
    { tenantId: tenant_id, userId: null },
    'read only',
    async tx => {
      const log = await readLog(tx)
      return {
        why: anchor && (await contradiction(tx, log, anchor)),
        checkpoint: await latestCheckpoint(tx, { epoch: log.epoch }),
      }
    },
  )
  if (why !== undefined) return { outcome: 'contradicted', why, doubtful }
  if (!checkpoint) return { outcome: 'empty', doubtful }
  if (anchor && !isLater(checkpoint, anchor)) return { outcome: 'unchanged', doubtful }
  await store.keep(log_id, checkpoint)
  return { outcome: 'kept', doubtful }
}

export interface AnchoringState {
  targets: { target: string; anchored_at: string | null; trouble: string | null }[]
  /** The logs that contradict their anchors, with the reason. */
  contradicted: { tenant_id: number; reason: string }[]
  /** Files among the anchors that no known key has signed. */
  doubts: string[]
}

interface Anchoring {
  keepAll(signal: AbortSignal): Promise<Round>
  mailAll(signal: AbortSignal): Promise<Round>
  state(): Promise<AnchoringState>
}

/** One for each set of stores, because it knows what this process has kept there. */
const opened = new WeakMap<readonly AnchorStore[], Anchoring>()

function anchoringOf(services: Outside): Anchoring {
  const anchoring = opened.get(services.anchors) ?? openAnchoring(services)
  opened.set(services.anchors, anchoring)
  return anchoring
}

/** Each minute to the stores. */
export const keepCheckpoints: Schedule = {
  name: 'audit.anchor',
  every_minutes: 1,
  isOn: ({ anchors }) => anchors.length > 0,
  round: (services, signal) => anchoringOf(services).keepAll(signal),
}

/** Once a day by e-mail. */
export const mailCheckpointsDaily: Schedule = {
  name: 'audit.mail_checkpoints',
  every_minutes: 1440,
  again: { limit: 22, delay_s: 3600 },
  isOn: ({ config }) => config.audit_anchors.mailboxes.length > 0,
  round: (services, signal) => anchoringOf(services).mailAll(signal),
}

export const anchoringState = (services: Outside): Promise<AnchoringState> => anchoringOf(services).state()

/** After this many failures the other logs of a store wait for the next round. */
const maxFailures = 3
const freshMs = 60_000
const maxLookMs = 500

/** Copies checkpoints to places that the database cannot change. */
function openAnchoring(services: Outside): Anchoring {
  const { anchors, config, clock, database, mailer } = services
  const log = services.log.child({ logger: 'attest.audit' })
  const { mailboxes } = config.audit_anchors
  const { doubts } = memoryOf(anchors)
  const troubles = new Map<string, string>()
  const contradicted = new Map<string, { tenant_id: number; reason: string }>()
  const anchored_at = new Map<string, string>()
  /** The last checkpoint of each log that this process kept, by store. */
  const kept = new Map(anchors.map(store => [store, new Map<string, string>()]))
  let looked_at = Number.NEGATIVE_INFINITY

  const read = <T>(work: (tx: Tx) => Promise<T>) =>
    database.transaction({ tenantId: null, userId: null }, 'read only', work)

  /** Logs one line when a trouble begins, and one when it is over. */
  function logTrouble(logged: Map<string, string>, about: string, trouble: string | undefined) {
    if (logged.get(about) === trouble) return
    if (trouble === undefined) {
      logged.delete(about)
      log.info(`${about}: checkpoints of the audit trail are anchored again`)
    } else {
      logged.set(about, trouble)
      log.warn(trouble)
    }
  }

  function logContradiction({ tenant_id }: Head, { name }: AnchorStore, reason: string | undefined) {
    const about = `${tenant_id} ${name}`
    const before = contradicted.get(about)
    if (before?.reason === reason) return
    if (reason === undefined) contradicted.delete(about)
    else {
      contradicted.set(about, { tenant_id, reason })
      log.error(
        `The audit trail of tenant ${tenant_id} is not as it was anchored: ${reason}. Run: qms audit anchor --check`,
      )
    }
  }

  /** Keeps the checkpoints of logs that grew since the last round. */
  async function keepAll(signal: AbortSignal) {
    const run = { done: 0, refused: 0, failed: 0 }
    const keys = await believedKeys(services)
    const failures = new Map<AnchorStore, number>()
    for await (const head of heads(read)) {
      const state = `${head.epoch}-${head.size}-${head.root?.toString('hex')}`
      for (const store of anchors) {
        if (signal.aborted) return run
        if ((failures.get(store) ?? 0) >= maxFailures || kept.get(store)!.get(head.log_id) === state) continue
        try {
          const { outcome, why, doubtful } = await anchorLog(services, store, head, keys)
          logTrouble(doubts, head.log_id, doubtOf(doubtful))
          logContradiction(head, store, why)
          if (outcome === 'contradicted') run.failed += 1
          else kept.get(store)!.set(head.log_id, state)
          if (outcome === 'kept') run.done += 1
        } catch (error) {
          logTrouble(troubles, store.name, anchorFailure(store.name, error))
          failures.set(store, (failures.get(store) ?? 0) + 1)
          run.failed += 1
        }
      }
    }
    for (const store of anchors) {
      if (failures.has(store)) continue
      logTrouble(troubles, store.name, undefined)
      anchored_at.set(store.name, clock.now().toISOString())
    }
    return run
  }

  const sent = new Map<string, string>()
  async function mailAll(signal: AbortSignal) {
    const now = clock.now().toISOString()
    const day = now.slice(0, 10)
    const due = mailboxes.filter(address => sent.get(address) !== day)
    try {
      await mailCheckpoints(
        { database, mailer: mailer!, from: config.mail!.from },
        due,
        { now, name: day, signal },
        address => {
          sent.set(address, day)
          anchored_at.set(`mail:${address}`, now)
        },
      )
    } catch (error) {
      logTrouble(
        troubles,
        'mail',
        `Checkpoints of the audit trail could not be sent. ${(error as Error).message}: qms mail test says more`,
      )
      throw error
    }
    logTrouble(troubles, 'mail', undefined)
    return { done: due.length, refused: 0, failed: 0 }
  }

  /** Each process checks that it could write itself, because another one may run the rounds. */
  async function look() {
    looked_at = performance.now()
    for (const store of anchors)
      await store.check().then(
        () => {
          if (!anchored_at.has(store.name)) logTrouble(troubles, store.name, undefined)
        },
        error => logTrouble(troubles, store.name, anchorFailure(store.name, error)),
      )
  }

  return {
    keepAll,
    mailAll,
    async state() {
      if (anchors.length > 0 && performance.now() - looked_at > freshMs) await within(look(), maxLookMs, undefined)
      const names = [...anchors.map(({ name }) => name), ...mailboxes.map(address => `mail:${address}`)]
      const troubleOf = (name: string) => troubles.get(name.startsWith('mail:') ? 'mail' : name) ?? null
      return {
        targets: names.map(target => ({
          target,
          anchored_at: anchored_at.get(target) ?? null,
          trouble: troubleOf(target),
        })),
        contradicted: [...contradicted.values()],
        doubts: [...doubts.values()],
      }
    },
  }
}
