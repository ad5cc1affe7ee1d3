import type { Actor } from '#action'
import { forbidden } from '#kernel/errors.ts'
import type { Tx } from '#platform/db/database.ts'
import { canRead, sightOf } from './core/rules.ts'
import { requireReadable } from './core/view.ts'
import { listRecordedApprovals } from './imported-queries.ts'
import { listHistory } from './lifecycle/queries.ts'
import { messages } from './messages.ts'
import { listReviews } from './periodic-reviews/queries.ts'
import {
  listRecordedComments,
  listRecordedDecisions,
  listRecordedDelegations,
  listRecordedVersions,
} from './record-queries.ts'

/** The whole record of a document. It is refused to readers who may not read every version, because a record must be complete. */
export async function readRecord(tx: Tx, actor: Actor, id: number) {
  const { row } = await requireReadable(tx, actor, id)
  const versions = await listRecordedVersions(tx, id)
  const sight = sightOf(actor)
  const hidden = versions.filter(
    ({ status_kind, owner_id, created_by }) => !canRead(sight, { status_kind, owner_id, created_by: created_by.id }),
  )
  if (hidden.length > 0) {
    const labels = hidden.map(({ version, status }) => `${version} (${status})`)
    throw forbidden(messages.document_versions_not_readable({ number: row.number, versions: labels }), row)
  }
  const { version_id, latest_version_id, latest_kind, pending_version, ...document } = row
  return { document, versions }
}
export type RecordedVersion = Awaited<ReturnType<typeof listRecordedVersions>>[number]

/** The parts of a document's record beside the document and its versions, by their file names in a dossier. */
export const recordParts: Record<string, (tx: Tx, documentId: number) => Promise<object[]>> = {
  history: listHistory,
  decisions: listRecordedDecisions,
  delegations: listRecordedDelegations,
  reviews: listReviews,
  historical_approvals: listRecordedApprovals,
  comments: listRecordedComments,
}
