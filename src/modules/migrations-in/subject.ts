import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { findWhole } from './queries.ts'

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const ofBatch = [
  ...['title', 'source_system', 'settings', 'sheets', 'counts', 'manifest_sha256', 'files_sha256', 'report_sha256'],
  ...['samples', 'created_by', 'created_at'],
]

export async function readSubject(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const batch = await findWhole(tx, id)
  if (!batch) return undefined
  return {
    type: 'migration_batch',
    id,
    number: batch.number,
    // Content is signed at the acceptance and at the release, and is the same at both.
    status: batch.status === 'loaded' || batch.status === 'released' ? 'loaded' : 'rehearsed',
    content_revision: batch.content_revision,
    content: Object.fromEntries(Object.entries(batch).filter(([name]) => ofBatch.includes(name))),
  }
}

export const signedMigrations: RecordReader = {
  read: readSubject,
  readable: ({ permissions }) => permissions.has('migration.read'),
}
