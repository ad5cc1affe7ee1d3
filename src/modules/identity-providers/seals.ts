import type { Services } from '#action'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { openRowSeal, sealRow } from '#platform/crypto/row-seal.ts'
import type { ProviderRow } from './queries.ts'

type Keys = Pick<Services['keys'], 'identities'>
type At = Pick<ProviderRow, 'tenant_id' | 'id' | 'issuer' | 'client_id'>

interface SealedIdentity {
  id: number
  user_id: number
  subject: string
}

/** Of one issuer and client: a subject of another one is another person. Of one row: a link that was removed stays removed. */
const textOf = ({ tenant_id, id: provider_id, issuer, client_id }: At, { id, user_id, subject }: SealedIdentity) =>
  `identity ${JSON.stringify([tenant_id, provider_id, issuer, client_id, id, user_id, subject])}`

/** Names the user and the subject, so that a login to the database links nobody to a subject. */
export const sealIdentity = ({ identities }: Keys, provider: At, identity: SealedIdentity): Buffer =>
  sealRow(identities, textOf(provider, identity))

/** All that decides who gets in, as what, and who signs. */
function textOfSettings(provider: ProviderRow): string {
  const { tenant_id, id, slug, issuer, client_id, token_auth, scopes, claims, subject_claim, provisioning } = provider
  const { roles_from, default_role_id, mappings, provider_mfa_values, signing_tested_at, may_sign, is_active } =
    provider
  const settings = {
    ...{ tenant_id, id, slug, issuer, client_id, token_auth, scopes, claims, subject_claim, provisioning },
    ...{ roles_from, default_role_id, mappings, provider_mfa_values, signing_tested_at, may_sign, is_active },
  }
  return `provider ${canonicalBytes(settings).toString('utf8')}`
}

export const sealProvider = ({ identities }: Keys, provider: ProviderRow): Buffer =>
  sealRow(identities, textOfSettings(provider))
/** Undefined for settings that this service did not store. */
export const openProviderSeal = ({ identities }: Keys, provider: ProviderRow) =>
  openRowSeal(identities, textOfSettings(provider), provider.seal)

type OfProvider = { tenant_id: number; provider_id: number; issuer: string; jwk_sha256: string }
const textOfKey = ({ tenant_id, provider_id, issuer, jwk_sha256 }: OfProvider) =>
  `provider key ${JSON.stringify([tenant_id, provider_id, issuer, jwk_sha256])}`

export const sealKey = ({ identities }: Keys, key: OfProvider): Buffer => sealRow(identities, textOfKey(key))
export const openKeySeal = ({ identities }: Keys, key: OfProvider & { seal: Buffer }) =>
  openRowSeal(identities, textOfKey(key), key.seal)

/** Undefined for a link that this service did not make; `previous` for one to be sealed again. */
export const openIdentitySeal = (
  { identities }: Keys,
  provider: At,
  identity: SealedIdentity & { seal: Buffer | null },
) => openRowSeal(identities, textOf(provider, identity), identity.seal)
