import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { findWhole } from './queries.ts'
import { numberOf } from './rules.ts'

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const ofChange = [
  ...['kind', 'operation', 'title', 'base_revision', 'reason', 'request', 'changes', 'digest'],
  ...['proposed_by', 'proposed_at'],
]

async function readSubject(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const change = await findWhole(tx, id)
  if (!change) return undefined
  return {
    type: 'configuration_change',
    id,
    number: numberOf(id),
    status: 'pending',
    content_revision: 1,
    content: Object.fromEntries(Object.entries(change).filter(([name]) => ofChange.includes(name))),
  }
}

export const signedConfigurationChanges: RecordReader = {
  read: readSubject,
  readable: ({ permissions }) => permissions.has('configuration_changes.read'),
}
