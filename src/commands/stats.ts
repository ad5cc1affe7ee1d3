import { sql } from 'kysely'
import { systemClock } from '#kernel/clock.ts'
import { dayIn } from '#kernel/day.ts'
import { activeTenants, readSettings } from '#modules/accounts'
import { countTenant, isComplianceExact, recountCompliance } from '#modules/training'
import type { Database, Tx } from '#platform/db/database.ts'
import { type Command, readOptions, say } from './command.ts'
import { tenantsOf, withService } from './start.ts'

/** All records of a tenant are gone through, which takes longer than a request may. */
const takeTime = (tx: Tx) => sql`set local statement_timeout = '1h'`.execute(tx)

/** Compares the counts with the records, in each tenant. */
export async function checkStats(database: Database): Promise<string> {
  const wrong: string[] = []
  for (const tenantId of await activeTenants(database))
    await database.transaction({ tenantId, userId: null }, 'read only', async tx => {
      // All of it of one moment, while the service goes on.
      await sql`set transaction isolation level repeatable read`.execute(tx)
      await takeTime(tx)
      const { rows } = await sql<{ measure: string }>`select distinct measure from stat_drift() order by 1`.execute(tx)
      const measures = rows.map(({ measure }) => measure)
      const today = dayIn((await readSettings(tx)).time_zone, systemClock.now())
      if (!(await isComplianceExact(tx, today))) measures.push('training compliance')
      if (measures.length > 0) wrong.push(`tenant ${tenantId}: ${measures.join(', ')}`)
    })
  if (wrong.length > 0)
    throw new Error(
      `these counts are not those of the records, which somebody changed by hand, or a bug did (qms stats recount counts anew): ${wrong.join('; ')}`,
    )
  return 'counts are those of the records'
}

export const statsRecount: Command = {
  options: { '--tenant S': 'the slug of one tenant; all tenants by default' },
  async run(args, env) {
    const options = readOptions(args, { tenant: { type: 'string' } })
    await withService(env, 'stop it first', async services => {
      for (const tenantId of await tenantsOf(services, options.tenant)) {
        await services.database.transaction({ tenantId, userId: null }, 'read write', async tx => {
          await takeTime(tx)
          await sql`select recount_stats()`.execute(tx)
          await recountCompliance(tx)
        })
        const people = await countTenant(services, tenantId)
        say(`The records of tenant ${tenantId} and the training of its ${people} people are counted anew.`)
      }
    })
    return 0
  },
}
