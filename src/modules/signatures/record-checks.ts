import { isDeepStrictEqual } from 'node:util'
import { type Check, check, isSuperseded, recordAssociation, type SignedRow } from './checks.ts'
import { plain, type RecordPayload } from './payload.ts'
import type { RecordSubject } from './rules.ts'

/** A file that was attached when the record was signed, as it is now. `found`: the hash of the stored bytes; undefined where there are none. */
interface FoundFile {
  id: number
  sha256: string
  size: number
  found: string | undefined
}

/** What is compared with a record as it is `now`, and with the files that are attached to it. */
export const recordChecks = (
  row: SignedRow,
  payload: RecordPayload,
  now: RecordSubject | null,
  files: readonly FoundFile[],
) => [
  recordAssociation(
    row,
    payload,
    `It belongs to ${row.record_number}`,
    now !== null && now.type === row.record_type && now.id === row.record_id && now.number === row.record_number,
    'The record that was signed is not there, or not under this number',
  ),
  recordIntegrity(row, payload, now),
  contentIntegrity(payload, files),
]

/** Name by name of what was signed: what a later program has beside that was not signed. */
function recordIntegrity(row: SignedRow, { content }: RecordPayload, now: RecordSubject | null): Check {
  if (!now) return check('record_integrity', false, '', 'The record that was signed is not there')
  if (isSuperseded(row, now)) {
    const changed = `The record was reopened or changed after the signing: revision ${row.content_revision} of the content was signed, this is ${now.content_revision}`
    return check('record_integrity', true, changed, changed)
  }
  const found = plain(now.content)
  const altered = Object.keys(content).filter(name => !isDeepStrictEqual(content[name], found[name]))
  const good = 'All of the content is as it was signed'
  return check('record_integrity', altered.length === 0, good, `Not what was signed: ${altered.join(', ')}`)
}

function contentIntegrity({ files: signed }: RecordPayload, files: readonly FoundFile[]): Check {
  if (signed.length === 0)
    return check('content_integrity', true, 'No files were attached; record_integrity is about the content', '')
  const wrong = signed.flatMap(({ id, name, sha256, size }) => {
    const file = files.find(each => String(each.id) === id)
    if (file?.found === undefined) return [`The attached file ${name} is missing`]
    const isSame = file.found === sha256 && file.sha256 === sha256 && String(file.size) === size
    return isSame ? [] : [`The attached file ${name} is not the one that was signed`]
  })
  return check(
    'content_integrity',
    wrong.length === 0,
    'The attached files are those that were signed',
    wrong.join('; '),
  )
}
