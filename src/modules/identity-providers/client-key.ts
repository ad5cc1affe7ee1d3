import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { importPKCS8 } from 'jose'
import type { PublicKey } from './schema.ts'

const alg = 'ES256'

/** The key with which the service proves to a provider that it is the client. The private half, as PEM. */
export const makeClientKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey

/** The half of the key that the provider is given. The id of the key is its thumbprint (RFC 7638), so that two keys never have one. */
export function publicHalf(pem: string): PublicKey {
  const { crv, kty, x, y } = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' })
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  return { kty: kty!, crv: crv!, x: x!, y: y!, kid, alg, use: 'sig' }
}

export const signingHalf = async (pem: string) => ({ key: await importPKCS8(pem, alg), kid: publicHalf(pem).kid })
