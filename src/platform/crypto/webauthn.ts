import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** ES256, EdDSA and RS256 (COSE). */
export const passkeyAlgorithms = [-7, -8, -257] as const

/** The pages on which passkeys are made and used. */
export interface RelyingParty {
  /** The host: a passkey answers no other. */
  id: string
  origin: string
}

export const relyingPartyOf = (public_url: string | undefined): RelyingParty | undefined => {
  if (public_url === undefined) return undefined
  const { hostname: id, origin } = new URL(public_url)
  return { id, origin }
}

// Loaded when the first passkey is used, because the library and what it needs take 7 MB.
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

export interface RegisteredPasskey {
  credential_id: Buffer
  public_key: Buffer
  algorithm: number
  counter: number
  is_device_bound: boolean
  is_backed_up: boolean
}

/** The authenticator's answer is not what was asked for. The message is for the audit trail alone. */
export class WebAuthnRefusal extends Error {}

const refuse = (error: unknown): never => {
  throw new WebAuthnRefusal(error instanceof Error ? error.message : String(error))
}

/** The new passkey, or a `WebAuthnRefusal`. */
export async function readRegistration(
  response: object,
  { challenge, party }: { challenge: string; party: RelyingParty },
): Promise<RegisteredPasskey> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, decodeCredentialPublicKey, cose }] =
    await Promise.all([library(), helpers()])
  try {
    const sent = response as RegistrationResponseJSON
    // Certificates of makers were not asked for. To check one, the library would fetch lists from addresses that stand in it.
    const attestation = decodeAttestationObject(Buffer.from(sent.response.attestationObject, 'base64url'))
    const format = attestation.get('fmt')
    if ((format !== 'none' && format !== 'packed') || attestation.get('attStmt').get('x5c') !== undefined)
      throw new Error(`Attestation of the format ${format} was not asked for`)
    const { registrationInfo } = await verifyRegistrationResponse({
      response: sent,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    })
    if (!registrationInfo) throw new Error('The attestation does not verify')
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo
    return {
      credential_id: Buffer.from(credential.id, 'base64url'),
      public_key: Buffer.from(credential.publicKey),
      algorithm: decodeCredentialPublicKey(credential.publicKey).get(cose.COSEKEYS.alg) as number,
      counter: credential.counter,
      is_device_bound: credentialDeviceType === 'singleDevice',
      is_backed_up: credentialBackedUp,
    }
  } catch (error) {
    return refuse(error)
  }
}

/** The challenge that an answer names, before anything of it is verified; undefined if it cannot be read. */
export function challengeOf(client_data: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(client_data, 'base64url').toString('utf8'))
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

/** Verifies the answer of a passkey: the counter and whether it is backed up, or a `WebAuthnRefusal`. The caller compares the counter. */
export async function readAssertion(
  response: object,
  { challenge, party, public_key }: { challenge: string; party: RelyingParty; public_key: Buffer },
): Promise<{ counter: number; is_backed_up: boolean }> {
  const { verifyAuthenticationResponse } = await library()
  try {
    const sent = response as AuthenticationResponseJSON
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: sent,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id: sent.id, publicKey: new Uint8Array(public_key), counter: 0 },
    })
    if (!verified) throw new Error('The signature of the passkey does not verify')
    return { counter: authenticationInfo.newCounter, is_backed_up: authenticationInfo.credentialBackedUp }
  } catch (error) {
    return refuse(error)
  }
}

/** The public key of a passkey as a JWK, which every library reads. */
export async function jwkOf(public_key: Buffer): Promise<JsonWebKey & { alg: string }> {
  const { decodeCredentialPublicKey } = await helpers()
  const key = decodeCredentialPublicKey(new Uint8Array(public_key)) as unknown as Map<number, number | Uint8Array>
  const part = (label: number) => Buffer.from(key.get(label) as Uint8Array).toString('base64url')
  const algorithm = key.get(3)
  if (algorithm === -7) return { kty: 'EC', crv: 'P-256', x: part(-2), y: part(-3), alg: 'ES256' }
  if (algorithm === -8) return { kty: 'OKP', crv: 'Ed25519', x: part(-2), alg: 'EdDSA' }
  if (algorithm === -257) return { kty: 'RSA', n: part(-1), e: part(-2), alg: 'RS256' }
  throw new WebAuthnRefusal(`The algorithm ${String(algorithm)} is none of ${passkeyAlgorithms.join(', ')}`)
}

/** The public key that verifies it, as a JWK that names its algorithm. */
export type AssertionKey = JsonWebKey & { alg?: string }

/** What is kept of an answer: enough to verify it again with `node:crypto` alone. */
export interface AssertionEvidence {
  rp_id: string
  origin: string
  authenticator_data: string
  client_data: string
  signature: string
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

/** Why the evidence does not prove that the holder of the key answered this challenge, present and verified; undefined if it does. */
export function assertionFault(
  evidence: AssertionEvidence,
  key: AssertionKey,
  challenge_sha256: string,
): string | undefined {
  try {
    return faultOf(evidence, key, challenge_sha256)
  } catch {
    return 'it cannot be read'
  }
}

const algorithms: Readonly<Record<string, string | null>> = { ES256: 'sha256', RS256: 'sha256', EdDSA: null }

function faultOf(
  { rp_id, origin, authenticator_data, client_data, signature }: AssertionEvidence,
  key: AssertionKey,
  challenge_sha256: string,
): string | undefined {
  const data = Buffer.from(authenticator_data, 'base64url')
  const client = Buffer.from(client_data, 'base64url')
  const said = JSON.parse(client.toString('utf8')) as { type?: unknown; challenge?: unknown; origin?: unknown }
  if (said.type !== 'webauthn.get') return 'it is no answer to a challenge'
  if (said.challenge !== Buffer.from(challenge_sha256, 'hex').toString('base64url')) return 'it is of another challenge'
  if (said.origin !== origin || new URL(origin).hostname !== rp_id) return 'it is of another origin'
  if (data.length < 37 || !data.subarray(0, 32).equals(sha256(Buffer.from(rp_id)))) return 'it is of another service'
  // User present and user verified.
  if ((data[32]! & 0b101) !== 0b101) return 'the device did not verify its holder'
  const algorithm = algorithms[key.alg ?? '']
  if (algorithm === undefined) return 'the algorithm of its key is unknown'
  const signed = Buffer.concat([data, sha256(client)])
  const isSigned = verify(
    algorithm,
    signed,
    createPublicKey({ key, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  )
  return isSigned ? undefined : 'its signature does not verify'
}
