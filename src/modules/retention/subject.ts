import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { findWholeHold } from './hold-queries.ts'
import { findSigned } from './queries.ts'

/** The signature of a disposal is over the list of its records, with their numbers, titles and hashes. */
export async function readDisposal(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const signed = await findSigned(tx, id)
  return signed && { type: 'disposal', id, status: 'proposed', content_revision: 1, ...signed }
}

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const ofHold = [
  ...['document_id', 'deviation_id', 'capa_id', 'document_type_id', 'record_kind', 'affected_item', 'department'],
  ...['reason', 'placed_by', 'placed_at'],
]

export async function readHold(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const hold = await findWholeHold(tx, id)
  if (!hold) return undefined
  const content = Object.fromEntries(Object.entries(hold).filter(([name]) => ofHold.includes(name)))
  return { type: 'legal_hold', id, number: hold.number, status: 'active', content_revision: 1, content }
}

const readable: RecordReader['readable'] = ({ permissions }) => permissions.has('retention.read')

export const signedDisposals: RecordReader = { read: readDisposal, readable }
export const signedHolds: RecordReader = { read: readHold, readable }
