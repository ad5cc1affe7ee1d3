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

/** The purpose of the key, and the name of its file: seals on signatures, or checkpoints of the audit trail. */
export type KeyName = 'signature' | 'audit'

const inUse = (name: KeyName) => `${name}.pem`
/** The key that a rotation is about to install. */
const next = (name: KeyName) => `${name}.next.pem`
/** The key before the present one, while it still signs too. */
const previous = (name: KeyName) => `${name}.previous.pem`

/** The keys are in a folder of ours, or in files that variables name and others write, such as mounted secrets. */
export interface KeyPlace {
  folder: string
  files?: { signature: string; audit: string; previous_audit: string | undefined } | undefined
}

/** Reads the key's file in the folder, or makes it. Processes that start at the same time get the same key. */
export const openSigningKey = (folder: string, name: KeyName = 'signature') => readOrMake(folder, inUse(name))

/** The same for the next key, so that an interrupted rotation goes on with the key that it has made. */
export const prepareNextSigningKey = (folder: string, name: KeyName = 'signature') => readOrMake(folder, next(name))

/** Makes the next key the one in use. The private half of the other is lost unless it was kept. */
export async function installNextSigningKey(folder: string, name: KeyName = 'signature'): Promise<void> {
  await rename(join(folder, next(name)), join(folder, inUse(name)))
  await sync(folder)
}

/** Keeps the key in use beside the next one. A kept key is never overwritten. */
export async function keepSigningKey(folder: string, name: KeyName): Promise<void> {
  await link(join(folder, inUse(name)), join(folder, previous(name))).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await sync(folder)
}

/** Removes the private half of the kept key. */
export async function dropPreviousSigningKey(folder: string, name: KeyName): Promise<void> {
  await rm(join(folder, previous(name)), { force: true })
  await sync(folder)
}

/** Reads the keys of a folder without making any. */
export async function findSigningKeys(folder: string, name: KeyName = 'signature') {
  const read = async (file: string) => {
    const pem = await readFile(join(folder, file), 'utf8').catch(missing)
    return pem === undefined ? undefined : keyOf(pem, join(folder, file))
  }
  return { inUse: await read(inUse(name)), next: await read(next(name)), previous: await read(previous(name)) }
}

/** Reads a key without making it. A file that a variable names has no next key, because its owner rotates it. */
export async function findKeys({ folder, files }: KeyPlace, name: KeyName) {
  if (!files) return findSigningKeys(folder, name)
  const read = async (path: string) => keyOf(await readFile(path, 'utf8'), path)
  return {
    inUse: await read(files[name]),
    next: undefined,
    previous: name === 'audit' && files.previous_audit ? await read(files.previous_audit) : undefined,
  }
}

/** The file of the key in use, whether it exists or not. */
export const keyFileOf = ({ folder, files }: KeyPlace, name: KeyName) => files?.[name] ?? join(folder, inUse(name))

/** Makes a key in any file, for this user only, or reads the one that is there, so that it can be repeated. */
export const readOrMakeKey = (path: string) => readOrMake(dirname(path), basename(path))

/** The public half of a private key in PEM. */
export function publicKeyOf(pem: string, path: string): Pick<SigningKey, 'key_id' | 'public_key'> {
  const { key_id, public_key } = keyOf(pem, path)
  return { key_id, public_key }
}

/** Throws an error for the operator if the text is not a private key of ours. */
export const requireKeyText = (pem: string, path: string) => void keyOf(pem, path)

async function readOrMake(folder: string, file: string): Promise<SigningKey> {
  await makeFolder(folder)
  const path = join(folder, file)
  const pem = (await readFile(path, 'utf8').catch(missing)) ?? (await makeKey(path))
  // Synced whichever process made it: a key that a loss of power could take away must not seal anything.
  await sync(folder)
  return keyOf(pem, path)
}

/** The library's error does not name the file, and could quote its content. */
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

/** True if the seal is this key's on these bytes, to the last character. An invalid key or seal is false, not an error. */
export function verifySeal(public_key: string, bytes: Uint8Array, seal: string): boolean {
  const [raw, signature] = [fromBase64(public_key), fromBase64(seal)]
  if (raw?.length !== 32 || signature?.length !== 64) return false
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' })
  return verify(null, bytes, key, signature)
}

/** Node reads other texts as the same bytes too. In a record they would be an unnoticed change. */
function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

const rawPublicKey = (privateKey: KeyObject) =>
  Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url')

/** If another process was first, its key is read. */
async function makeKey(path: string): Promise<string> {
  await writeOnce(path, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return readFile(path, 'utf8')
}
