import { constants, createPublicKey, type JsonWebKey, verify } from 'node:crypto'

/** What is kept of a proof by a provider: enough to verify it again with `node:crypto` alone. */
export interface IdTokenEvidence {
  id_token: string
  issuer: string
  client_id: string
}
export type IdTokenKey = JsonWebKey & { alg?: string; kid?: string }
export type IdTokenClaims = Readonly<Record<string, unknown>>

/** A challenge is proved within ten minutes, and clocks of one provider differ by a second. */
const oldest_seconds = 601

const jsonOf = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')) as IdTokenClaims

/** Of a token whose signature was verified. */
export const claimsOf = ({ id_token }: Pick<IdTokenEvidence, 'id_token'>): IdTokenClaims =>
  jsonOf(id_token.split('.')[1])

function isSigned(id_token: string, { alg, kid: _kid, ...jwk }: IdTokenKey): boolean {
  const place = id_token.lastIndexOf('.')
  const signed = Buffer.from(id_token.slice(0, place))
  const signature = Buffer.from(id_token.slice(place + 1), 'base64url')
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const type = key.asymmetricKeyType
  if (alg === 'RS256' && type === 'rsa') return verify('sha256', signed, key, signature)
  if (alg === 'PS256' && type === 'rsa')
    return verify('sha256', signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, signature)
  if (alg === 'ES256' && jwk.crv === 'P-256')
    return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
  if ((alg === 'EdDSA' || alg === 'Ed25519') && type === 'ed25519') return verify(null, signed, key, signature)
  return false
}

function faultOf({ id_token, issuer, client_id }: IdTokenEvidence, key: IdTokenKey, challenge_sha256: string) {
  const parts = id_token.split('.')
  if (parts.length !== 3 || jsonOf(parts[0]).alg !== key.alg || !isSigned(id_token, key))
    return 'its signature does not verify'
  const { iss, aud, nonce, auth_time, iat } = claimsOf({ id_token })
  if (iss !== issuer || ![aud].flat().includes(client_id)) return 'it is of another provider or client'
  if (nonce !== Buffer.from(challenge_sha256, 'hex').toString('base64url')) return 'it names another challenge'
  if (!Number.isSafeInteger(auth_time) || !Number.isSafeInteger(iat)) return 'it does not say when the person logged in'
  if ((iat as number) - (auth_time as number) > oldest_seconds) return 'the person did not log in for it'
  return undefined
}

/**
 * Why an ID token does not prove that its person logged in at the provider for this very challenge; undefined if it does. It needs neither
 * the provider nor the time of today, so it is the same in ten years.
 */
export function idTokenFault(evidence: IdTokenEvidence, key: IdTokenKey, challenge_sha256: string): string | undefined {
  try {
    return faultOf(evidence, key, challenge_sha256)
  } catch {
    return 'it cannot be read'
  }
}
