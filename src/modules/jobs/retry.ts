import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { Body, IdParams, Words } from '#kernel/schema.ts'
import { messages, reasons } from './messages.ts'
import { findJob, listFailed, lockJob, startAgain } from './queries.ts'
import { Job } from './schema.ts'
import { queueTurn } from './start.ts'

type Context = Pick<ActionContext<unknown>, 'tx' | 'record'>

/** Whether it was failed still: of two who start it again at the same moment, one does. */
async function startJobAgain({ tx, record }: Context, id: number, reason: string | null) {
  const job = await lockJob(tx, id)
  if (!job) throw notFound('Job')
  if (job.status !== 'failed') return false
  const { tenant_id, kind, done, skipped, total } = job
  const turn = job.turn + 1
  await startAgain(tx, id, turn)
  record('background_job.retried', id, {
    before: { status: 'failed' },
    after: { status: 'queued', kind, done, skipped, total },
    reason,
  })
  await queueTurn(tx, kind, { tenant_id, id, turn })
  return true
}

export const retryJob = command({
  summary: 'Start a failed background job again',
  description:
    'It goes on after the last step that was done, on behalf of the person who asked for it, with the permissions that they had then.',
  permission: 'settings.manage',
  input: { params: IdParams, body: Body({ change_reason: Type.Optional(Words(1000)) }) },
  response: Job,
  async run(context, { params: { id }, body: { change_reason } }) {
    if (!(await startJobAgain(context, id, change_reason ?? null))) throw conflict(messages.job_not_failed())
    return (await findJob(context.tx, context.actor, id))!
  },
})

export const retriedDays = 30
const maxRetried = 100
const dayMs = 86_400_000

/** For the operators: all failed jobs of the tenant of the last days, up to the limit of one transaction. */
export const retryJobs = command({
  summary: 'Start failed background jobs again',
  permission: 'settings.manage',
  input: {},
  response: Type.Object({ retried: Type.Integer() }),
  async run(context) {
    const since = new Date(context.services.clock.now().getTime() - retriedDays * dayMs)
    let retried = 0
    for (const { id } of await listFailed(context.tx, since, maxRetried))
      if (await startJobAgain(context, id, reasons.reason_jobs_retried().text)) retried += 1
    if (retried === 0) throw conflict(messages.jobs_none_failed())
    return { retried }
  },
})
