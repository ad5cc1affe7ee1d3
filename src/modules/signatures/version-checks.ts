import { type Check, check, failed, isSuperseded, passed, recordAssociation, type SignedRow } from './checks.ts'
import { printed } from './messages.ts'
import { metadataDigest, type VersionPayload } from './payload.ts'
import type { JudgedRemoval } from './removals/rules.ts'
import type { Signable } from './rules.ts'

interface VersionFile {
  /** The hash of the stored file; undefined if it is missing. */
  found: string | undefined
  removed: JudgedRemoval | undefined
}

/** The checks that compare a signature with its version as it is `now`. */
export const versionChecks = (row: SignedRow, payload: VersionPayload, now: Signable, file: VersionFile) => [
  recordAssociation(
    row,
    payload,
    printed.check_of_version({ number: row.document_number!, version: row.document_version! }),
    now.document_id === row.document_id && now.version_id === row.version_id,
    printed.check_version_of_another(),
  ),
  recordIntegrity(row, payload, now),
  contentIntegrity(payload, now, file),
]

/**
 * True if the content of the version could not change by the rules after this signature: it was given on the approved version, or belongs to
 * the round in which the version was approved, since a change in a round ends it.
 */
const isOfFixedContent = (row: SignedRow, { round, content_fixed_at }: Signable) =>
  content_fixed_at !== null &&
  (Date.parse(row.signed_at) >= Date.parse(content_fixed_at) ||
    (row.occasion_kind === 'approval' && row.round === round && row.void === null))

function recordIntegrity(row: SignedRow, payload: VersionPayload, now: Signable): Check {
  const isSame = metadataDigest(now) === payload.metadata_sha256
  if (isSame || !isSuperseded(row, now) || isOfFixedContent(row, now))
    return check('record_integrity', isSame, printed.check_version_unchanged(), printed.check_version_altered())
  const { content_revision: signed } = row
  return passed('record_integrity', printed.check_version_superseded({ signed, now: now.content_revision }))
}

function contentIntegrity({ file }: VersionPayload, now: Signable, { found, removed }: VersionFile): Check {
  const isOfRecord = now.file_sha256 === file.sha256 && String(now.file_size) === file.size
  if (removed)
    return removed.isGenuine && isOfRecord
      ? { ...passed('content_integrity', removed.statement), was_removed: true }
      : failed('content_integrity', isOfRecord ? removed.statement : printed.check_version_file_another())
  const isSame = found === file.sha256 && isOfRecord
  const bad = found === undefined ? printed.check_version_file_missing() : printed.check_version_file_altered()
  return check('content_integrity', isSame, printed.check_version_file_unchanged(), bad)
}
