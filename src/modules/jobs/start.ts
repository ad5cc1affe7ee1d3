import type { ActionContext, Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import type { Tx } from '#platform/db/database.ts'
import { enqueue, type QueueItem } from '#platform/jobs/queue.ts'
import { countBefore, insertJob, type JobRow, type Requester } from './queries.ts'
import type { JobAnswer } from './schema.ts'

/** What an item of the queue says of a job. */
export interface Turn {
  tenant_id: number
  id: number
  turn: number
}

/** Work that is done in steps. */
export interface JobKind<Input = object, State = object> {
  kind: string
  /**
   * One step: one transaction, of at most some hundred rows, as who asked for it; what it records is told like a command's. It begins
   * with the state that the step before it left, at first with `{}`, and says how many it did and passed over itself.
   */
  step(
    context: ActionContext<unknown>,
    job: { id: number; input: Input; state: Partial<State>; total: number; done: number },
  ): Promise<{ state: State; done: number; skipped: number; isOver: boolean }>
}

/** The compiler ties the steps to what they keep. */
export const jobKind = <Input extends object, State extends object>(kind: JobKind<Input, State>): JobKind =>
  kind as JobKind

export const itemOf = (turn: Turn): QueueItem => ({ key: `${turn.tenant_id}/${turn.id}/${turn.turn}`, data: turn })

export const queueTurn = async (tx: Tx, turn: Turn) =>
  enqueue(tx, 'background_jobs', [{ ...itemOf(turn), priority: -(await countBefore(tx, turn.id)) }])

/**
 * In the caller's transaction. The caller was allowed to ask for it: its steps are carried out as them, as they are now, and ask for no
 * permission again.
 */
export async function startJob(
  { tx, actor, origin, services, record }: ActionContext<unknown>,
  kind: string,
  { input, total }: { input: object; total: number },
): Promise<JobAnswer> {
  const { tenantId: tenant_id, username, fullName, role, roles, permissions, authTime } = actor
  const requester: Requester = {
    ...{ username, fullName, role, roles, authTime },
    permissions: [...permissions],
    clientAddr: origin.clientAddr,
  }
  const job = { kind, input, total, requester, request_id: origin.requestId }
  const id = await insertJob(tx, job, services.clock.now())
  record('background_job.created', id, { after: { kind, total, status: 'queued' } })
  await queueTurn(tx, { tenant_id, id, turn: 1 })
  return { id, kind, status: 'queued', total, done: 0, skipped: 0, href: `/api/jobs/${id}` }
}

export function requesterOf(tenantId: number, { requested_by, requester }: JobRow): Actor {
  const { clientAddr: _, permissions, ...person } = requester
  return { tenantId, userId: requested_by, ...person, permissions: new Set(permissions as Permission[]) }
}
