import { platformTenantId, systemActor } from '#modules/accounts'
import { auditKeys } from '#modules/audit'
import { listSigningKeys, registerNextKey } from '#modules/signatures'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { introduceAuditKey, origin, withService } from './start.ts'

const reason = 'The key before is lost'

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
        const sealing = known.at(-1)!
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
