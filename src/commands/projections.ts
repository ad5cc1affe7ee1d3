import { projections } from '#modules/projections'
import type { Database, Tx } from '#platform/db/database.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { compare, namesOf, takeTime } from './doctor/projections.ts'
import { lines } from './messages.ts'
import { tenantsOf, withService } from './start.ts'

const inTenant = (database: Database, tenantId: number, work: (tx: Tx) => Promise<void>) =>
  database.transaction({ tenantId, userId: null }, 'read write', async tx => {
    await takeTime(tx)
    await work(tx)
  })

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
