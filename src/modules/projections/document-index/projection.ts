import type { EventName } from '#kernel/catalogue.ts'
import { batches } from '../batches.ts'
import type { Projection } from '../projection.ts'
import { listDocuments, listDrift, rebuildRows, updateGates, updateRows } from './queries.ts'

/** Events of what happens around a document, which change nothing that the index has of it. */
const unindexed: readonly EventName[] = [
  'document.downloaded',
  'document.viewed',
  'document.dossier_exported',
  'document.file_removed',
  'document.commented',
  'document.comment_mentioned',
  'document.comment_changed',
  'document.comment_resolved',
  'document.comment_reopened',
  'document.delegated',
  'document.delegation_ended',
  'document.approval_reminded',
  'document.approval_due',
  'document.approval_escalated',
  'document.review_due',
  'document.review_overdue',
]

/** Words and filters of every version for search and lists. The words of its text follow when the text is extracted. */
export const documentIndex: Projection = {
  name: 'document-index',
  isSlowToCompare: true,
  async update(tx, changed) {
    const [documents, types] = [changed.idsOf('document'), changed.idsOf('document_type')]
    const isIndexed = changed.recorded.some(({ event }) => event.startsWith('document.') && !unindexed.includes(event))
    if (isIndexed) await updateRows(tx, documents)
    if (types.length > 0) await updateGates(tx, types)
  },
  async rebuild(tx) {
    for await (const ids of batches(listDocuments, tx)) await rebuildRows(tx, ids)
  },
  async findDrift(tx) {
    const drift: string[] = []
    for await (const ids of batches(listDocuments, tx))
      for (const { number, version_id, columns } of await listDrift(tx, ids))
        drift.push(`${number} (version ${version_id}): ${columns.join(', ')}`)
    return drift
  },
}
