import type { ActionContext } from '#action'
import { countFileRemoval } from '#modules/documents'
import { forgetText } from '#modules/search'
import { enqueue } from '#platform/jobs/queue.ts'
import { giveSpaceBack } from '#platform/storage/quota.ts'
import { itemOf } from './delete-content.ts'
import { insertDisposed } from './queries.ts'
import { numberOf } from './rules.ts'

interface DisposedVersion {
  disposal_id: number
  document_id: number
  version_id: number
  sha256: string
  file_size: number
}

/**
 * Removes the file of a version by an approved disposal: from the commit on it is not given out and not found any more, and the job deletes its
 * content. The caller holds the locks of the text and of the document.
 */
export async function disposeFile(
  { tx, actor, services, record }: ActionContext<unknown>,
  { document_id, ...file }: DisposedVersion,
) {
  const inserted = await insertDisposed(tx, file)
  await countFileRemoval(tx, document_id)
  // Two people removed the file before: nothing of it is left.
  if (!inserted) return
  const { id } = inserted
  await giveSpaceBack(tx, file.file_size)
  await forgetText(tx, services, file.version_id)
  record('file_removal.approved', id, {
    number: numberOf(id),
    after: { status: 'approved', ...file },
    notify: [],
  })
  await enqueue(tx, 'background_jobs', [itemOf({ tenant_id: actor.tenantId, id })])
}
