import { type FileStorage, hashOf, MissingFile } from '#platform/storage/storage.ts'
import {
  type Check,
  chain,
  completeness,
  contentIntegrity,
  isSuperseded,
  manifestation,
  recordAssociation,
  recordIntegrity,
  type SignedRow,
  signatureIntegrity,
  signerIdentity,
} from './checks.ts'
import { readPayload } from './payload.ts'
import type { Signable } from './rules.ts'
import { type CheckName, checkNames, type Verification } from './schema.ts'

/**
 * SIG-02, 21 CFR 11.70: each hash made again from the stored file and the record as they are `at` this moment. Where what was signed
 * cannot be read, nothing can be compared with it.
 */
export async function verifySignature(
  storage: FileStorage,
  row: SignedRow,
  now: Signable,
  at: Date,
): Promise<Verification> {
  const payload = readPayload(row.payload)
  const integrity = signatureIntegrity(row)
  const checks = payload
    ? [
        completeness(row, payload),
        integrity,
        recordAssociation(row, payload, now),
        recordIntegrity(row, payload, now),
        contentIntegrity(payload, now, await hashIfThere(storage, now.file_key)),
        signerIdentity(row, payload),
        chain(row, payload),
        manifestation(row, payload),
      ]
    : checkNames.map(name => (name === integrity.name ? integrity : unreadable(name)))
  const status = statusOf(checks, row, now)
  return {
    valid: status === 'valid' || status === 'superseded',
    verified_at: at.toISOString(),
    status,
    algorithm: 'Ed25519',
    key_id: row.key_id,
    checks,
  }
}

const unreadable = (name: CheckName): Check => ({
  name,
  passed: false,
  detail: 'What was signed cannot be read, so there is nothing to compare with',
})

const ofContent: readonly CheckName[] = ['record_integrity', 'content_integrity']

/** The worst of it: that the signature is not what it was, that the record is not, that it counts no more. */
function statusOf(checks: readonly Check[], row: SignedRow, now: Signable): Verification['status'] {
  const failed = checks.filter(({ passed }) => !passed)
  if (failed.some(({ name }) => !ofContent.includes(name))) return 'seal_invalid'
  if (failed.length > 0) return 'content_mismatch'
  if (row.void) return 'void'
  return isSuperseded(row, now) ? 'superseded' : 'valid'
}

const hashIfThere = (storage: FileStorage, key: string) =>
  hashOf(storage, key).catch((error: Error) => {
    if (error instanceof MissingFile) return undefined
    throw error
  })
