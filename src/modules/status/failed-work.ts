import { type Actor, command, type Origin, type PrepareContext, query, type Runner } from '#action'
import { notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { systemActor } from '#modules/accounts'
import { retriedDays, retryJobs } from '#modules/jobs'
import { retryMails } from '#modules/mail'
import { findTenantName, listFailedWork } from './queries.ts'
import { FailedWork, Retried } from './schema.ts'

const dayMs = 86_400_000

export const failedWork = query({
  summary: 'List failed e-mails and background jobs of all tenants',
  description: `Of the last ${retriedDays} days, counted by tenant, kind and answer of the mail server. It holds nothing of a record; why a job failed, the tenant alone reads.`,
  permission: 'platform.read_status',
  input: {},
  response: FailedWork,
  async run({ tx, services: { clock } }) {
    // From a midnight on, so that who asks twice on a day asks the same.
    const since = new Date((Math.floor(clock.now().getTime() / dayMs) - retriedDays) * dayMs)
    return { since: since.toISOString(), items: await listFailedWork(tx, since) }
  },
})

type Retrying = (runner: Runner, actor: Actor, origin: Origin) => Promise<{ retried: number }>

/** In a transaction of the tenant, before that of the platform, which records who asked for it: no transaction sees both. */
async function retryIn(
  { actor, origin, services }: Pick<PrepareContext, 'actor' | 'origin' | 'services'>,
  id: number,
  action: Retrying,
): Promise<number> {
  const { database, runner } = services
  if (!(await database.transaction(actor, 'read only', tx => findTenantName(tx, id)))) throw notFound('Tenant')
  return (await action(runner, systemActor(id), origin)).retried
}

const retrying = (summary: string, work: 'mail' | 'job', action: Retrying) =>
  command({
    summary,
    description: 'In the name of the system of the tenant; the platform records who asked for it.',
    permission: 'platform.manage_tenants',
    input: { params: IdParams },
    response: Retried,
    prepare: (context, { params }) => retryIn(context, params.id, action),
    async run({ record, prepared: retried }, { params }) {
      record('tenant.work_retried', params.id, { after: { work, retried } })
      return { retried }
    },
  })

export const retryFailedMails = retrying('Send the failed e-mails of a tenant again', 'mail', (runner, actor, origin) =>
  runner.run(retryMails, actor, { body: {} }, { origin }),
)
export const retryFailedJobs = retrying(
  'Start the failed background jobs of a tenant again',
  'job',
  (runner, actor, origin) => runner.run(retryJobs, actor, {}, { origin }),
)
