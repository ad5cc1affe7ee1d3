import { createHash } from 'node:crypto'
import { verifySeal } from '#platform/crypto/signing-key.ts'
import { type FileStorage, hashOf, MissingFile } from '#platform/storage/storage.ts'
import { metadataDigest, type Payload, type Signable } from './rules.ts'
import type { Verification } from './schema.ts'

/** The signature's row, as far as it repeats what the payload says. */
export interface SignedRow {
  document_id: number
  document_number: string
  document_version: string
  version_id: number
  signature_type: string
  intent: string
  signer_id: number
  signer_username: string
  signer_full_name: string | null
  signer_role: string
  method: string
  signed_at: string
  content_revision: number
  payload: string
  digest: string
  seal: string
  public_key: string
}

/**
 * SIG-02, 21 CFR 11.70: the seal over the payload, the row against the payload, the stored file and the record's metadata against
 * what was signed. Metadata that was changed since by the rules is `superseded`, and no forgery: the signature stays valid for
 * the content that it names.
 */
export async function verifySignature(storage: FileStorage, row: SignedRow, now: Signable): Promise<Verification> {
  const payload = JSON.parse(row.payload) as Payload
  const isSealed =
    verifySeal(row.public_key, Buffer.from(row.payload), row.seal) &&
    createHash('sha256').update(row.payload).digest('hex') === row.digest
  const differing = Object.entries(claims(payload)).filter(
    ([name, value]) => value !== String(saidByRow(row)[name as keyof ReturnType<typeof claims>]),
  )
  const found = await hashOf(storage, now.file_key).catch((error: Error) => {
    if (error instanceof MissingFile) return undefined
    throw error
  })
  const isFile = found === payload.file.sha256 && now.file_sha256 === payload.file.sha256
  const isNewer = now.content_revision > row.content_revision
  const isMetadata = metadataDigest(now) === payload.metadata_sha256
  const checks: Verification['checks'] = [
    {
      name: 'seal',
      passed: isSealed,
      detail: isSealed ? 'The payload is as it was sealed' : 'The payload, its digest or its seal was altered',
    },
    {
      name: 'record',
      passed: differing.length === 0,
      detail:
        differing.length === 0
          ? 'The record says what was signed'
          : `The record differs in ${differing.map(([name]) => name).join(', ')}`,
    },
    {
      name: 'content',
      passed: isFile,
      detail: isFile
        ? 'The stored file is the one that was signed'
        : found === undefined
          ? 'The stored file is missing'
          : 'The stored file is not the one that was signed',
    },
    {
      name: 'metadata',
      passed: isMetadata || isNewer,
      detail: isMetadata
        ? 'The metadata is as it was signed'
        : isNewer
          ? 'The metadata was changed after the signing, with an entry in the audit trail'
          : 'The metadata is not what was signed',
    },
  ]
  const valid = checks.every(({ passed }) => passed)
  const status =
    !isSealed || differing.length > 0 ? 'seal_invalid' : !valid ? 'content_mismatch' : isNewer ? 'superseded' : 'valid'
  return { valid, status, checks }
}

const claims = ({ document, version, signature_type, intent, signer, auth, signed_at }: Payload) => ({
  document_id: document.id,
  document_number: document.number,
  version_id: version.id,
  document_version: version.label,
  content_revision: version.content_revision,
  signature_type,
  intent,
  signer_id: signer.id,
  signer_username: signer.username,
  signer_full_name: String(signer.full_name),
  signer_role: signer.role,
  method: auth.method,
  signed_at,
})

/** The moment in the database has microseconds; the payload's has milliseconds. */
const saidByRow = (row: SignedRow) => ({
  ...row,
  signer_full_name: String(row.signer_full_name),
  signed_at: new Date(row.signed_at).toISOString(),
})
