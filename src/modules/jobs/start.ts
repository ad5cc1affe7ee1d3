import type { ActionContext, Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { isAdminChain } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { enqueue, type QueueItem } from '#platform/jobs/queue.ts'
import type { Job } from './job.ts'
import { countBefore, insertJob, type JobRow, type Requester } from './queries.ts'
import type { JobAnswer } from './schema.ts'

/** The queue item of one turn of a job. */
export interface Turn {
  tenant_id: number
  id: number
  turn: number
}

export const itemOf = (job: string, turn: Turn): QueueItem => ({
  job,
  key: `${turn.tenant_id}/${turn.id}/${turn.turn}`,
  tenant_id: turn.tenant_id,
  data: turn,
})

export const queueTurn = async (tx: Tx, job: string, turn: Turn) =>
  enqueue(tx, 'background_jobs', [{ ...itemOf(job, turn), priority: -(await countBefore(tx, turn.id)) }])

/**
 * Starts a stepped job in the caller's transaction. The caller has the permission, so the steps run on their behalf, with the permissions that
 * they have now, and check none again. `onBehalfOf`: another person, whose work the caller lets happen.
 */
export async function startJob(
  { tx, actor, origin, services, record }: ActionContext<unknown>,
  { name: kind }: Pick<Job, 'name'>,
  { input, total, onBehalfOf = actor }: { input: object; total: number; onBehalfOf?: Actor },
): Promise<JobAnswer> {
  const {
    tenantId: tenant_id,
    userId: requested_by,
    username,
    fullName,
    role,
    roles,
    permissions,
    authTime,
  } = onBehalfOf
  const requester: Requester = {
    ...{ username, fullName, role, roles, authTime },
    permissions: [...permissions],
    clientAddr: origin.clientAddr,
  }
  const job = { kind, input, total, requested_by, requester, request_id: origin.requestId }
  const id = await insertJob(tx, job, services.clock.now())
  record('background_job.created', id, { after: { kind, total, status: 'queued' } })
  await queueTurn(tx, kind, { tenant_id, id, turn: 1 })
  return { id, kind, status: 'queued', total, done: 0, skipped: 0, href: `/api/jobs/${id}` }
}

export function requesterOf(tenantId: number, { requested_by, requester }: JobRow): Actor {
  const { clientAddr: _, permissions, ...person } = requester
  return {
    tenantId,
    userId: requested_by,
    ...person,
    isAdmin: isAdminChain(person.roles),
    permissions: new Set(permissions as Permission[]),
  }
}
