import type { Actor, Origin, Runner, Services } from '#action'
import { AppError } from '#kernel/errors.ts'
import { type Database, isConnectionLost, type Tx } from '#platform/db/database.ts'
import { type Attempt, Postponed, type QueuedWork } from '#platform/jobs/queue.ts'
import { findUnfinished, finish, type JobRow, lockTurn, nextTurn, readTurn, saveStep } from './queries.ts'
import { itemOf, type JobKind, queueTurn, requesterOf, type Turn } from './start.ts'

/** After it a job waits for its next turn, behind those of other tenants that wait already. */
const turn_ms = 1000

/** What jobs are done with, one step after the other, each a transaction that keeps how far it came together with what it did. */
export function backgroundJobs(
  kinds: readonly JobKind[],
  { database, runner, services }: { database: Database; runner: Runner; services: Services },
): QueuedWork<Turn> {
  const byName = new Map(kinds.map(kind => [kind.kind, kind]))

  /** Answers whether there is more of it to do in this turn. */
  const step = (kind: JobKind, { id, turn }: Turn, actor: Actor, origin: Origin) =>
    runner.inSeparateTransaction(actor, origin, async context => {
      const job = await lockTurn(context.tx, id, turn)
      if (!job) return false
      const { input, state, total, done } = job
      const went = await kind.step(context, { id, input, state, total, done })
      const now = services.clock.now()
      const after = await saveStep(context.tx, id, went, now)
      if (!went.isOver) return true
      await finish(context.tx, id, { status: 'completed', error: null }, now)
      context.record('background_job.completed', id, {
        before: { status: job.status, done, skipped: job.skipped },
        after: { status: 'completed', ...after, kind: job.kind },
        concerns: concernedBy(job),
      })
      return false
    })

  const fail = ({ id, turn }: Turn, actor: Actor, origin: Origin, error: string) =>
    runner.inSeparateTransaction(actor, origin, async ({ tx, record }) => {
      const job = await lockTurn(tx, id, turn)
      if (!job) return
      await finish(tx, id, { status: 'failed', error }, services.clock.now())
      record('background_job.failed', id, {
        before: { status: job.status },
        after: { status: 'failed', error, done: job.done, skipped: job.skipped, kind: job.kind },
        concerns: concernedBy(job),
      })
    })

  /** The next item is queued together with the end of the turn that this one was for. */
  const endTurn = (turn: Turn, actor: Actor) =>
    database.transaction(
      actor,
      'read write',
      async tx => {
        if (!(await lockTurn(tx, turn.id, turn.turn))) return
        const next = { ...turn, turn: turn.turn + 1 }
        await nextTurn(tx, turn.id, next.turn)
        await queueTurn(tx, next)
      },
      { canRunAgain: true },
    )

  async function run(turn: Turn, attempt: Attempt) {
    const system = { tenantId: turn.tenant_id, userId: null }
    const job = await database.transaction(system, 'read only', tx => readTurn(tx, turn.id, turn.turn))
    if (!job) return
    const actor = requesterOf(turn.tenant_id, job)
    const origin = { requestId: job.request_id, clientAddr: job.requester.clientAddr }
    const kind = byName.get(job.kind)
    try {
      // Of another release, which runs beside this one for a while.
      if (!kind) throw new Postponed(`no work of the kind ${job.kind} is known here`)
      const end = performance.now() + turn_ms
      while (await step(kind, turn, actor, origin))
        if (attempt.signal.aborted || performance.now() > end) return await endTurn(turn, actor)
    } catch (error) {
      // Words for who asked for it: to try again would only refuse it again.
      if (error instanceof AppError) return await fail(turn, actor, origin, error.message)
      if (attempt.isLast && !isConnectionLost(error)) await fail(turn, actor, origin, givenUp(attempt.number))
      throw error
    }
  }

  return {
    name: 'background_jobs',
    concurrency: 2,
    run,
    find: async (tx: Tx) => (await findUnfinished(tx)).map(itemOf),
  }
}

const givenUp = (attempts: number) =>
  `It failed in each of ${attempts} attempts, for a reason that is in the log of the service`

const concernedBy = ({ requested_by }: JobRow) => (requested_by === null ? [] : [requested_by])
