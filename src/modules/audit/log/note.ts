import { createHash } from 'node:crypto'
import { type SigningKey, verifySeal } from '#platform/crypto/signing-key.ts'

/**
 * Checkpoints (C2SP tlog-checkpoint) as signed notes (C2SP signed-note), so that standard tools can read them.
 */
export interface CheckpointBody {
  origin: string
  size: number
  root: Buffer
}

/** Names a tree without naming its tenant. It is also the name of the key that signs it. */
export const originOf = (log_id: string, epoch: number): string => `attest/t/${log_id}/e${epoch}`
/** The epoch of an origin, whose log may begin with an `e` as well. */
export const epochOf = (origin: string): number => Number(origin.slice(origin.lastIndexOf('/e') + 2))

export const noteText = ({ origin, size, root }: CheckpointBody): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`

const ed25519 = Buffer.of(1)

/** The id of the key that may have signed; signatures with other ids are ignored. */
export const keyId = (name: string, publicKey: Buffer): Buffer =>
  createHash('sha256').update(`${name}\n`).update(ed25519).update(publicKey).digest().subarray(0, 4)

/** The key for verifiers, who must get it another way than the note. */
export const verifierKey = (name: string, publicKey: Buffer): string =>
  `${name}+${keyId(name, publicKey).toString('hex')}+${Buffer.concat([ed25519, publicKey]).toString('base64')}`

interface NamedKey {
  name: string
  key: SigningKey
}

export function signNote(body: CheckpointBody, keys: readonly NamedKey[]): string {
  const text = noteText(body)
  const lines = keys.map(({ name, key }) => {
    const id = keyId(name, Buffer.from(key.public_key, 'base64'))
    const signature = Buffer.from(key.sign(Buffer.from(text)), 'base64')
    return `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

interface NoteSignature {
  name: string
  keyId: Buffer
  signature: Buffer
}

/** Parses a note strictly; undefined if it is no checkpoint of this format. Signatures are not verified here. */
export function openNote(note: string): { body: CheckpointBody; signatures: NoteSignature[] } | undefined {
  const [, origin, size, root, lines] =
    /^([^\s+]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n\n((?:— .+\n)+)$/.exec(note) ?? []
  if (lines === undefined) return undefined
  const body = { origin: origin!, size: Number(size), root: Buffer.from(root!, 'base64') }
  if (!Number.isSafeInteger(body.size) || !note.startsWith(noteText(body))) return undefined
  const signatures: NoteSignature[] = []
  for (const line of lines.split('\n').slice(0, -1)) {
    const [, name, base64] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? []
    const bytes = Buffer.from(base64 ?? '', 'base64')
    if (bytes.length < 5 || bytes.toString('base64') !== base64) return undefined
    signatures.push({ name: name!, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) })
  }
  return { body, signatures }
}

/** The content of the note, if one of these keys signed it; other signatures are ignored. */
export function verifyNote(note: string, vkeys: readonly string[]): CheckpointBody | undefined {
  const opened = openNote(note)
  if (!opened) return undefined
  const text = Buffer.from(noteText(opened.body))
  for (const vkey of vkeys.map(readVerifierKey)) {
    if (vkey?.name !== opened.body.origin) continue
    const isSigned = opened.signatures.some(
      each =>
        each.name === vkey.name &&
        each.keyId.equals(vkey.keyId) &&
        verifySeal(vkey.publicKey.toString('base64'), text, each.signature.toString('base64')),
    )
    if (isSigned) return opened.body
  }
  return undefined
}

/** Undefined if the text is no verifier key, has another algorithm, or an id that does not match its key. */
function readVerifierKey(vkey: string): { name: string; keyId: Buffer; publicKey: Buffer } | undefined {
  const [, name, id, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(vkey) ?? []
  if (base64 === undefined) return undefined
  const publicKey = Buffer.from(base64, 'base64').subarray(1)
  if (verifierKey(name!, publicKey) !== vkey) return undefined
  return { name: name!, keyId: Buffer.from(id!, 'hex'), publicKey }
}

/** A text of any kind that was signed in the name of a log, as a signed note (C2SP signed-note). */
export function isSignedText(note: string, text: string, name: string, public_key: string): boolean {
  if (!note.startsWith(`${text}\n— ${name} `)) return false
  const bytes = Buffer.from(note.slice(text.length + `\n— ${name} `.length).trimEnd(), 'base64')
  return (
    bytes.subarray(0, 4).equals(keyId(name, Buffer.from(public_key, 'base64'))) &&
    verifySeal(public_key, Buffer.from(text), bytes.subarray(4).toString('base64'))
  )
}
