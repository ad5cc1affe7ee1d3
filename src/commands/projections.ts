import { sql } from 'kysely'
import { activeTenants } from '#modules/accounts'
import { type Projection, projections } from '#modules/projections'
import type { Database, Tx } from '#platform/db/database.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { tenantsOf, withService } from './start.ts'

/** All records of a tenant are read, which takes longer than a request may. */
const takeTime = (tx: Tx) => sql`set local statement_timeout = '1h'`.execute(tx)

const inTenant = (database: Database, tenantId: number, work: (tx: Tx) => Promise<void>) =>
  database.transaction({ tenantId, userId: null }, 'read write', async tx => {
    await takeTime(tx)
    await work(tx)
  })

const most_shown = 10

/** Compares these projections with the records, in each tenant. Throws an error that names what differs. */
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
  if (wrong.length > 0)
    throw new Error(
      `these differ from the records, which somebody changed by hand, or a bug did (qms projections rebuild makes them again): ${wrong.join('; ')}`,
    )
}

/** For `doctor` and `restore`: compares the projections that need no reading of every text and entry. */
export async function checkProjections(database: Database): Promise<string> {
  const [quick, slow] = [false, true].map(isSlow =>
    projections.filter(each => (each.isSlowToCompare ?? false) === isSlow),
  )
  await compare(database, quick!, await activeTenants(database))
  const names = (some: readonly Projection[]) => some.map(({ name }) => name).join(', ')
  return `${names(quick!)} match the records (qms projections check also compares ${names(slow!)})`
}

const options = {
  '--tenant S': 'the slug of one tenant; all tenants by default',
  '--only NAME': `one of ${projections.map(({ name }) => name).join(', ')}; all by default`,
}

function readChoice(args: string[]) {
  const { tenant, only } = readOptions(args, { tenant: { type: 'string' }, only: { type: 'string' } })
  const chosen = projections.filter(({ name }) => only === undefined || name === only)
  if (chosen.length === 0)
    throw new Refusal(`There is no projection ${only}. Name one of ${projections.map(({ name }) => name).join(', ')}`)
  return { tenant, chosen }
}

export const projectionsCheck: Command = {
  options,
  async run(args, env) {
    const { tenant, chosen } = readChoice(args)
    await withService(env, 'stop it first', async services => {
      const tenantIds = await tenantsOf(services, tenant)
      await compare(services.database, chosen, tenantIds).catch((error: Error) => {
        throw new Refusal(error.message, { cause: error })
      })
      say(`${chosen.map(({ name }) => name).join(', ')} match the records of ${tenantIds.length} tenants.`)
    })
    return 0
  },
}

export const projectionsRebuild: Command = {
  options,
  async run(args, env) {
    const { tenant, chosen } = readChoice(args)
    await withService(env, 'stop it first', async services => {
      for (const tenantId of await tenantsOf(services, tenant))
        for (const projection of chosen) {
          await inTenant(services.database, tenantId, tx => projection.rebuild(tx))
          say(`The projection ${projection.name} of tenant ${tenantId} is rebuilt.`)
        }
    })
    return 0
  },
}
