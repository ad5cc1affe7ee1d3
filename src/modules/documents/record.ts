import { sql } from 'kysely'
import type { Actor } from '#action'
import { forbidden } from '#kernel/errors.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import { canRead, sightOf } from './core/rules.ts'
import { requireReadable } from './core/view.ts'
import { messages } from './messages.ts'

/** The whole record of a document. It is refused to readers who may not read every version, because a record must be complete. */
export async function readRecord(tx: Tx, actor: Actor, id: number) {
  const { row } = await requireReadable(tx, actor, id)
  const versions = await listRecorded(tx, id)
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
export type RecordedVersion = Awaited<ReturnType<typeof listRecorded>>[number]

const listRecorded = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .innerJoin('workflow_templates as w', 'w.id', 'v.workflow_template_id')
    .select(['v.id', 'v.version', 'v.status', 'v.status_kind', 'v.title', 'v.category', 'v.description', 'v.keywords'])
    .select(['v.change_type', 'v.change_reason', 'v.round', 'v.content_revision', 'd.owner_id'])
    .select(['v.file_key', 'v.file_name', 'v.file_size', 'v.content_type', 'v.sha256'])
    .select(['w.name as workflow_template', 'v.workflow_template_version', 'v.approval_overrides'])
    .select(['v.approval_counts', 'v.approval_due_date'])
    .select([
      'v.created_at',
      'v.submitted_at',
      'v.approved_at',
      'v.effective_date',
      'v.effective_at',
      'v.review_due_date',
      'v.needs_revision',
    ])
    .select(sql<Person>`${personOf('v.created_by')}`.as('created_by'))
    .where('v.document_id', '=', documentId)
    .orderBy('v.major')
    .orderBy('v.minor')
    .execute()
