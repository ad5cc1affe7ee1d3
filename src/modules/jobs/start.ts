import type { ActionContext, Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import type { Tx } from '#platform/db/database.ts'
import { enqueue, type QueueItem } from '#platform/jobs/queue.ts'
import { countBefore, insertJob, type JobRow, type Requester } from './queries.ts'
import type { JobAnswer } from './schema.ts'

/** The queue item of one turn of a job. */
export interface Turn {
  tenant_id: number
  id: number
  turn: number
}

/** A kind of job that is done in steps. */
export interface JobKind<Input = object, State = object> {
  kind: string
  /**
   * One step: one transaction of at most some hundred rows, on behalf of the requester. Its entries notify people like those of a command.
   * It gets the state that the last step returned, at first `{}`, and returns how many items it did and skipped.
   */
  step(
    context: ActionContext<unknown>,
    job: { id: number; input: Input; state: Partial<State>; total: number; done: number },
  ): Promise<{ state: State; done: number; skipped: number; isOver: boolean }>
}

/** Types the state of a job kind while it is defined. */
export const jobKind = <Input extends object, State extends object>(kind: JobKind<Input, State>): JobKind =>
  kind as JobKind

export const itemOf = (turn: Turn): QueueItem => ({ key: `${turn.tenant_id}/${turn.id}/${turn.turn}`, data: turn })

export const queueTurn = async (tx: Tx, turn: Turn) =>
  enqueue(tx, 'background_jobs', [{ ...itemOf(turn), priority: -(await countBefore(tx, turn.id)) }])

/**
 * Starts a job in the caller's transaction. The caller has the permission, so the steps run on their behalf, with the permissions that
 * they have now, and check none again.
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
