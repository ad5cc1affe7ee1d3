import type { Services } from '#action'
import { activeTenants, systemActor } from '#modules/accounts'
import { isEmpty, isSuspicious, type Sweep, sweep } from '#modules/storage'
import { type Command, Refusal, readOptions, say } from '../command.ts'
import { origin, withService } from '../start.ts'
import { inUnits } from '../units.ts'

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
    await withService(env, 'it sweeps once a day by itself; to see what it would do, stop it first', async services => {
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
    if (isEmpty(found)) return say(`tenant ${tenantId}: nothing to sweep`)
    if (isSuspicious({ ...found, named }) && !force && !isDry)
      throw new Refusal(
        `Records of tenant ${tenantId} name ${named} files, and ${found.trash.length} or more have no record. Is this the store of the database? With --force they go to the trash`,
      )
    say(`tenant ${tenantId}: ${describeSweep(found, isDry)}`)
    if (isDry) return
    await runner.run(sweep.removeOrphans, systemActor(tenantId), { body: found }, { origin })
  }
}

const describeSweep = ({ trash, remove, put_back }: Sweep, isDry: boolean) =>
  (
    [
      [trash, 'to the trash'],
      [remove, 'out of the trash, for good'],
      [put_back, 'back from the trash'],
    ] as const
  )
    .filter(([files]) => files.length > 0)
    .map(([files, where]) => {
      const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
      return `${files.length} files (${inUnits(bytes)}) ${isDry ? 'would go ' : ''}${where}`
    })
    .join(', ')
