import { isDeepStrictEqual } from 'node:util'
import type { ActionContext, Actor, Origin, Services } from '#action'
import { AppError } from '#kernel/errors.ts'
import { isConnectionLost } from '#platform/db/database.ts'
import type { Attempt } from '#platform/jobs/queue.ts'
import type { Job } from './job.ts'
import { findUnfinished, finish, type JobRow, lockTurn, nextTurn, readTurn, saveStep } from './queries.ts'
import { itemOf, queueTurn, requesterOf, type Turn } from './start.ts'

/** A turn ends after this time, so that waiting jobs of other tenants come next. */
const turnMs = 1000

/**
 * A job that goes in steps, and whose progress its requester watches under /api/jobs. Each step is a transaction that stores how far the
 * job came together with its work. `startJob` starts it.
 */
export function steppedJob<Input extends object, State extends object, Prepared = undefined>({
  name,
  prepare,
  step,
}: {
  /** Its `kind` under /api/jobs. */
  name: string
  /** What a step needs from outside of its transaction, by the state that it begins with. It stores nothing. */
  prepare?(
    by: { services: Services; actor: Actor; origin: Origin },
    job: { input: Input; state: Partial<State> },
  ): Promise<Prepared>
  /**
   * One step: one transaction of at most some hundred rows, on behalf of the requester. Its entries notify people like those of a command.
   * It gets the state that the last step returned, at first `{}`, and returns how many items it did and skipped.
   */
  step(
    context: ActionContext<unknown>,
    job: { id: number; input: Input; state: Partial<State>; total: number; done: number; prepared: Prepared },
  ): Promise<{ state: State; done: number; skipped: number; isOver: boolean }>
}): Job<Turn> {
  /** Returns whether the job has more steps. */
  async function takeStep(services: Services, { tenant_id, id, turn }: Turn, actor: Actor, origin: Origin) {
    const { runner, clock, database } = services
    const system = { tenantId: tenant_id, userId: null }
    const before = prepare && (await database.transaction(system, 'read only', tx => readTurn(tx, id, turn)))
    const prepared =
      before &&
      (await prepare(
        { services, actor, origin },
        { input: before.input as Input, state: before.state as Partial<State> },
      ))
    return runner.inSeparateTransaction(actor, origin, async context => {
      const job = await lockTurn(context.tx, id, turn)
      if (!job) return false
      const { state, total, done } = job
      // Another process, which was thought dead, took this step meanwhile.
      if (before && !isDeepStrictEqual(before.state, state)) return true
      const given = { id, input: job.input as Input, state, total, done, prepared: prepared as Prepared }
      const result = await step(context, given)
      const now = clock.now()
      const after = await saveStep(context.tx, id, result, now)
      if (!result.isOver) return true
      await finish(context.tx, id, { status: 'completed', error: null }, now)
      context.record('background_job.completed', id, {
        before: { status: job.status, done, skipped: job.skipped },
        after: { status: 'completed', ...after, total, kind: job.kind },
        notify: concernedBy(job),
      })
      return false
    })
  }

  async function run(services: Services, turn: Turn, attempt: Attempt) {
    const system = { tenantId: turn.tenant_id, userId: null }
    const job = await services.database.transaction(system, 'read only', tx => readTurn(tx, turn.id, turn.turn))
    if (!job) return
    const actor = requesterOf(turn.tenant_id, job)
    const origin = { requestId: job.request_id, clientAddr: job.requester.clientAddr }
    try {
      const end = performance.now() + turnMs
      while (await takeStep(services, turn, actor, origin))
        if (attempt.signal.aborted || performance.now() > end) return await endTurn(services, name, turn, actor)
    } catch (error) {
      // A refusal is for the requester; another attempt would be refused again.
      if (error instanceof AppError) return await fail(services, turn, actor, origin, error.message)
      if (attempt.isLast && !isConnectionLost(error)) await fail(services, turn, actor, origin, givenUp(attempt.number))
      throw error
    }
  }

  return {
    name,
    queue: 'background_jobs',
    records: 'background_jobs',
    at_once: 2,
    run,
    find: async tx => (await findUnfinished(tx, name)).map(turn => itemOf(name, turn)),
  }
}

const fail = ({ runner, clock }: Services, { id, turn }: Turn, actor: Actor, origin: Origin, error: string) =>
  runner.inSeparateTransaction(actor, origin, async ({ tx, record }) => {
    const job = await lockTurn(tx, id, turn)
    if (!job) return
    await finish(tx, id, { status: 'failed', error }, clock.now())
    record('background_job.failed', id, {
      before: { status: job.status },
      after: { status: 'failed', error, done: job.done, skipped: job.skipped, total: job.total, kind: job.kind },
      notify: concernedBy(job),
    })
  })

/** The next turn is queued in the transaction that ends this one. */
const endTurn = ({ database }: Services, name: string, turn: Turn, actor: Actor) =>
  database.transaction(
    actor,
    'read write',
    async tx => {
      if (!(await lockTurn(tx, turn.id, turn.turn))) return
      const next = { ...turn, turn: turn.turn + 1 }
      await nextTurn(tx, turn.id, next.turn)
      await queueTurn(tx, name, next)
    },
    { canRunAgain: true },
  )

const givenUp = (attempts: number) => `It failed in all ${attempts} attempts. The log of the service has the reason.`

const concernedBy = ({ requested_by }: JobRow) => (requested_by === null ? [] : [requested_by])
