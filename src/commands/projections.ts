import { sql } from 'kysely'
import { systemClock } from '#kernel/clock.ts'
import { dayIn } from '#kernel/day.ts'
import { activeTenants, readSettings } from '#modules/accounts'
import { projections } from '#modules/projections'
import { countTenant, isComplianceExact, recountCompliance } from '#modules/training'
import type { Database, Tx } from '#platform/db/database.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { type Started, tenantsOf, withService } from './start.ts'

/** Derived rows that can be checked and made again. */
interface Derived {
  name: string
  findDrift(tx: Tx): Promise<string[]>
  rebuild(service: Started, tenantId: number): Promise<void>
}

/** All records of a tenant are read, which takes longer than a request may. */
const takeTime = (tx: Tx) => sql`set local statement_timeout = '1h'`.execute(tx)

const inTenant = (service: Started, tenantId: number, work: (tx: Tx) => Promise<void>) =>
  service.database.transaction({ tenantId, userId: null }, 'read write', async tx => {
    await takeTime(tx)
    await work(tx)
  })

/** The sums of training compliance depend on the day, so a job keeps them instead of the sink. */
const compliance: Derived = {
  name: 'compliance',
  async findDrift(tx) {
    const today = dayIn((await readSettings(tx)).time_zone, systemClock.now())
    return (await isComplianceExact(tx, today)) ? [] : ['training compliance']
  },
  async rebuild(service, tenantId) {
    await inTenant(service, tenantId, recountCompliance)
    await countTenant(service, tenantId)
  },
}

const derived: readonly Derived[] = [
  ...projections.map(projection => ({
    name: projection.name,
    findDrift: (tx: Tx) => projection.findDrift(tx),
    rebuild: (service: Started, tenantId: number) => inTenant(service, tenantId, tx => projection.rebuild(tx)),
  })),
  compliance,
]

const most_shown = 10

/** Compares all projections with the records, in each tenant. */
export async function checkProjections(database: Database): Promise<string> {
  const wrong: string[] = []
  for (const tenantId of await activeTenants(database))
    await database.transaction({ tenantId, userId: null }, 'read only', async tx => {
      // All of it of one moment, while the service goes on.
      await sql`set transaction isolation level repeatable read`.execute(tx)
      await takeTime(tx)
      for (const { name, findDrift } of derived) {
        const drift = await findDrift(tx)
        const more = drift.length > most_shown ? [`${drift.length - most_shown} more`] : []
        if (drift.length > 0)
          wrong.push(`tenant ${tenantId}, ${name}: ${[...drift.slice(0, most_shown), ...more].join(', ')}`)
      }
    })
  if (wrong.length > 0)
    throw new Error(
      `these differ from the records, which somebody changed by hand, or a bug did (qms projections rebuild makes them again): ${wrong.join('; ')}`,
    )
  return 'they match the records'
}

export const projectionsRebuild: Command = {
  options: {
    '--tenant S': 'the slug of one tenant; all tenants by default',
    '--only NAME': `one of ${derived.map(({ name }) => name).join(', ')}; all by default`,
  },
  async run(args, env) {
    const { tenant, only } = readOptions(args, { tenant: { type: 'string' }, only: { type: 'string' } })
    const chosen = derived.filter(({ name }) => only === undefined || name === only)
    if (chosen.length === 0)
      throw new Refusal(`There is no projection ${only}. Name one of ${derived.map(({ name }) => name).join(', ')}`)
    await withService(env, 'stop it first', async service => {
      for (const tenantId of await tenantsOf(service, tenant))
        for (const { name, rebuild } of chosen) {
          await rebuild(service, tenantId)
          say(`The projection ${name} of tenant ${tenantId} is rebuilt.`)
        }
    })
    return 0
  },
}
