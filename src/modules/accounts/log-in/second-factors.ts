import type { Services, Writing } from '#action'
import { isSealedByFirst, openTotpSecret, sealTotpSecret } from '#platform/crypto/totp.ts'
import { listTotpSecrets, lockTotpSecrets, offerTotp } from '../queries.ts'
import { allTenants } from '../tenants/actions.ts'

type Keys = Services['keys']

/**
 * Seals the second factors of a tenant with SECRET_KEY that only SECRET_KEY_PREVIOUS opens, each with an entry in the audit trail.
 * Resolves to their number.
 */
export async function resealSecondFactors({ tx, record }: Writing, { totp }: Keys): Promise<number> {
  let count = 0
  for (const { user_id, totp_secret } of await lockTotpSecrets(tx)) {
    if (isSealedByFirst(totp, user_id, totp_secret)) continue
    const secret = openTotpSecret(totp, user_id, totp_secret)
    if (secret === undefined) continue
    await offerTotp(tx, user_id, sealTotpSecret(totp, user_id, secret))
    record('user.totp_resealed', user_id)
    count += 1
  }
  return count
}

/** The second factors of all tenants, by the key that opens them. */
export async function countSecondFactors(database: Services['database'], { totp }: Keys) {
  const counts = { current: 0, previous: 0, unreadable: 0 }
  for (const tenantId of await allTenants(database)) {
    const sealed = await database.transaction({ tenantId, userId: null }, 'read only', listTotpSecrets)
    for (const { user_id, totp_secret } of sealed) {
      if (isSealedByFirst(totp, user_id, totp_secret)) counts.current += 1
      else if (openTotpSecret(totp, user_id, totp_secret) === undefined) counts.unreadable += 1
      else counts.previous += 1
    }
  }
  return counts
}
