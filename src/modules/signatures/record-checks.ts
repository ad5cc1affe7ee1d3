import { isDeepStrictEqual } from 'node:util'
import { type Check, check, isSuperseded, recordAssociation, type SignedRow } from './checks.ts'
import { plain, type RecordPayload } from './payload.ts'
import type { JudgedRemoval } from './removals/rules.ts'
import type { RecordSubject } from './rules.ts'

/** A file that was attached when the record was signed, as it is now. `found`: the hash of its stored bytes; undefined if it is missing. */
interface FoundFile {
  id: number
  sha256: string
  size: number
  found: string | undefined
  removed: JudgedRemoval | undefined
}

/** The checks that compare a signature with its record as it is `now`, and with the attached files. */
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
    'The signed record does not exist, or not under this number',
  ),
  recordIntegrity(row, payload, now),
  contentIntegrity(payload, files),
]

/** Compares only the fields that were signed: a later version of the program may have more. */
function recordIntegrity(row: SignedRow, { content }: RecordPayload, now: RecordSubject | null): Check {
  if (!now) return check('record_integrity', false, '', 'The signed record does not exist')
  if (isSuperseded(row, now)) {
    const changed = `The record was reopened or changed after signing: content revision ${row.content_revision} was signed, the current one is ${now.content_revision}. They were not compared`
    return check('record_integrity', true, changed, changed)
  }
  const found = plain(now.content)
  const altered = Object.keys(content).filter(name => !isDeepStrictEqual(content[name], found[name]))
  const good = 'The signed content is unchanged since signing'
  return check('record_integrity', altered.length === 0, good, `Changed since signing: ${altered.join(', ')}`)
}

function contentIntegrity({ files: signed }: RecordPayload, files: readonly FoundFile[]): Check {
  if (signed.length === 0) return check('content_integrity', true, 'No files were attached', '')
  const removed: string[] = []
  const wrong = signed.flatMap(({ id, name, sha256, size }) => {
    const file = files.find(each => String(each.id) === id)
    if (file?.removed) {
      const isOfRecord = file.sha256 === sha256 && String(file.size) === size
      if (!file.removed.isGenuine || !isOfRecord) return [`The attached file ${name}: ${file.removed.statement}`]
      removed.push(`The attached file ${name}: ${file.removed.statement}`)
      return []
    }
    if (file?.found === undefined) return [`The attached file ${name} is missing`]
    const isSame = file.found === sha256 && file.sha256 === sha256 && String(file.size) === size
    return isSame ? [] : [`The attached file ${name} differs from the one that was signed`]
  })
  if (wrong.length === 0 && removed.length > 0)
    return { ...check('content_integrity', true, removed.join('; '), ''), was_removed: true }
  return check(
    'content_integrity',
    wrong.length === 0,
    'The attached files are unchanged since signing',
    wrong.join('; '),
  )
}
