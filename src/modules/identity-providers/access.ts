import type { ActionContext, Services } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { findTenant, readSettings } from '#modules/accounts'
import { openText, type SecretPlace } from '#platform/crypto/sealed-text.ts'
import type { Tx } from '#platform/db/database.ts'
import { publicHalf } from './client-key.ts'
import { messages } from './messages.ts'
import { type ProviderAccess, ProviderUnusable } from './oidc.ts'
import { findProvider, findProviderBySlug, type ProviderRow, storeSeal } from './queries.ts'
import type { Provider } from './schema.ts'
import { openProviderSeal, sealProvider } from './seals.ts'

/** For this issuer and client alone: who changes them in the database gets no secret sent, and no key of ours is sent as a secret. */
export const secretPlace = ({
  tenant_id,
  id,
  issuer,
  client_id,
  token_auth,
}: Pick<ProviderRow, 'tenant_id' | 'id' | 'issuer' | 'client_id' | 'token_auth'>): SecretPlace => ({
  ...{ table: 'identity_providers', column: 'client_secret', tenantId: tenant_id, id },
  bound: [issuer, client_id, ...(token_auth === 'private_key_jwt' ? [token_auth] : [])],
})

const secretOf = ({ keys }: Pick<Services, 'keys'>, provider: ProviderRow): string | undefined =>
  provider.client_secret === null ? undefined : openText(keys.secrets, secretPlace(provider), provider.client_secret)

/** Seals the settings as they are stored now, after each change of them. */
export async function sealSettings(
  { tx, services }: Pick<ActionContext<unknown>, 'tx' | 'services'>,
  id: number,
): Promise<ProviderRow> {
  const provider = (await findProvider(tx, id))!
  await storeSeal(tx, id, sealProvider(services.keys, provider))
  return provider
}

/** Whether the settings are as this service stored them. */
export const isGenuine = ({ keys }: Pick<Services, 'keys'>, provider: ProviderRow) =>
  openProviderSeal(keys, provider) !== undefined

/** The provider with its opened secret. Throws ProviderUnusable where it was altered past this service, or no key of ours opens its secret. */
export function accessTo(services: Pick<Services, 'keys'>, provider: ProviderRow): ProviderAccess {
  const { tenant_id, id, revision, issuer, client_id, token_auth } = provider
  if (!isGenuine(services, provider)) throw new ProviderUnusable(messages.identity_provider_altered())
  const secret = secretOf(services, provider)
  if (secret === undefined) throw new ProviderUnusable(messages.identity_provider_secret_missing())
  return { ...{ tenantId: tenant_id, id, revision, issuer, client_id, token_auth }, secret }
}

export function publicUrl({ config }: Pick<Services, 'config'>): string {
  if (config.public_url === undefined) throw conflict(messages.sso_public_url_missing())
  return config.public_url
}

export const redirectUri = (services: Pick<Services, 'config'>) => `${publicUrl(services)}/api/auth/oidc/callback`

const addressOf = (services: Pick<Services, 'config'>, { tenant_slug, slug }: ProviderRow) =>
  `${publicUrl(services)}/api/auth/oidc/${tenant_slug}/${slug}`

export const startOf = (services: Pick<Services, 'config'>, provider: ProviderRow) =>
  `${addressOf(services, provider)}/start`

/** The provider as it is answered: without its secret. */
export function shown(services: Pick<Services, 'config' | 'keys'>, provider: ProviderRow): Provider {
  const { tenant_id: _tenant, tenant_slug: _slug, seal: _seal, client_secret, ...rest } = provider
  const clientKey = provider.token_auth === 'private_key_jwt' ? secretOf(services, provider) : undefined
  return {
    ...rest,
    client_jwks: clientKey === undefined ? null : { keys: [publicHalf(clientKey)] },
    has_secret: client_secret !== null,
    is_altered: !isGenuine(services, provider),
    start: startOf(services, provider),
    redirect_uri: redirectUri(services),
    back_channel_logout_uri: `${addressOf(services, provider)}/back-channel-logout`,
  }
}

/** The provider as the audit trail has it. */
export const recorded = ({
  tenant_id: _tenant,
  tenant_slug: _slug,
  seal: _seal,
  client_secret,
  linked_users: _linked,
  ...rest
}: ProviderRow) => ({ ...rest, has_secret: client_secret !== null })

/** The provider that an address of ours names by tenant and slug. The same 404 for every part that is not there. */
export async function providerAt(
  { database }: Pick<Services, 'database'>,
  { tenant, provider }: { tenant: string; provider: string },
): Promise<ProviderRow> {
  const owner = await findTenant(database, tenant)
  const found =
    owner?.is_active === true
      ? await database.transaction({ tenantId: owner.id, userId: null }, 'read only', tx =>
          findProviderBySlug(tx, provider),
        )
      : undefined
  if (!found) throw notFound('Provider')
  return found
}

export const isSsoRequired = async (tx: Tx) => (await readSettings(tx)).sso_required
