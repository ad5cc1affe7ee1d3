import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, missing, sync, writeOnce } from '../files/disk.ts'

/** A key of the service's own (Ed25519), by which it attests that a record is what it was when it was made. */
export interface SigningKey {
  /** The first 16 hexadecimal digits of the public key's SHA-256: which key made a seal. */
  key_id: string
  /** The 32 bytes of RFC 8032, in base64. */
  public_key: string
  /** In base64. */
  sign(bytes: Uint8Array): string
}

/** What the key attests: the seal on a signature, or the checkpoints of the audit trail. Its file is called so. */
export type KeyName = 'signature' | 'audit'

const inUse = (name: KeyName) => `${name}.pem`
/** The key that a rotation is about to put in the place of the other. */
const next = (name: KeyName) => `${name}.next.pem`
/** The one that was in use before, where it still signs beside the other. */
const previous = (name: KeyName) => `${name}.previous.pem`

/** Where the keys are: in files of a folder of ours, or in those that variables name and others write, such as mounted secrets. */
export interface KeyPlace {
  folder: string
  files?: { signature: string; audit: string; previous_audit: string | undefined } | undefined
}

/** Reads the key's file in the folder, or makes it. Processes that start at the same moment end with the same key. */
export const openSigningKey = (folder: string, name: KeyName = 'signature') => readOrMake(folder, inUse(name))

/** The same for the key that comes next: what an interrupted rotation has made is taken up again. */
export const prepareNextSigningKey = (folder: string, name: KeyName = 'signature') => readOrMake(folder, next(name))

/** From now on the next key is the one in use. The private half of the other is gone with this, unless it was kept. */
export async function installNextSigningKey(folder: string, name: KeyName = 'signature'): Promise<void> {
  await rename(join(folder, next(name)), join(folder, inUse(name)))
  await sync(folder)
}

/** Keeps the key in use beside the one that comes next. What is kept already is never written over. */
export async function keepSigningKey(folder: string, name: KeyName): Promise<void> {
  await link(join(folder, inUse(name)), join(folder, previous(name))).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await sync(folder)
}

/** The private half of the key that was kept is gone with this. */
export async function dropPreviousSigningKey(folder: string, name: KeyName): Promise<void> {
  await rm(join(folder, previous(name)), { force: true })
  await sync(folder)
}

/** What is in the folder, for whoever only looks. */
export async function findSigningKeys(folder: string, name: KeyName = 'signature') {
  const read = async (file: string) => {
    const pem = await readFile(join(folder, file), 'utf8').catch(missing)
    return pem === undefined ? undefined : keyOf(pem, join(folder, file))
  }
  return { inUse: await read(inUse(name)), next: await read(next(name)), previous: await read(previous(name)) }
}

/** What is there of a key, for whoever only looks. Another's file has no next key: who rotates it writes that elsewhere. */
export async function findKeys({ folder, files }: KeyPlace, name: KeyName) {
  if (!files) return findSigningKeys(folder, name)
  const read = async (path: string) => keyOf(await readFile(path, 'utf8'), path)
  return {
    inUse: await read(files[name]),
    next: undefined,
    previous: name === 'audit' && files.previous_audit ? await read(files.previous_audit) : undefined,
  }
}

/** The file that the key in use is, or would be, in. */
export const keyFileOf = ({ folder, files }: KeyPlace, name: KeyName) => files?.[name] ?? join(folder, inUse(name))

/** Makes a key in a file of any name, for this user alone; what is there by then is read, so that it can be begun again. */
export const readOrMakeKey = (path: string) => readOrMake(dirname(path), basename(path))

/** Throws what a person can put right, where the text is no private key of ours. */
export const requireKeyText = (pem: string, path: string) => void keyOf(pem, path)

async function readOrMake(folder: string, file: string): Promise<SigningKey> {
  await makeFolder(folder)
  const path = join(folder, file)
  const pem = (await readFile(path, 'utf8').catch(missing)) ?? (await makeKey(path))
  // Whoever made it: nothing may be sealed with a key that a loss of power could still take away.
  await sync(folder)
  return keyOf(pem, path)
}

/** The error of the library says nothing of the file, and might one day say something of its content. */
function readPrivateKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new Error(`${path} is not a private key in PEM, or is encrypted`)
  }
}

export const keyIdOf = (publicKey: Uint8Array) => createHash('sha256').update(publicKey).digest('hex').slice(0, 16)

function keyOf(pem: string, path: string): SigningKey {
  const privateKey = readPrivateKey(pem, path)
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error(`${path} is not an Ed25519 key`)
  const raw = rawPublicKey(privateKey)
  return {
    key_id: keyIdOf(raw),
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

/** A key that another process was first with stays, and is read. */
async function makeKey(path: string): Promise<string> {
  await writeOnce(path, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return readFile(path, 'utf8')
}
