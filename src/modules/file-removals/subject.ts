import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { findWhole } from './queries.ts'
import { numberOf } from './rules.ts'

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const ofRemoval = [
  ...['version_id', 'attachment_id', 'sha256', 'file_size', 'hides_name', 'reason', 'requested_by', 'requested_at'],
]

export async function readSubject(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const removal = await findWhole(tx, id)
  if (!removal) return undefined
  return {
    type: 'file_removal',
    id,
    number: numberOf(id),
    status: 'requested',
    content_revision: 1,
    content: Object.fromEntries(Object.entries(removal).filter(([name]) => ofRemoval.includes(name))),
  }
}

export const signedFileRemovals: RecordReader = {
  read: readSubject,
  readable: ({ permissions }) => permissions.has('files.read_removals'),
}
