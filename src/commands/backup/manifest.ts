import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { conforms } from '#kernel/json-schema.ts'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import type { SealingKeys } from '#platform/crypto/secrets.ts'
import type { KeyName } from '#platform/crypto/signing-key.ts'
import { missing, writeSynced } from '#platform/files/disk.ts'
import { Refusal } from '../command.ts'
import { lines } from './messages.ts'

/** A backup is a folder: this file, `tables/NAME.jsonl`, `files.jsonl` (key, hash and size of each), `files/KEY`, perhaps `keys/`. */
export const manifestName = 'manifest.json'
export const fileList = 'files.jsonl'
export const tablePath = (folder: string, name: string) => join(folder, 'tables', `${name}.jsonl`)
export const filePath = (folder: string, key: string) => join(folder, 'files', key)
export const keyPath = (folder: string, name: KeyName) => join(folder, `keys/${name}.pem`)
/** The fields of the manifest with the hashes of included keys. */
export const hashesOfKeys = { signature: 'signing_key_sha256', audit: 'audit_key_sha256' } as const
export const keyNames: readonly KeyName[] = ['signature', 'audit']

const strict = { additionalProperties: false }
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0 })

export const Manifest = Type.Object(
  {
    format: Type.Literal('attest-backup-1'),
    /** The time of the snapshot: the backup has exactly what was committed before it. */
    snapshot_at: Type.String(),
    version: Type.String(),
    release: Type.String(),
    postgresql: Type.String(),
    migrations: Type.Array(Type.Object({ name: Type.String(), checksum: Hash }, strict), { minItems: 1 }),
    tables: Type.Array(
      Type.Object({ name: Name, columns: Type.Array(Name), rows: Count, bytes: Count, sha256: Hash }, strict),
    ),
    /** The next number of each sequence, in digits. */
    sequences: Type.Array(Type.Object({ name: Name, next: Type.String({ pattern: '^-?[0-9]{1,19}$' }) }, strict)),
    /** The hash of the list, which has the hashes of the files. */
    files: Type.Object({ count: Count, bytes: Count, sha256: Hash }, strict),
    /** The hash of the signing key, if it is included. */
    signing_key_sha256: Type.Optional(Hash),
    /** The hash of the key of the audit trail, if it is included. */
    audit_key_sha256: Type.Optional(Hash),
  },
  strict,
)
export type Manifest = Static<typeof Manifest>

const sealOf = (content: object, key: KeyObject) => createHmac('sha256', key).update(canonicalBytes(content)).digest()

/** Written last: a folder without it is not a backup. Resolves to the SHA-256 of the file, which identifies the backup. */
export async function writeManifest(folder: string, manifest: Manifest, [key]: SealingKeys): Promise<string> {
  const sealed = { ...manifest, seal: sealOf(manifest, key).toString('hex') }
  const text = `${JSON.stringify(sealed, null, 2)}\n`
  await writeSynced(join(folder, manifestName), text)
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Reads the manifest if SECRET_KEY or SECRET_KEY_PREVIOUS sealed it, or if it has the SHA-256 that the operator gives. All other hashes follow from it, so
 * that any change of a backup is refused.
 */
export async function readManifest(folder: string, keys: SealingKeys, digest: string | undefined): Promise<Manifest> {
  const bytes = await readFile(join(folder, manifestName)).catch(missing)
  if (!bytes) throw new Refusal(lines.backup_manifest_missing({ folder, manifest: manifestName }))
  const { seal, ...content } = parse(bytes)
  if (digest !== undefined) {
    const found = createHash('sha256').update(bytes).digest('hex')
    if (found !== digest.toLowerCase())
      throw new Refusal(lines.backup_manifest_digest_differs({ manifest: manifestName, found, expected: digest }))
  } else if (!keys.some(key => isSealed(content, seal, key))) {
    throw new Refusal(lines.backup_manifest_changed({ manifest: manifestName }))
  }
  if (!conforms(Manifest, content)) throw new Refusal(lines.backup_manifest_other_version({ manifest: manifestName }))
  return content
}

function parse(bytes: Buffer): Record<string, unknown> {
  try {
    return { ...JSON.parse(bytes.toString()) }
  } catch {
    throw new Refusal(lines.backup_manifest_damaged({ manifest: manifestName }))
  }
}

function isSealed(content: object, seal: unknown, key: KeyObject) {
  const given = Buffer.from(typeof seal === 'string' ? seal : '', 'hex')
  const expected = sealOf(content, key)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
