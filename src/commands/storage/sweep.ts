import type { Services } from '#action'
import { activeTenants, systemActor } from '#modules/accounts'
import { isEmpty, isSuspicious, type Sweep, sweep } from '#modules/storage'
import { type Command, Refusal, readOptions, say } from '../command.ts'
import { lines as commandLines } from '../messages.ts'
import { origin, withService } from '../start.ts'
import { inUnits } from '../units.ts'
import { lines } from './messages.ts'

export const storageSweep: Command = {
  options: {
    '--dry-run': 'only say what would be done',
    '--force': 'also where most of the files of a tenant would go',
  },
  async run(args, env) {
    const { 'dry-run': isDry, force } = readOptions(args, {
      'dry-run': { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
    })
    await withService(env, commandLines.service_running_sweep, async services => {
      for (const tenantId of await activeTenants(services.database)) await sweepTenant(services, tenantId, isDry, force)
    })
    return 0
  },
}

async function sweepTenant(services: Services, tenantId: number, isDry: boolean, force: boolean) {
  const { database, runner } = services
  const read = <T>(work: Parameters<typeof database.transaction<T>>[2]) =>
    database.transaction({ tenantId, userId: null }, 'read only', work, { canRunAgain: true })
  for (;;) {
    const { named, ...found } = await sweep.find({ tenantId, services, read })
    if (isEmpty(found)) return say(lines.storage_sweep_nothing({ tenant: tenantId }))
    if (isSuspicious({ ...found, named }) && !force && !isDry)
      throw new Refusal(lines.storage_sweep_suspicious({ tenant: tenantId, named, unknown: found.trash.length }))
    saySweep(tenantId, found, isDry)
    if (isDry) return
    await runner.run(sweep.removeOrphans, systemActor(tenantId), { body: found }, { origin })
  }
}

function saySweep(tenant: number, { trash, remove, put_back }: Sweep, is_dry: boolean) {
  for (const [files, line] of [
    [trash, lines.storage_sweep_trash],
    [remove, lines.storage_sweep_remove],
    [put_back, lines.storage_sweep_put_back],
  ] as const) {
    const size = inUnits(files.reduce((sum, { size_bytes }) => sum + size_bytes, 0))
    if (files.length > 0) say(line({ tenant, files: files.length, size, is_dry }))
  }
}
