import type { Services } from '#action'
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
