import { createHash } from 'node:crypto'
import { verifySeal } from '#platform/crypto/signing-key.ts'
import { type FileStorage, hashOf, MissingFile } from '#platform/storage/storage.ts'
import { metadataDigest, type Payload } from './payload.ts'
import type { Signable } from './rules.ts'
import type { Verification } from './schema.ts'

/** The signature's row, as far as it repeats what the payload says. */
export interface SignedRow {
  tenant_id: number
  document_id: number
  document_number: string
  document_version: string
  version_id: number
  content_revision: number
  round: number
  signature_type: string
  intent: string
  signer_id: number
  signer_username: string
  signer_full_name: string | null
  signer_role: string
  method: string
  signed_at: string
  payload: string
  digest: string
  key_id: string
  seal: string
  public_key: string
  /** Null where it is not void. */
  void: object | null
}

type Check = Verification['checks'][number]

/**
 * SIG-02, 21 CFR 11.70: the seal over the payload, the row against the payload, the stored file and the record's metadata against
 * what was signed. Metadata that was changed since under a later content revision makes the signature `superseded`: it stays
 * valid for the content that it names. Without a `payload` that can be read, nothing else can be compared with it.
 */
export async function verifySignature(
  storage: FileStorage,
  row: SignedRow,
  payload: Payload | undefined,
  now: Signable,
): Promise<Verification> {
  const seal = checkSeal(row)
  const record = payload ? checkRecord(row, payload) : unreadable('record')
  const content = payload ? await checkContent(storage, payload, now) : unreadable('content')
  const metadata = payload ? checkMetadata(row, payload, now) : unreadable('metadata')
  const checks = [seal, record, content, metadata]
  const status = statusOf(checks, row, now)
  return { valid: status === 'valid' || status === 'superseded', status, checks }
}

function statusOf([seal, record, ...others]: Check[], row: SignedRow, now: Signable): Verification['status'] {
  if (!seal!.passed || !record!.passed) return 'seal_invalid'
  if (others.some(({ passed }) => !passed)) return 'content_mismatch'
  if (row.void) return 'void'
  return isSuperseded(row, now) ? 'superseded' : 'valid'
}

const unreadable = (name: Check['name']): Check => ({
  name,
  passed: false,
  detail: 'The payload cannot be read, so there is nothing to compare with',
})

const isSuperseded = (row: SignedRow, now: Signable) => now.content_revision > row.content_revision

/** The name of a key is the beginning of its hash: another key under the same name is none. */
const isKeyOf = ({ key_id, public_key }: SignedRow) =>
  createHash('sha256').update(Buffer.from(public_key, 'base64')).digest('hex').startsWith(key_id)

function checkSeal(row: SignedRow): Check {
  const passed =
    isKeyOf(row) &&
    verifySeal(row.public_key, Buffer.from(row.payload), row.seal) &&
    createHash('sha256').update(row.payload).digest('hex') === row.digest
  return {
    name: 'seal',
    passed,
    detail: passed ? 'The payload is as it was sealed' : 'The payload, its digest, its seal or the key was altered',
  }
}

function checkRecord(row: SignedRow, payload: Payload): Check {
  const said = saidByRow(row)
  const differing = Object.entries(claimsOf(payload)).filter(
    ([name, value]) => value !== said[name as keyof typeof said],
  )
  return {
    name: 'record',
    passed: differing.length === 0,
    detail:
      differing.length === 0
        ? 'The record says what was signed'
        : `The record differs from what was signed in ${differing.map(([name]) => name).join(', ')}`,
  }
}

async function checkContent(storage: FileStorage, { file }: Payload, now: Signable): Promise<Check> {
  const found = await hashOf(storage, now.file_key).catch((error: Error) => {
    if (error instanceof MissingFile) return undefined
    throw error
  })
  const passed = found === file.sha256 && now.file_sha256 === file.sha256 && String(now.file_size) === file.size
  const missing = found === undefined ? 'The stored file is missing' : 'The stored file is not the one that was signed'
  return { name: 'content', passed, detail: passed ? 'The stored file is the one that was signed' : missing }
}

function checkMetadata(row: SignedRow, payload: Payload, now: Signable): Check {
  const isSame = metadataDigest(now) === payload.metadata_sha256
  if (isSame) return { name: 'metadata', passed: true, detail: 'The metadata is as it was signed' }
  if (!isSuperseded(row, now)) return { name: 'metadata', passed: false, detail: 'The metadata is not what was signed' }
  return {
    name: 'metadata',
    passed: true,
    detail: `The metadata was changed after the signing: revision ${row.content_revision} of the content was signed, this is ${now.content_revision}`,
  }
}

const claimsOf = ({ tenant, document, version, signature_type, intent, signer, auth, signed_at }: Payload) => ({
  tenant_id: tenant,
  document_id: document.id,
  document_number: document.number,
  version_id: version.id,
  document_version: version.label,
  content_revision: version.content_revision,
  round: version.round,
  signature_type,
  intent,
  signer_id: signer.id,
  signer_username: signer.username,
  signer_full_name: signer.full_name,
  signer_role: signer.role,
  method: auth.method,
  signed_at,
})

/** The moment in the database has microseconds; the payload's has milliseconds. */
const saidByRow = (row: SignedRow): ReturnType<typeof claimsOf> => ({
  ...row,
  tenant_id: String(row.tenant_id),
  document_id: String(row.document_id),
  version_id: String(row.version_id),
  content_revision: String(row.content_revision),
  round: String(row.round),
  signer_id: String(row.signer_id),
  signed_at: new Date(row.signed_at).toISOString(),
})
