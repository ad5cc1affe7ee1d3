import type { Tx } from '#platform/db/database.ts'
import { type FileStorage, hashOf, MissingFile } from '#platform/storage/storage.ts'
import {
  type Check,
  chain,
  completeness,
  isSuperseded,
  manifestation,
  type SignedRow,
  signatureIntegrity,
  signerIdentity,
} from './checks.ts'
import { type Payload, readPayload } from './payload.ts'
import { recordChecks } from './record-checks.ts'
import type { RecordSubject, RecordType, Signable } from './rules.ts'
import { type CheckName, checkNames, type Verification } from './schema.ts'
import { type AttachedFile, listAttached } from './sign-queries.ts'
import type { SignedRecords } from './signing.ts'
import { versionChecks } from './version-checks.ts'

/** What was signed, as it is now. */
export type Now =
  | { version: Signable; record?: undefined }
  | { version?: undefined; record: RecordSubject | null; files: readonly AttachedFile[] }

/** A record as it is now; a version is read by the caller, who knows how to. */
export async function readRecordNow(
  tx: Tx,
  records: SignedRecords,
  { record_type, record_id }: Pick<SignedRow, 'record_type' | 'record_id'>,
): Promise<Now> {
  const type = record_type as RecordType
  return {
    record: (await records[type].read(tx, record_id)) ?? null,
    files: await listAttached(tx, { type, id: record_id }),
  }
}

/**
 * SIG-02, 21 CFR 11.70: each hash made again from the stored files and the record as they are `at` this moment. Where what was signed
 * cannot be read, or is of another kind of record, nothing can be compared with it.
 */
export async function verifySignature(storage: FileStorage, row: SignedRow, now: Now, at: Date): Promise<Verification> {
  const payload = readPayload(row.payload)
  const integrity = signatureIntegrity(row)
  const ofRecord = payload && (await compare(storage, row, payload, now))
  const checks =
    payload && ofRecord
      ? [
          completeness(row, payload),
          integrity,
          ...ofRecord,
          signerIdentity(row, payload),
          chain(row, payload),
          manifestation(row, payload),
        ]
      : checkNames.map(name => (name === integrity.name ? integrity : unreadable(name)))
  const status = statusOf(checks, row, now.version ?? now.record)
  return {
    valid: status === 'valid' || status === 'superseded',
    verified_at: at.toISOString(),
    status,
    algorithm: 'Ed25519',
    key_id: row.key_id,
    checks,
  }
}

/** Undefined where what was signed is of another kind of record. */
async function compare(
  storage: FileStorage,
  row: SignedRow,
  payload: Payload,
  now: Now,
): Promise<readonly Check[] | undefined> {
  if (now.version)
    return payload.v === '2'
      ? undefined
      : versionChecks(row, payload, now.version, await hashIfThere(storage, now.version.file_key))
  if (payload.v !== '2') return undefined
  const found = []
  for (const { id } of payload.files) {
    const file = now.files.find(each => String(each.id) === id)
    if (file) found.push({ ...file, found: await hashIfThere(storage, file.file_key) })
  }
  return recordChecks(row, payload, now.record, found)
}

const unreadable = (name: CheckName): Check => ({
  name,
  passed: false,
  detail: 'What was signed cannot be read, so there is nothing to compare with',
})

const ofContent: readonly CheckName[] = ['record_integrity', 'content_integrity']

/** The worst of it: that the signature is not what it was, that the record is not, that it counts no more. */
function statusOf(
  checks: readonly Check[],
  row: SignedRow,
  now: { content_revision: number } | null,
): Verification['status'] {
  const failed = checks.filter(({ passed }) => !passed)
  if (failed.some(({ name }) => !ofContent.includes(name))) return 'seal_invalid'
  if (failed.length > 0) return 'content_mismatch'
  if (row.void) return 'void'
  return now && isSuperseded(row, now) ? 'superseded' : 'valid'
}

const hashIfThere = (storage: FileStorage, key: string) =>
  hashOf(storage, key).catch((error: Error) => {
    if (error instanceof MissingFile) return undefined
    throw error
  })
