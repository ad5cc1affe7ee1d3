import { type Check, check, isSuperseded, recordAssociation, type SignedRow } from './checks.ts'
import { metadataDigest, type VersionPayload } from './payload.ts'
import type { Signable } from './rules.ts'

/** What is compared with a version as it is `now`. `found`: the hash of the stored file, made just now; undefined where there is none. */
export const versionChecks = (row: SignedRow, payload: VersionPayload, now: Signable, found: string | undefined) => [
  recordAssociation(
    row,
    payload,
    `It belongs to version ${row.document_version} of ${row.document_number}`,
    now.document_id === row.document_id && now.version_id === row.version_id,
    'The version that was signed is not one of this document',
  ),
  recordIntegrity(row, payload, now),
  contentIntegrity(payload, now, found),
]

function recordIntegrity(row: SignedRow, payload: VersionPayload, now: Signable): Check {
  const isSame = metadataDigest(now) === payload.metadata_sha256
  if (isSame || !isSuperseded(row, now))
    return check(
      'record_integrity',
      isSame,
      'Title, type, category, description, keywords and version are as they were signed',
      'Title, type, category, description, keywords or version is not what was signed',
    )
  const { content_revision: signed } = row
  const changed = `The metadata was changed after the signing: revision ${signed} of the content was signed, this is ${now.content_revision}`
  return check('record_integrity', true, changed, changed)
}

function contentIntegrity({ file }: VersionPayload, now: Signable, found: string | undefined): Check {
  const isSame = found === file.sha256 && now.file_sha256 === file.sha256 && String(now.file_size) === file.size
  const bad = found === undefined ? 'The stored file is missing' : 'The stored file is not the one that was signed'
  return check('content_integrity', isSame, 'The stored file is the one that was signed', bad)
}
