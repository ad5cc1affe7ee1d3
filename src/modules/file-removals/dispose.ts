import type { ActionContext } from '#action'
import { forgetText } from '#modules/search'
import { enqueue } from '#platform/jobs/queue.ts'
import { giveSpaceBack } from '#platform/storage/quota.ts'
import { itemOf } from './delete-content.ts'
import { insertDisposed } from './queries.ts'
import { numberOf } from './rules.ts'

interface DisposedFile {
  disposal_id: number
  /** Of a version, or attached to a deviation or a CAPA. */
  version_id: number | null
  attachment_id: number | null
  sha256: string
  file_size: number
}

/**
 * Removes a file by an approved disposal: from the commit on it is not given out and not found any more, and the job deletes its content. The
 * caller holds the locks of the text and of the record.
 */
export async function disposeFile({ tx, actor, services, record }: ActionContext<unknown>, file: DisposedFile) {
  const inserted = await insertDisposed(tx, file)
  // Two people removed the file before: nothing of it is left.
  if (!inserted) return
  const { id } = inserted
  await giveSpaceBack(tx, file.file_size)
  // Only files of versions are read for the search.
  if (file.version_id !== null) await forgetText(tx, services, file.version_id)
  record('file_removal.approved', id, {
    number: numberOf(id),
    after: { status: 'approved', ...file },
    notify: [],
  })
  await enqueue(tx, 'background_jobs', [itemOf({ tenant_id: actor.tenantId, id })])
}
