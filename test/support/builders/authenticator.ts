// An authenticator in software: real WebAuthn answers, made with node:crypto. `passkeys.browser.test.ts` has a browser make them.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { World } from '../world/world.ts'
import { password } from '../world/world.ts'
import { ok } from './documents.ts'

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
const b64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url')

type Cbor = number | string | Buffer | [Cbor, Cbor][]

/** As much of CBOR (RFC 8949) as an attestation has. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, length: number) => {
    if (length < 24) return Buffer.from([(major << 5) | length])
    if (length < 256) return Buffer.from([(major << 5) | 24, length])
    return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
  }
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, each]) => [cbor(key), cbor(each)])])
}

type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

function newKey(algorithm: Algorithm): { key: KeyObject; cose: Buffer } {
  const pair =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : algorithm === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = pair.publicKey.export({ format: 'jwk' })
  const part = (text: string | undefined) => Buffer.from(text!, 'base64url')
  const parts: Record<Algorithm, () => [Cbor, Cbor][]> = {
    ES256: () => [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, part(jwk.x)],
      [-3, part(jwk.y)],
    ],
    EdDSA: () => [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, part(jwk.x)],
    ],
    RS256: () => [
      [1, 3],
      [3, -257],
      [-1, part(jwk.n)],
      [-2, part(jwk.e)],
    ],
  }
  return { key: pair.privateKey, cose: cbor(parts[algorithm]()) }
}

interface Said {
  origin?: string
  rp_id?: string
  /** The holder unlocked the device. */
  isVerified?: boolean
  isPresent?: boolean
  counter?: number
  type?: string
  userHandle?: string | null
}

export interface Authenticator {
  id: string
  /** It counts up with each answer, where it counts. */
  counter: number
  create(options: { challenge: string; user: { id: string } }, said?: Said & { attestation?: Cbor }): object
  get(
    options: { challenge: string },
    said?: Said,
  ): { id: string; rawId: string; type: string; response: Record<string, string> }
}

/** `isSynced`: its key may be copied to other devices. Without `counts` it always says 0. */
export function newAuthenticator(
  origin: string,
  {
    algorithm = 'ES256',
    isSynced = false,
    counts = true,
  }: { algorithm?: Algorithm; isSynced?: boolean; counts?: boolean } = {},
): Authenticator {
  const { key, cose } = newKey(algorithm)
  const credential = randomBytes(32)
  let handle = ''
  const host = new URL(origin).hostname

  const clientData = (type: string, challenge: string, of: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: of, crossOrigin: false }))
  const flagsOf = ({ isVerified = true, isPresent = true }: Said) =>
    (isPresent ? 1 : 0) | (isVerified ? 4 : 0) | (isSynced ? 0b11000 : 0)
  const data = (flags: number, counter: number, rp_id: string, more = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rp_id), Buffer.from([flags]), count, more])
  }
  const made: Authenticator = {
    id: credential.toString('base64url'),
    counter: 0,
    create({ challenge, user }, said = {}) {
      handle = user.id
      const length = Buffer.from([credential.length >> 8, credential.length & 255])
      const attested = Buffer.concat([Buffer.alloc(16), length, credential, cose])
      const counter = said.counter ?? made.counter
      const authData = data(flagsOf(said) | 0x40, counter, said.rp_id ?? host, attested)
      const attestation = cbor(
        said.attestation ?? [
          ['fmt', 'none'],
          ['attStmt', []],
          ['authData', authData],
        ],
      )
      return {
        ...{ id: made.id, rawId: made.id, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: b64(clientData(said.type ?? 'webauthn.create', challenge, said.origin ?? origin)),
          attestationObject: b64(attestation),
          transports: [isSynced ? 'internal' : 'usb'],
        },
      }
    },
    get({ challenge }, said = {}) {
      if (counts && said.counter === undefined) made.counter += 1
      const authenticatorData = data(flagsOf(said), said.counter ?? made.counter, said.rp_id ?? host)
      const client = clientData(said.type ?? 'webauthn.get', challenge, said.origin ?? origin)
      const signed = Buffer.concat([authenticatorData, sha256(client)])
      const userHandle = said.userHandle === undefined ? handle : said.userHandle
      return {
        ...{ id: made.id, rawId: made.id, type: 'public-key' },
        response: {
          clientDataJSON: b64(client),
          authenticatorData: b64(authenticatorData),
          signature: b64(sign(algorithm === 'EdDSA' ? null : 'sha256', signed, key)),
          ...(userHandle !== null && { userHandle }),
        },
      }
    },
  }
  return made
}

type Send = (url: string, body: object) => Promise<Awaited<ReturnType<World['server']['inject']>>>

/** Registers a passkey of a person: with the software's authenticator, by requests as a page sends them. */
export async function registerPasskey(
  post: Send,
  authenticator: Authenticator,
  { name = 'Key', secret = password }: { name?: string; secret?: string } = {},
): Promise<{ id: number }> {
  const options = ok(await post('/api/auth/passkeys/options', { password: secret }))
  return ok(await post('/api/auth/passkeys/', { name, response: authenticator.create(options) }))
}

export const originOf = (world: World) => {
  const { public_url } = world.services.config
  assert.ok(public_url, 'passkeys need a PUBLIC_URL')
  return new URL(public_url).origin
}

/** A person with a passkey. */
export async function withPasskey(world: World, name: string, how: Parameters<typeof newAuthenticator>[1] = {}) {
  const authenticator = newAuthenticator(originOf(world), how)
  const { id } = await registerPasskey((url, body) => world.as(name).post(url, body), authenticator)
  return { id, authenticator }
}

interface Act {
  method?: 'POST' | 'PUT'
  path: string
  body: object
}

/** Begins to sign these requests and proves it; the id of the challenge. */
export async function proveActs(post: Send, authenticator: Authenticator, acts: readonly Act[]): Promise<number> {
  const begun = ok(
    await post('/api/signing-challenges/', {
      kind: 'passkey',
      acts: acts.map(({ method = 'POST', ...act }) => ({ method, ...act })),
    }),
  )
  ok(await post(`/api/signing-challenges/${begun.id}/passkey`, { response: authenticator.get(begun.passkey) }))
  return begun.id
}

/** Sends a request that its sender has confirmed with the passkey. */
export async function signWithPasskey(
  world: World,
  name: string,
  authenticator: Authenticator,
  { method = 'POST', path, body }: Act,
) {
  const by = world.as(name)
  const signing_challenge = await proveActs((url, sent) => by.post(url, sent), authenticator, [{ method, path, body }])
  const send = method === 'POST' ? by.post : by.put
  return send(path, { ...body, signing_challenge })
}
