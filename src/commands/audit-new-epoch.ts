import { readFile } from 'node:fs/promises'
import { allTenants } from '#modules/accounts'
import { AnchorsUnreadable, newEpoch, newestKnown } from '#modules/audit'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { tenantsOf, withService } from './start.ts'

export const auditNewEpoch: Command = {
  options: {
    '--tenant S': 'whose trail, by the slug; those of all if it is left out',
    '--reason TEXT': 'why: it stays in the trail',
    '--anchors FILE': 'checkpoints that were kept elsewhere than in a folder of AUDIT_ANCHOR, such as a saved message',
  },
  async run(args, env) {
    const options = readOptions(args, {
      tenant: { type: 'string' },
      reason: { type: 'string' },
      anchors: { type: 'string' },
    })
    const reason = required('reason', options.reason)
    const text = options.anchors === undefined ? undefined : await readFile(options.anchors, 'utf8')
    await withService(env, 'stop it first', async service => {
      const { database } = service
      const tenants =
        options.tenant === undefined ? await allTenants(database) : await tenantsOf(service, options.tenant)
      for (const tenantId of tenants) {
        const known = await newestKnown(service, tenantId, text).catch(refuse)
        const epoch = await database.transaction({ tenantId, userId: null }, 'read write', tx =>
          newEpoch({ tx }, { reason, anchored: known?.checkpoint }),
        )
        say(`The audit trail of tenant ${tenantId} goes on in epoch ${epoch}.`)
        say(
          known
            ? `  It tells of ${known.where}: ${known.checkpoint.size} entries in epoch ${known.checkpoint.epoch}.`
            : '  Nothing is kept of it outside of the database.',
        )
      }
    })
    return 0
  },
}

function refuse(error: unknown): never {
  if (!(error instanceof AnchorsUnreadable)) throw error
  throw new Refusal(`${error.message}. Without it the new epoch would not tell what was lost`)
}
