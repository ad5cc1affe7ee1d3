import type { Services } from '#action'
import { platformTenantId, systemActor } from '#modules/accounts'
import { auditKeys, type PublicHalf } from '#modules/audit'
import { listSigningKeys, readTrustedKeys, registerNextKey } from '#modules/signatures'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { introduceAuditKey, origin, withService } from './start.ts'

const reason = 'The key before is lost'

/**
 * The newest key that the first one leads to. Everybody who can write to the database could have added a newer one, for which the new key
 * must not vouch by itself.
 */
async function newestLinked({ database }: Services, known: PublicHalf[]): Promise<PublicHalf> {
  const linked = await database.transaction({ tenantId: null, userId: null }, 'read only', tx =>
    readTrustedKeys(tx, known.slice(0, 1)),
  )
  return known.findLast(({ public_key }) => linked.has(public_key))!
}

/**
 * For lost keys. A start never replaces a key that the database knows, because a host without the keys would silently become another
 * installation. A repetition after an interruption continues with the same new keys.
 */
export const installationNewKeys: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    await withService(
      env,
      'stop it first',
      async services => {
        const { signingKey, auditKey } = services
        const known = await services.database.transaction(
          { tenantId: null, userId: null },
          'read only',
          listSigningKeys,
        )
        const sealing = await newestLinked(services, known)
        const isSigningKeyNew = !known.some(({ key_id }) => key_id === signingKey.key_id)
        const isAuditKeyNew = !(await auditKeys(services.database)).some(({ key_id }) => key_id === auditKey.key_id)
        if (!isSigningKeyNew && !isAuditKeyNew)
          throw new Refusal(
            'The keys are present and belong to this installation. To replace them, run signing-key rotate and audit-key rotate',
          )
        if (isSigningKeyNew) {
          await services.runner.inSeparateTransaction(systemActor(platformTenantId), origin, writing =>
            registerNextKey(writing, signingKey, sealing, reason),
          )
          say(`The key ${signingKey.key_id} seals signatures. Earlier seals of ${sealing.key_id} stay valid.`)
          const trusted = await services.database.transaction({ tenantId: null, userId: null }, 'read only', tx =>
            readTrustedKeys(tx, [signingKey]),
          )
          for (const { key_id, public_key } of known)
            if (!trusted.has(public_key))
              say(`The key ${key_id} is not trusted. If it is an earlier key of this installation: signing-key confirm`)
        }
        if (isAuditKeyNew) {
          const before = await introduceAuditKey(services, auditKey, reason)
          say(`The key ${auditKey.key_id} signs checkpoints of the audit trail, in the place of ${before!.key_id}.`)
          say('Send it to everybody who verifies, with the reason: audit-key list --tenant SLUG')
        }
        say('Copy the keys to every other host of the installation, and to their safe place.')
      },
      { areKeysLost: true },
    )
    return 0
  },
}
