import { type Check, check, isSuperseded, recordAssociation, type SignedRow } from './checks.ts'
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
    `It belongs to version ${row.document_version} of ${row.document_number}`,
    now.document_id === row.document_id && now.version_id === row.version_id,
    'The signed version does not belong to this document',
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
    return check(
      'record_integrity',
      isSame,
      'Title, type, category, description, keywords and version are unchanged since signing',
      'Title, type, category, description, keywords or version was changed since signing',
    )
  const { content_revision: signed } = row
  const changed = `The metadata was changed after signing: content revision ${signed} was signed, the current one is ${now.content_revision}`
  return check('record_integrity', true, changed, changed)
}

function contentIntegrity({ file }: VersionPayload, now: Signable, { found, removed }: VersionFile): Check {
  const isOfRecord = now.file_sha256 === file.sha256 && String(now.file_size) === file.size
  if (removed)
    return removed.isGenuine && isOfRecord
      ? { ...check('content_integrity', true, removed.statement, ''), was_removed: true }
      : check('content_integrity', false, '', isOfRecord ? removed.statement : 'The signed file is another one')
  const isSame = found === file.sha256 && isOfRecord
  const bad =
    found === undefined ? 'The stored file is missing' : 'The stored file differs from the one that was signed'
  return check('content_integrity', isSame, 'The stored file is unchanged since signing', bad)
}
