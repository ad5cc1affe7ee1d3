import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, missing, sync, writeSynced } from '../files/disk.ts'

/** The service's own Ed25519 key, by which it attests that a signature's record is what it was when it was made. */
export interface SigningKey {
  /** The first 16 hexadecimal digits of the public key's SHA-256: which key made a seal. */
  key_id: string
  /** The 32 bytes of RFC 8032, in base64. */
  public_key: string
  /** In base64. */
  sign(bytes: Uint8Array): string
}

const inUse = 'signature.pem'
/** The key that a rotation is about to put in the place of the other. */
const next = 'signature.next.pem'

/** Reads `signature.pem` of the folder, or makes it. Processes that start at the same moment end with the same key. */
export const openSigningKey = (folder: string) => readOrMake(folder, inUse)

/** The same for the key that comes next: what an interrupted rotation has made is taken up again. */
export const prepareNextSigningKey = (folder: string) => readOrMake(folder, next)

/** From now on the next key is the one in use. The private half of the other is gone with this. */
export async function installNextSigningKey(folder: string): Promise<void> {
  await rename(join(folder, next), join(folder, inUse))
  await sync(folder)
}

/** What is in the folder, for whoever only looks. */
export async function findSigningKeys(folder: string) {
  const read = async (name: string) => {
    const pem = await readFile(join(folder, name), 'utf8').catch(missing)
    return pem === undefined ? undefined : keyOf(pem, join(folder, name))
  }
  return { inUse: await read(inUse), next: await read(next) }
}

async function readOrMake(folder: string, name: string): Promise<SigningKey> {
  await makeFolder(folder)
  const path = join(folder, name)
  const pem = (await readFile(path, 'utf8').catch(missing)) ?? (await makeKey(folder, path))
  // Whoever made it: nothing may be sealed with a key that a loss of power could still take away.
  await sync(folder)
  return keyOf(pem, path)
}

function keyOf(pem: string, path: string): SigningKey {
  const privateKey = createPrivateKey(pem)
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error(`${path} is not an Ed25519 key`)
  const raw = rawPublicKey(privateKey)
  return {
    key_id: createHash('sha256').update(raw).digest('hex').slice(0, 16),
    public_key: raw.toString('base64'),
    sign: bytes => sign(null, bytes, privateKey).toString('base64'),
  }
}

/** Whether the seal is this key's on these bytes, to the last character. A key or a seal that is none verifies nothing, and is no error. */
export function verifySeal(public_key: string, bytes: Uint8Array, seal: string): boolean {
  const [raw, signature] = [fromBase64(public_key), fromBase64(seal)]
  if (raw?.length !== 32 || signature?.length !== 64) return false
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' })
  return verify(null, bytes, key, signature)
}

/** Node reads other texts too as the same bytes; in a record they would be a change that nobody notices. */
function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

const rawPublicKey = (privateKey: KeyObject) =>
  Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url')

/** The key is whole on the disk before it has its name, and a link never replaces the one that another process was first with. */
async function makeKey(folder: string, path: string): Promise<string> {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const draft = join(folder, `signature.${randomUUID()}.tmp`)
  try {
    await writeSynced(draft, pem)
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path, 'utf8')
}
