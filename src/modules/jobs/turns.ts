import type { Actor, Origin, Runner, Services } from '#action'
import { AppError } from '#kernel/errors.ts'
import { type Database, isConnectionLost, type Tx } from '#platform/db/database.ts'
import { type Attempt, Postponed, type QueuedWork } from '#platform/jobs/queue.ts'
import { findUnfinished, finish, type JobRow, lockTurn, nextTurn, readTurn, saveStep } from './queries.ts'
import { itemOf, type JobKind, queueTurn, requesterOf, type Turn } from './start.ts'

/** A turn ends after this time, so that waiting jobs of other tenants come next. */
const turnMs = 1000

/** Runs jobs step by step. Each step is a transaction that stores its progress together with its work. */
export function backgroundJobs(
  kinds: readonly JobKind[],
  { database, runner, services }: { database: Database; runner: Runner; services: Services },
): QueuedWork<Turn> {
  const byName = new Map(kinds.map(kind => [kind.kind, kind]))

  /** Returns whether the job has more steps. */
  const step = (kind: JobKind, { id, turn }: Turn, actor: Actor, origin: Origin) =>
    runner.inSeparateTransaction(actor, origin, async context => {
      const job = await lockTurn(context.tx, id, turn)
      if (!job) return false
      const { input, state, total, done } = job
      const result = await kind.step(context, { id, input, state, total, done })
      const now = services.clock.now()
      const after = await saveStep(context.tx, id, result, now)
      if (!result.isOver) return true
      await finish(context.tx, id, { status: 'completed', error: null }, now)
      context.record('background_job.completed', id, {
        before: { status: job.status, done, skipped: job.skipped },
        after: { status: 'completed', ...after, kind: job.kind },
        notify: concernedBy(job),
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
        notify: concernedBy(job),
      })
    })

  /** The next turn is queued in the transaction that ends this one. */
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
      // A process of another release may have started the job.
      if (!kind) throw new Postponed(`this process does not know the job kind ${job.kind}`)
      const end = performance.now() + turnMs
      while (await step(kind, turn, actor, origin))
        if (attempt.signal.aborted || performance.now() > end) return await endTurn(turn, actor)
    } catch (error) {
      // A refusal is for the requester; another attempt would be refused again.
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

const givenUp = (attempts: number) => `It failed in all ${attempts} attempts. The log of the service has the reason.`

const concernedBy = ({ requested_by }: JobRow) => (requested_by === null ? [] : [requested_by])
