import { isDeepStrictEqual } from 'node:util'
import type { Message } from '#kernel/message.ts'
import { type Check, check, failed, isSuperseded, passed, recordAssociation, type SignedRow } from './checks.ts'
import { printed } from './messages.ts'
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
    printed.check_of_record({ number: row.record_number }),
    now !== null && now.type === row.record_type && now.id === row.record_id && now.number === row.record_number,
    printed.check_record_of_another_number(),
  ),
  recordIntegrity(row, payload, now),
  contentIntegrity(payload, files),
]

/** Compares only the fields that were signed: a later version of the program may have more. */
function recordIntegrity(row: SignedRow, { content }: RecordPayload, now: RecordSubject | null): Check {
  if (!now) return failed('record_integrity', printed.check_record_gone())
  if (isSuperseded(row, now))
    return passed(
      'record_integrity',
      printed.check_record_superseded({ signed: row.content_revision, now: now.content_revision }),
    )
  const found = plain(now.content)
  const altered = Object.keys(content).filter(name => !isDeepStrictEqual(content[name], found[name]))
  return check(
    'record_integrity',
    altered.length === 0,
    printed.check_record_unchanged(),
    printed.check_record_altered({ fields: altered }),
  )
}

function contentIntegrity({ files: signed }: RecordPayload, files: readonly FoundFile[]): Check {
  if (signed.length === 0) return passed('content_integrity', printed.check_no_files())
  const removed: Message[] = []
  const wrong = signed.flatMap(({ id, name, sha256, size }): Message[] => {
    const file = files.find(each => String(each.id) === id)
    if (file?.removed) {
      const isOfRecord = file.sha256 === sha256 && String(file.size) === size
      const statement = printed.check_file_removed({ name, statement: file.removed.statement })
      if (!file.removed.isGenuine || !isOfRecord) return [statement]
      removed.push(statement)
      return []
    }
    if (file?.found === undefined) return [printed.check_file_missing({ name })]
    const isSame = file.found === sha256 && file.sha256 === sha256 && String(file.size) === size
    return isSame ? [] : [printed.check_file_altered({ name })]
  })
  if (wrong.length === 0 && removed.length > 0)
    return { ...passed('content_integrity', printed.check_files({ files: removed })), was_removed: true }
  return check(
    'content_integrity',
    wrong.length === 0,
    printed.check_files_unchanged(),
    printed.check_files({ files: wrong }),
  )
}
