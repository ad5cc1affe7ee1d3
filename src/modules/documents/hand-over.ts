import type { WorkOfKind } from '#modules/accounts'
import { countOwned, listOwned, lockDocument, ownerOf, updateDocument } from './core/queries.ts'
import { nextRevision } from './core/view.ts'

/** The owner answers for the document: its drafts, its new versions and its periodic reviews. */
export const ownership: WorkOfKind = {
  kind: 'document',
  needs: ['documents.read', 'documents.create'],
  list: listOwned,
  count: countOwned,
  async give({ tx, record }, { id }, { from, to, reason }) {
    const document = await lockDocument(tx, id)
    const before = await ownerOf(tx, id)
    if (!document || before?.id !== from) return false
    await updateDocument(tx, id, { owner_id: to })
    const after = await ownerOf(tx, id)
    record('document.updated', id, {
      number: document.number,
      before: { owner: before.username, revision: document.revision },
      after: { owner: after!.username, revision: nextRevision(document) },
      reason,
    })
    return true
  },
}
