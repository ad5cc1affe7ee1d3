import { readFile } from 'node:fs/promises'
import { allTenants } from '#modules/accounts'
import { AnchorsUnreadable, newestKnown, startEpoch } from '#modules/audit'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { lines } from './messages.ts'
import { tenantsOf, withService } from './start.ts'

export const auditNewEpoch: Command = {
  options: {
    '--tenant S': 'the slug of the tenant; all tenants by default',
    '--reason TEXT': 'the reason, which stays in the trail',
    '--anchors FILE': 'checkpoints from outside of AUDIT_ANCHOR, such as a saved e-mail',
  },
  async run(args, env) {
    const options = readOptions(args, {
      tenant: { type: 'string' },
      reason: { type: 'string' },
      anchors: { type: 'string' },
    })
    const reason = required('reason', options.reason)
    const text = options.anchors === undefined ? undefined : await readFile(options.anchors, 'utf8')
    await withService(env, lines.service_running, async services => {
      const { database } = services
      const tenants =
        options.tenant === undefined ? await allTenants(database) : await tenantsOf(services, options.tenant)
      for (const tenantId of tenants) {
        const known = await newestKnown(services, tenantId, text).catch(refuse)
        const epoch = await database.transaction({ tenantId, userId: null }, 'read write', tx =>
          startEpoch(tx, { reason, anchored: known?.checkpoint }),
        )
        say(lines.audit_epoch_begun({ tenant: tenantId, epoch }))
        say(
          known
            ? lines.audit_epoch_records({
                where: known.where,
                size: known.checkpoint.size,
                epoch: known.checkpoint.epoch,
              })
            : lines.audit_epoch_records_nothing(),
        )
      }
    })
    return 0
  },
}

function refuse(error: unknown): never {
  if (!(error instanceof AnchorsUnreadable)) throw error
  throw new Refusal(lines.audit_anchors_unreadable_epoch({ reason: error.message }))
}
