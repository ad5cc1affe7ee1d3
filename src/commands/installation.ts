import type { Services } from '#action'
import { platformTenantId, systemActor } from '#modules/accounts'
import { auditKeys, type PublicHalf } from '#modules/audit'
import { listSigningKeys, readTrustedKeys, registerNextKey } from '#modules/signatures'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { lines, reasons } from './messages.ts'
import { introduceAuditKey, origin, withService } from './start.ts'

const reason = reasons.reason_key_lost().text

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
      lines.service_running,
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
        if (!isSigningKeyNew && !isAuditKeyNew) throw new Refusal(lines.keys_present())
        if (isSigningKeyNew) {
          await services.runner.inSeparateTransaction(systemActor(platformTenantId), origin, writing =>
            registerNextKey(writing, signingKey, sealing, reason),
          )
          say(lines.signing_key_replaced({ key: signingKey.key_id, before: sealing.key_id }))
          const trusted = await services.database.transaction({ tenantId: null, userId: null }, 'read only', tx =>
            readTrustedKeys(tx, [signingKey]),
          )
          for (const { key_id, public_key } of known)
            if (!trusted.has(public_key)) say(lines.signing_key_not_trusted({ key: key_id }))
        }
        if (isAuditKeyNew) {
          const before = await introduceAuditKey(services, auditKey, reason)
          say(lines.audit_key_replaced({ key: auditKey.key_id, before: before!.key_id }))
          say(lines.audit_key_to_send())
        }
        say(lines.keys_to_copy())
      },
      { areKeysLost: true },
    )
    return 0
  },
}
