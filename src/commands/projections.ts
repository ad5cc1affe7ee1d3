import { sql } from 'kysely'
import type { Message } from '#kernel/message.ts'
import { allTenants, platformTenantId } from '#modules/accounts'
import { type Projection, projections } from '#modules/projections'
import type { Database, Tx } from '#platform/db/database.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { lines as doctorLines } from './doctor/messages.ts'
import { lines } from './messages.ts'
import { tenantsOf, withService } from './start.ts'

/** All records of a tenant are read, which takes longer than a request may. */
const takeTime = (tx: Tx) => sql`set local statement_timeout = '1h'`.execute(tx)

const inTenant = (database: Database, tenantId: number, work: (tx: Tx) => Promise<void>) =>
  database.transaction({ tenantId, userId: null }, 'read write', async tx => {
    await takeTime(tx)
    await work(tx)
  })

const most_shown = 10

const namesOf = (some: readonly Projection[]) => some.map(({ name }) => name)

/** Compares these projections with the records, in each tenant. Refuses with what differs. */
async function compare(database: Database, chosen: readonly Projection[], tenantIds: readonly number[]) {
  const wrong: string[] = []
  for (const tenantId of tenantIds)
    await database.transaction({ tenantId, userId: null }, 'read only', async tx => {
      // All of it of one moment, while the service goes on.
      await sql`set transaction isolation level repeatable read`.execute(tx)
      await takeTime(tx)
      for (const projection of chosen) {
        const drift = await projection.findDrift(tx)
        const more = drift.length > most_shown ? [`${drift.length - most_shown} more`] : []
        if (drift.length > 0)
          wrong.push(`tenant ${tenantId}, ${projection.name}: ${[...drift.slice(0, most_shown), ...more].join(', ')}`)
      }
    })
  if (wrong.length > 0) throw new Refusal(lines.projections_differ({ found: wrong }))
}

/** For `doctor`: compares the projections that need no reading of every text and entry, in every tenant but the platform, which has no records. */
export async function checkProjections(database: Database): Promise<Message> {
  const [quick, slow] = [false, true].map(isSlow =>
    projections.filter(each => (each.isSlowToCompare ?? false) === isSlow),
  )
  const tenants = (await allTenants(database)).filter(id => id !== platformTenantId)
  await compare(database, quick!, tenants)
  return doctorLines.doctor_projections_match({ names: namesOf(quick!), not_compared: namesOf(slow!) })
}

const options = {
  '--tenant S': 'the slug of one tenant; all tenants by default',
  '--only NAME': `one of ${namesOf(projections).join(', ')}; all by default`,
}

function readChoice(args: string[]) {
  const { tenant, only } = readOptions(args, { tenant: { type: 'string' }, only: { type: 'string' } })
  const chosen = projections.filter(({ name }) => only === undefined || name === only)
  if (chosen.length === 0)
    throw new Refusal(lines.projection_unknown({ name: String(only), names: namesOf(projections) }))
  return { tenant, chosen }
}

export const projectionsCheck: Command = {
  options,
  async run(args, env) {
    const { tenant, chosen } = readChoice(args)
    await withService(env, lines.service_running, async services => {
      const tenantIds = await tenantsOf(services, tenant)
      await compare(services.database, chosen, tenantIds)
      say(lines.projections_match({ names: namesOf(chosen), tenants: tenantIds.length }))
    })
    return 0
  },
}

export const projectionsRebuild: Command = {
  options,
  async run(args, env) {
    const { tenant, chosen } = readChoice(args)
    await withService(env, lines.service_running, async services => {
      for (const tenantId of await tenantsOf(services, tenant))
        for (const projection of chosen) {
          await inTenant(services.database, tenantId, tx => projection.rebuild(tx))
          say(lines.projection_rebuilt({ name: projection.name, tenant: tenantId }))
        }
    })
    return 0
  },
}
