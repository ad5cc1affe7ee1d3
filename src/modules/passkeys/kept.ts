import type { Services, Writing } from '#action'
import { allTenants } from '#modules/accounts'
import { openPasskeySeal, sealPasskey } from '#platform/crypto/passkey-seal.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import { sealedBy } from './answers.ts'
import { type KnownPasskey, listLivePasskeys, storeSeal } from './queries.ts'

type Keys = Pick<DerivedKeys, 'passkeys'>

const openedBy = ({ passkeys }: Keys, passkey: KnownPasskey) =>
  openPasskeySeal(passkeys, { ...sealedBy(passkey), seal: passkey.seal })

/** Seals the passkeys of a tenant's users with SECRET_KEY that only SECRET_KEY_PREVIOUS opens. Resolves to their number. */
export async function resealPasskeys({ tx }: Pick<Writing, 'tx'>, keys: Keys): Promise<number> {
  let count = 0
  for (const passkey of await listLivePasskeys(tx)) {
    if (openedBy(keys, passkey) !== 'previous') continue
    await storeSeal(tx, passkey.id, sealPasskey(keys.passkeys, sealedBy(passkey)))
    count += 1
  }
  return count
}

/** The passkeys of all tenants, by the key that opens them. */
export async function countPasskeys(database: Services['database'], keys: Keys) {
  const counts = { current: 0, previous: 0, unreadable: 0 }
  for (const tenantId of await allTenants(database))
    for (const passkey of await database.transaction({ tenantId, userId: null }, 'read only', listLivePasskeys))
      counts[openedBy(keys, passkey) ?? 'unreadable'] += 1
  return counts
}
