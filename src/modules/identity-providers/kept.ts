import type { Writing } from '#action'
import { remindOfBreakGlass, untriedBreakGlass } from '#modules/accounts'
import { forEachDue, forEachTenant, type Schedule } from '#modules/jobs'
import { isTextSealedByFirst, openText, sealText } from '#platform/crypto/sealed-text.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import { secretPlace } from './access.ts'
import {
  deleteAttempts,
  deleteLogoutTokens,
  findProvider,
  listIdentitiesOfProvider,
  listSecrets,
  sealLink,
  updateProvider,
} from './queries.ts'
import { openIdentitySeal, sealIdentity } from './seals.ts'

/** As long as the longest session, whose provider is asked to end its own. */
const kept_ms = 26 * 60 * 60 * 1000

/** Once a quarter for each account. */
export const breakGlassReminders: Schedule = {
  name: 'accounts.break_glass',
  every_minutes: 24 * 60,
  round: forEachDue({
    due: ({ services, read }) =>
      read(async tx => (await untriedBreakGlass(tx, services.clock.now())).map(params => ({ params }))),
    action: remindOfBreakGlass,
  }),
}

export const forgetProviderAttempts: Schedule = {
  name: 'identity-providers.attempts',
  every_minutes: 60,
  round: forEachTenant(async ({ services, write }) => {
    const now = services.clock.now()
    const done = await write(
      async tx =>
        (await deleteAttempts(tx, new Date(now.getTime() - kept_ms).toISOString())) +
        (await deleteLogoutTokens(tx, now.toISOString())),
    )
    return { done }
  }),
}

/** Seals the secrets of a tenant's providers with SECRET_KEY that only SECRET_KEY_PREVIOUS opens. Resolves to their number. */
export async function resealProviderSecrets(
  { tx, record }: Writing,
  { secrets }: Pick<DerivedKeys, 'secrets'>,
): Promise<number> {
  let count = 0
  for (const provider of await listSecrets(tx)) {
    const { id, name, client_secret, revision } = provider
    const place = secretPlace(provider)
    if (client_secret === null || isTextSealedByFirst(secrets, place, client_secret)) continue
    const secret = openText(secrets, place, client_secret)
    if (secret === undefined) continue
    await updateProvider(tx, id, { client_secret: sealText(secrets, place, secret) })
    record('identity_provider.secret_resealed', id, {
      number: name,
      before: { revision },
      after: { revision: revision + 1 },
    })
    count += 1
  }
  return count
}

/** Seals the links of a tenant's users with SECRET_KEY that only SECRET_KEY_PREVIOUS opens. Resolves to their number. */
export async function resealIdentities({ tx }: Writing, keys: DerivedKeys): Promise<number> {
  let count = 0
  for (const { id: providerId } of await listSecrets(tx)) {
    const provider = (await findProvider(tx, providerId))!
    for (const identity of await listIdentitiesOfProvider(tx, providerId)) {
      if (openIdentitySeal(keys, provider, identity) !== 'previous') continue
      await sealLink(tx, identity.id, sealIdentity(keys, provider, identity))
      count += 1
    }
  }
  return count
}
