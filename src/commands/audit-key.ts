import { join } from 'node:path'
import { auditKeys, type PublicHalf, verifierKeysOf } from '#modules/audit'
import {
  dropPreviousSigningKey,
  findSigningKeys,
  installNextSigningKey,
  keepSigningKey,
  prepareNextSigningKey,
} from '#platform/crypto/signing-key.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { introduceAuditKey, tenantsOf, withService } from './start.ts'

/** Whatever ends this between two steps leaves a service that signs with a key that is known; begun again, it goes on with the same new key. */
export const auditKeyRotate: Command = {
  options: {
    '--finish': 'sign with the new key alone: the private half of the one before is destroyed',
  },
  async run(args, env) {
    const { finish } = readOptions(args, { finish: { type: 'boolean', default: false } })
    await withService(env, 'stop it first', async service => {
      const folder = join(service.config.data_dir, 'keys')
      const { inUse, previous } = await findSigningKeys(folder, 'audit')
      const isUnderWay = previous !== undefined && previous.key_id !== inUse?.key_id
      if (finish) {
        if (!isUnderWay) throw new Refusal('There is no rotation to finish')
        await dropPreviousSigningKey(folder, 'audit')
        say(`The key ${inUse!.key_id} alone signs from the next start on. Restart every process that still runs.`)
        return
      }
      if (isUnderWay)
        throw new Refusal(`A rotation to ${inUse!.key_id} is under way: end it with audit-key rotate --finish`)
      const next = await prepareNextSigningKey(folder, 'audit')
      await introduceAuditKey(service, next, null)
      await keepSigningKey(folder, 'audit')
      await installNextSigningKey(folder, 'audit')
      say(`The keys ${inUse!.key_id} and ${next.key_id} both sign checkpoints from the next start on.`)
      say('Restart every process that still runs, copy DATA_DIR/keys anew, and give the new key to who verifies:')
      say('  audit-key list --tenant SLUG')
      say('When they have it: audit-key rotate --finish')
    })
    return 0
  },
}

export const auditKeyList: Command = {
  options: { '--tenant SLUG': "as who verifies this tenant's trail needs them" },
  async run(args, env) {
    const { tenant } = readOptions(args, { tenant: { type: 'string' } })
    await withService(env, 'stop it first', async service => {
      const { auditKey, previousAuditKey } = service.services
      const used: Record<string, string> = {
        ...(previousAuditKey && { [previousAuditKey.key_id]: '  until the rotation is finished' }),
        [auditKey.key_id]: '  in use',
      }
      const [tenantId] = tenant === undefined ? [] : await tenantsOf(service, tenant)
      const shown =
        tenantId === undefined ? (key: PublicHalf) => key.public_key : await verifierKeysOf(service.database, tenantId)
      for (const key of await auditKeys(service.database))
        say(`${key.key_id}  ${key.created_at}  ${shown(key)}${used[key.key_id] ?? ''}`)
    })
    return 0
  },
}
