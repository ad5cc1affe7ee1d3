import type { Tx } from '#platform/db/database.ts'
import { type FileStorage, hashOf, MissingFile } from '#platform/storage/storage.ts'
import {
  auditEntry,
  type Check,
  chain,
  completeness,
  failed,
  isSuperseded,
  manifestation,
  type SignedRow,
  signatureIntegrity,
  signerIdentity,
} from './checks.ts'
import { evidenceCheck } from './evidence/check.ts'
import { printed } from './messages.ts'
import { isOfRecord, type Payload, readPayload } from './payload.ts'
import { recordChecks } from './record-checks.ts'
import { removalsOfAttachments, removalsOfVersions } from './removals/queries.ts'
import { type FileRemoval, judgeRemoval } from './removals/rules.ts'
import type { RecordSubject, RecordType, Signable } from './rules.ts'
import { type CheckName, checkNames, type Verification } from './schema.ts'
import { type AttachedFile, listAttached } from './sign-queries.ts'
import type { SignedRecords, Signing } from './signing.ts'
import { versionChecks } from './version-checks.ts'

/** The signed version or record as it is now. */
export type Now =
  | { version: Signable; record?: undefined; removals: readonly FileRemoval[] }
  | {
      version?: undefined
      record: RecordSubject | null
      files: readonly AttachedFile[]
      removals: readonly FileRemoval[]
    }

/** Reads a signed record as it is now. `hasRemovals` is false for the tables of a release that could not remove files. */
export async function readRecordNow(
  tx: Tx,
  records: SignedRecords,
  { record_type, record_id }: Pick<SignedRow, 'record_type' | 'record_id'>,
  { hasRemovals = true } = {},
): Promise<Now> {
  const type = record_type as RecordType
  const files = await listAttached(tx, { type, id: record_id })
  return {
    record: (await records[type].read(tx, record_id)) ?? null,
    files,
    removals:
      hasRemovals && files.length > 0
        ? await removalsOfAttachments(
            tx,
            files.map(({ id }) => id),
          )
        : [],
  }
}

/** Reads a signed version as it is now. */
export async function readVersionNow(
  tx: Tx,
  readSignable: Signing['readSignable'],
  versionId: number,
): Promise<Now & { version: Signable }> {
  const version = await readSignable(tx, versionId)
  return { version, removals: version.is_removed ? await removalsOfVersions(tx, [versionId]) : [] }
}

/** Reads what was signed as it is now. */
export const readNow = async (
  tx: Tx,
  { readSignable, records }: Pick<Signing, 'readSignable' | 'records'>,
  row: Pick<SignedRow, 'record_type' | 'record_id' | 'version_id'>,
): Promise<Now> =>
  row.version_id === null ? readRecordNow(tx, records, row) : readVersionNow(tx, readSignable, row.version_id)

/**
 * SIG-02, 21 CFR 11.70: computes each hash again from the stored files and the record as they are `at` this moment. If the payload cannot
 * be read, or is of another kind of record, there is nothing to compare with. `trusted`: the public keys that count (`readTrustedKeys`);
 * undefined if the caller has no key of the service and says so itself.
 */
export async function verifySignature(
  storage: Pick<FileStorage, 'open'>,
  row: SignedRow,
  now: Now,
  {
    at,
    trusted,
    found = ({ file_key }) => hashIfThere(storage, file_key),
  }: { at: Date; trusted: ReadonlySet<string> | undefined; found?: FoundHash },
): Promise<Verification> {
  const payload = readPayload(row.payload)
  const integrity = signatureIntegrity(row, trusted)
  const ofRecord = payload && (await compare(found, row, payload, now, trusted))
  const checks =
    payload && ofRecord
      ? [
          completeness(row, payload),
          integrity,
          ...ofRecord,
          signerIdentity(row, payload),
          chain(row, payload),
          manifestation(row, payload),
          auditEntry(row, payload, at),
          evidenceCheck(row, payload),
        ]
      : checkNames.map(name => (name === integrity.name ? integrity : unreadable(name)))
  const status = statusOf(checks, row, now.version ?? now.record)
  return {
    valid: status === 'valid' || status === 'superseded' || status === 'content_removed',
    verified_at: at.toISOString(),
    status,
    algorithm: 'Ed25519',
    key_id: row.key_id,
    checks,
  }
}

/** The hash of a stored file as it is now; undefined if it is missing. Whoever has just read every file knows it already. */
export type FoundHash = (file: { file_key: string; sha256: string }) => Promise<string | undefined>

/** Returns undefined if the payload is of another kind of record. */
async function compare(
  hashOfFile: FoundHash,
  row: SignedRow,
  payload: Payload,
  now: Now,
  trusted: ReadonlySet<string> | undefined,
): Promise<readonly Check[] | undefined> {
  const judged = (removal: FileRemoval | undefined) => removal && judgeRemoval(removal, trusted)
  if (now.version) {
    if (isOfRecord(payload)) return undefined
    const removed = judged(now.removals[0])
    return versionChecks(row, payload, now.version, {
      found: removed ? undefined : await hashOfFile({ ...now.version, sha256: now.version.file_sha256 }),
      removed,
    })
  }
  if (!isOfRecord(payload)) return undefined
  const found = []
  for (const { id } of payload.files) {
    const file = now.files.find(each => String(each.id) === id)
    if (!file) continue
    const removed = judged(now.removals.find(({ attachment_id }) => String(attachment_id) === id))
    found.push({ ...file, removed, found: removed ? undefined : await hashOfFile(file) })
  }
  return recordChecks(row, payload, now.record, found)
}

const unreadable = (name: CheckName): Check => failed(name, printed.check_unreadable())

const ofContent: readonly CheckName[] = ['record_integrity', 'content_integrity']

/** The worst finding: the signature was altered, the record was altered, or the signature no longer counts. */
function statusOf(
  checks: readonly Check[],
  row: SignedRow,
  now: { content_revision: number } | null,
): Verification['status'] {
  const failed = checks.filter(({ passed }) => !passed)
  if (failed.some(({ name }) => !ofContent.includes(name))) return 'seal_invalid'
  if (failed.length > 0) return 'content_mismatch'
  if (row.void) return 'void'
  if (checks.some(({ was_removed }) => was_removed)) return 'content_removed'
  return now && isSuperseded(row, now) ? 'superseded' : 'valid'
}

const hashIfThere = (storage: Pick<FileStorage, 'open'>, key: string) =>
  hashOf(storage, key).catch((error: Error) => {
    if (error instanceof MissingFile) return undefined
    throw error
  })
