import type { Services, Writing } from '#action'
import { allTenants, remindOfBreakGlass, untriedBreakGlass, untriedSince } from '#modules/accounts'
import { forEachDue, forEachTenant, type Schedule } from '#modules/jobs'
import { isTextSealedByFirst, openText, sealText } from '#platform/crypto/sealed-text.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import type { Tx } from '#platform/db/database.ts'
import { secretPlace } from './access.ts'
import {
  deleteAttempts,
  deleteLogoutTokens,
  listIdentitiesOfProvider,
  listProviders,
  lockProviders,
  type ProviderRow,
  sealLink,
  storeSeal,
  updateProvider,
} from './queries.ts'
import { openIdentitySeal, openProviderSeal, sealIdentity, sealProvider } from './seals.ts'

/** As long as the longest session, whose provider is asked to end its own. */
const kept_ms = 26 * 60 * 60 * 1000

/** Once a quarter for each account. */
export const breakGlassReminders: Schedule = {
  name: 'accounts.break_glass',
  every_minutes: 24 * 60,
  round: forEachDue({
    where: { task: 'accounts.break_glass', before: ({ clock }) => untriedSince(clock.now()) },
    due: ({ services, read }) =>
      read(async tx => (await untriedBreakGlass(tx, services.clock.now())).map(params => ({ params }))),
    action: remindOfBreakGlass,
  }),
}

export const forgetProviderAttempts: Schedule = {
  name: 'identity-providers.attempts',
  every_minutes: 60,
  round: forEachTenant(
    async ({ services, write }) => {
      const now = services.clock.now()
      const done = await write(
        async tx =>
          (await deleteAttempts(tx, new Date(now.getTime() - kept_ms).toISOString())) +
          (await deleteLogoutTokens(tx, now.toISOString())),
      )
      return { done }
    },
    { task: 'identity-providers.attempts', before: ({ clock }) => new Date(clock.now().getTime() - kept_ms) },
  ),
}

type Opened = 'current' | 'previous' | undefined

/** The key that opens the secret; undefined for none. */
function openedBy({ secrets }: Pick<DerivedKeys, 'secrets'>, provider: ProviderRow): Opened {
  const { client_secret } = provider
  const place = secretPlace(provider)
  if (client_secret === null || openText(secrets, place, client_secret) === undefined) return undefined
  return isTextSealedByFirst(secrets, place, client_secret) ? 'current' : 'previous'
}

/**
 * Seals the secrets and settings of a tenant's providers with SECRET_KEY that only SECRET_KEY_PREVIOUS opens. Resolves to the number of
 * providers. What was altered stays so.
 */
export async function resealProviders(
  { tx, record }: Writing,
  keys: Pick<DerivedKeys, 'secrets' | 'identities'>,
): Promise<number> {
  let count = 0
  await lockProviders(tx)
  for (const provider of await listProviders(tx)) {
    const { id, name, client_secret, revision } = provider
    const settings = openProviderSeal(keys, provider)
    const secret = openedBy(keys, provider)
    if (settings !== 'previous' && secret !== 'previous') continue
    const place = secretPlace(provider)
    await updateProvider(tx, id, {
      ...(secret === 'previous' && {
        client_secret: sealText(keys.secrets, place, openText(keys.secrets, place, client_secret!)!),
      }),
    })
    if (settings === 'previous') await storeSeal(tx, id, sealProvider(keys, provider))
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
  for (const provider of await listProviders(tx)) {
    for (const identity of await listIdentitiesOfProvider(tx, provider.id)) {
      if (openIdentitySeal(keys, provider, identity) !== 'previous') continue
      await sealLink(tx, identity.id, sealIdentity(keys, provider, identity))
      count += 1
    }
  }
  return count
}

/**
 * New seals for the providers and links of one tenant that came from another installation, as its export has them. By a login that sees every
 * tenant's rows, and writes them itself.
 */
export async function sealsOfTenant(tx: Tx, keys: Pick<DerivedKeys, 'identities'>, tenantId: number) {
  const seals: { table: 'identity_providers' | 'user_identities'; id: number; seal: Buffer }[] = []
  for (const provider of await listProviders(tx)) {
    if (provider.tenant_id !== tenantId) continue
    seals.push({ table: 'identity_providers', id: provider.id, seal: sealProvider(keys, provider) })
    for (const identity of await listIdentitiesOfProvider(tx, provider.id))
      seals.push({ table: 'user_identities', id: identity.id, seal: sealIdentity(keys, provider, identity) })
  }
  return seals
}

/** Counts the providers of all tenants, and the links to them, by which key opens them. */
export async function countSealed(database: Services['database'], keys: DerivedKeys) {
  const counts = { current: 0, previous: 0, secrets: 0, links: 0, altered: [] as string[] }
  const count = (opened: Opened, unopened: () => void) => {
    if (opened === undefined) unopened()
    else counts[opened] += 1
  }
  for (const tenantId of await allTenants(database))
    await database.transaction({ tenantId, userId: null }, 'read only', async tx => {
      for (const provider of await listProviders(tx)) {
        const { name, tenant_slug } = provider
        const secret = openedBy(keys, provider)
        if (provider.client_secret !== null) count(secret, () => counts.secrets++)
        // With a key that is lost the secret does not open either, and that is what is said.
        count(openProviderSeal(keys, provider), () => {
          if (secret !== undefined) counts.altered.push(`${name} (${tenant_slug})`)
        })
        for (const identity of await listIdentitiesOfProvider(tx, provider.id))
          count(openIdentitySeal(keys, provider, identity), () => counts.links++)
      }
    })
  return counts
}
