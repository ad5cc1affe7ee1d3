// The open event streams of this process. What they tell is read from the sealed audit trail, which has every change of every process in one
// order without gaps: nothing is sent from one process to another, and after an outage of the database the next look goes on where the last
// one ended. LISTEN is not used, because a pooler of transactions does not pass it on.
import { setTimeout } from 'node:timers/promises'
import type { Actor } from '#action'
import { AppError, tooManyRequests, unavailable } from '#kernel/errors.ts'
import { sealedAs } from '#modules/audit'
import { type Database, isDatabaseError, type Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import {
  type Change,
  countUnread,
  listAssignees,
  listChanges,
  listDocumentFacts,
  listJobs,
  readPositions,
} from './queries.ts'
import { concernsSession, type Facts, isTold, mayRead } from './rules.ts'
import type { Ending, JobProgress, LiveEvent } from './schema.ts'

export const usualTiming = {
  look_ms: 1000,
  /** The session of each stream is looked up so often, whatever happens. */
  renew_ms: 15_000,
  /** An account is known from memory for a second, so after an entry about it the session is looked up a moment later. */
  settled_ms: 1100,
  longest_ms: 3_600_000,
}
const maxOfPerson = 8
const maxOfProcess = 1000
/** More changes than these are told as one. */
const maxChanges = 500

interface Stream {
  actor: Actor
  /** The actor as they are now, or a 401. */
  renew(): Promise<Actor>
  send(event: LiveEvent): void
  end(ending: Ending): void
  renewAt: number
  endsAt: number
  unread: number
  /** The last known state of each unfinished job, as text. */
  jobs: Map<number, string>
}

export interface Following {
  actor: Actor
  renew(): Promise<Actor>
  send(event: LiveEvent): void
  signal: AbortSignal
}

export interface Events {
  /** Tells the reader what happens until the stream ends. Rejects if the reader has gone. */
  follow(following: Following): Promise<Ending>
  /** Ends all streams, and refuses new ones. */
  stop(): void
  open(): number
}

declare module '#action/definitions.ts' {
  interface Services {
    events: Events
  }
}

interface Around {
  database: Database
  report(error: unknown): void
  timing?: Partial<typeof usualTiming>
}

export function openEvents({ database, report, timing: own = {} }: Around): Events {
  const { look_ms, renew_ms, settled_ms, longest_ms } = { ...usualTiming, ...own }
  const streams = new Set<Stream>()
  /** How far the log of each tenant with streams was told. */
  const positions = new Map<number, number>()
  let isStopped = false
  let isLooking = false
  let woken = Promise.withResolvers<void>()
  database.onAnnounced(what => {
    if (what === sealedAs) woken.resolve()
  })

  const ofTenant = (tenantId: number) => [...streams].filter(({ actor }) => actor.tenantId === tenantId)
  const inTenant = <T>(tenantId: number, work: (tx: Tx) => Promise<T>) =>
    database.transaction({ tenantId, userId: null }, 'read only', work)
  const positionsOf = (tenants: readonly number[]) =>
    database.transaction({ tenantId: null, userId: null }, 'read only', tx => readPositions(tx, tenants))

  async function renew(stream: Stream) {
    stream.renewAt = performance.now() + renew_ms
    try {
      stream.actor = await stream.renew()
      if (!stream.actor.permissions.has('notifications.read')) stream.end('signed_out')
    } catch (error) {
      if (error instanceof AppError && error.status === 401) stream.end('signed_out')
      else throw error
    }
  }

  async function renewDue(all: readonly Stream[]) {
    const now = performance.now()
    for (const stream of all) {
      if (stream.endsAt <= now) stream.end('expired')
      else if (stream.renewAt <= now) await renew(stream)
    }
  }

  /** Tells the streams of a tenant what is new in its log, and how their jobs go on. */
  async function lookAt(tenantId: number, after: number, last: number) {
    const all = ofTenant(tenantId)
    const isTooMuch = last - after > maxChanges
    const people = [...new Set(all.map(({ actor }) => actor.userId!))]
    const followed = [...new Set(all.flatMap(({ jobs }) => [...jobs.keys()]))]
    const found = await inTenant(tenantId, async tx => {
      const [changes, unread, jobs] = await Promise.all([
        last > after && !isTooMuch ? listChanges(tx, after, last) : [],
        last > after ? countUnread(tx, people) : undefined,
        listJobs(tx, people, followed),
      ])
      return { changes, unread, jobs, facts: await factsOf(tx, changes) }
    })
    // The rights of each reader are those of now, and not those of a moment before the change.
    const isAboutSessions = isTooMuch || found.changes.some(concernsSession)
    if (isAboutSessions) for (const stream of all) await renew(stream)
    if (isAboutSessions) for (const stream of all) stream.renewAt = performance.now() + settled_ms
    for (const stream of all.filter(each => streams.has(each))) {
      if (isTooMuch) stream.send({ type: 'resync' })
      tellChanges(stream, found.changes, found.facts)
      if (found.unread) tellUnread(stream, found.unread)
      tellJobs(stream, found.jobs)
    }
  }

  async function look() {
    const tenants = [...new Set([...streams].map(({ actor }) => actor.tenantId))]
    for (const { tenant_id, seq } of await positionsOf(tenants)) {
      const after = positions.get(tenant_id)
      const hasJobs = ofTenant(tenant_id).some(({ jobs }) => jobs.size > 0)
      if (after === undefined) continue
      if (seq !== after || hasJobs) await lookAt(tenant_id, Math.min(after, seq), seq)
      if (positions.has(tenant_id)) positions.set(tenant_id, seq)
    }
    await renewDue([...streams])
  }

  /** One look after another for as long as there are streams. */
  async function lookOn() {
    if (isLooking) return
    isLooking = true
    let isAway = false
    while (streams.size > 0 && !isStopped) {
      woken = Promise.withResolvers()
      try {
        await look()
        isAway = false
      } catch (error) {
        // Nothing is told while the database is away, and afterwards what happened meanwhile.
        if (!isAway && !isDatabaseError(error)) report(error)
        isAway = true
      }
      await Promise.race([setTimeout(look_ms), woken.promise])
    }
    isLooking = false
  }

  function admit({ tenantId, userId }: Actor) {
    if (isStopped || streams.size >= maxOfProcess) throw unavailable(messages.event_streams_of_process())
    if (ofTenant(tenantId).filter(({ actor }) => actor.userId === userId).length >= maxOfPerson)
      throw tooManyRequests(messages.event_streams_of_person({ maximum: maxOfPerson }), { 'retry-after': '60' })
  }

  return {
    async follow({ actor, renew, send, signal }) {
      admit(actor)
      const ended = Promise.withResolvers<Ending>()
      // The reader may go while the state is still being read, before anybody waits for the end.
      ended.promise.catch(() => {})
      const now = performance.now()
      const stream: Stream = {
        ...{ actor, renew, send, unread: 0, jobs: new Map() },
        ...{ renewAt: now + renew_ms, endsAt: now + longest_ms },
        end(ending) {
          streams.delete(stream)
          ended.resolve(ending)
        },
      }
      const leave = () => ended.reject(signal.reason)
      signal.addEventListener('abort', leave, { once: true })
      streams.add(stream)
      try {
        signal.throwIfAborted()
        if (!positions.has(actor.tenantId)) {
          const [head] = await positionsOf([actor.tenantId])
          if (!positions.has(actor.tenantId)) positions.set(actor.tenantId, head!.seq)
        }
        const state = await inTenant(actor.tenantId, tx => readState(tx, actor))
        stream.unread = state.unread
        for (const job of state.jobs) stream.jobs.set(job.id, JSON.stringify(job))
        send({ type: 'ready', ...state })
        void lookOn()
        return await ended.promise
      } finally {
        signal.removeEventListener('abort', leave)
        streams.delete(stream)
        if (ofTenant(actor.tenantId).length === 0) positions.delete(actor.tenantId)
      }
    },
    stop() {
      isStopped = true
      woken.resolve()
      for (const stream of [...streams]) stream.end('stopping')
    },
    open: () => streams.size,
  }
}

/** Reads the state that a new stream begins with. */
export async function readState(tx: Tx, { userId }: Actor): Promise<{ unread: number; jobs: JobProgress[] }> {
  const [counts, jobs] = await Promise.all([countUnread(tx, [userId!]), listJobs(tx, [userId!], [])])
  return { unread: counts[0]?.unread ?? 0, jobs: jobs.map(({ requested_by: _, ...job }) => job) }
}

async function factsOf(tx: Tx, changes: readonly Change[]): Promise<Facts> {
  const idsOf = (type: string) =>
    changes.flatMap(({ resource_type, resource_id }) => (resource_type === type && resource_id ? [resource_id] : []))
  const [documents, assignments] = [idsOf('document'), idsOf('training_assignment')]
  const [facts, assignees] = await Promise.all([
    documents.length > 0 ? listDocumentFacts(tx, documents) : [],
    assignments.length > 0 ? listAssignees(tx, assignments) : [],
  ])
  return {
    documents: new Map(facts.map(each => [each.id, each])),
    assignees: new Map(assignees.map(({ id, user_id }) => [id, user_id])),
  }
}

function tellChanges({ actor, send }: Stream, changes: readonly Change[], facts: Facts) {
  const told = new Map<string, LiveEvent>()
  for (const change of changes) {
    if (change.user_id === actor.userId || !isTold(change) || !mayRead(actor, change, facts)) continue
    const { resource_type, resource_id, revision } = change
    told.set(`${resource_type} ${resource_id}`, { type: 'changed', resource_type, id: resource_id!, revision })
  }
  for (const event of told.values()) send(event)
}

function tellUnread(stream: Stream, counts: readonly { user_id: number; unread: number }[]) {
  const unread = counts.find(({ user_id }) => user_id === stream.actor.userId)?.unread ?? 0
  if (unread === stream.unread) return
  stream.unread = unread
  stream.send({ type: 'unread', unread })
}

function tellJobs({ actor, jobs, send }: Stream, all: readonly (JobProgress & { requested_by: number })[]) {
  for (const { requested_by, ...job } of all) {
    if (requested_by !== actor.userId) continue
    const text = JSON.stringify(job)
    if (jobs.get(job.id) === text) continue
    jobs.set(job.id, text)
    send({ type: 'job', ...job })
    if (job.status === 'completed' || job.status === 'failed') jobs.delete(job.id)
  }
}
