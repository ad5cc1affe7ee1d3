// The whole record of a document, as a dossier has it.
import { sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf, removalNote, shownFileName } from '#platform/db/expressions.ts'
import { mentionsOf } from './comments/queries.ts'

export const listRecordedVersions = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .innerJoin('workflow_templates as w', 'w.id', 'v.workflow_template_id')
    .select(['v.id', 'v.version', 'v.status', 'v.status_kind', 'v.title', 'v.category', 'v.description', 'v.keywords'])
    .select(['v.change_type', 'v.change_reason', 'v.round', 'v.content_revision', 'd.owner_id'])
    .select(['v.file_key', 'v.file_size', 'v.content_type', 'v.sha256'])
    .select([shownFileName('v', 'version_id').as('file_name'), removalNote('v', 'version_id').as('file_removal')])
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
      'v.legacy_label',
      'v.ended_on',
    ])
    .select(sql<Person>`${personOf('v.created_by')}`.as('created_by'))
    .where('v.document_id', '=', documentId)
    .orderBy('v.major')
    .orderBy('v.minor')
    .execute()

export const listRecordedDecisions = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_decisions as c')
    .innerJoin('document_versions as v', 'v.id', 'c.version_id')
    .select(['c.id', 'v.version', 'c.round', 'c.transition', 'c.rules', 'c.decision', 'c.comment', 'c.signature_id'])
    .select(['c.is_void', 'c.decided_at', personOf('c.user_id').as('user')])
    .select(personOf('c.on_behalf_of_id').as('on_behalf_of'))
    .select(['c.withdrawn_at', 'c.withdrawal_reason', 'c.withdrawal_signature_id'])
    .where('c.document_id', '=', documentId)
    .orderBy('c.id')
    .execute()

export const listRecordedDelegations = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_delegations as g')
    .innerJoin('document_versions as v', 'v.id', 'g.version_id')
    .select(['g.id', 'v.version', 'g.round', 'g.transition', 'g.rules', 'g.reason', 'g.given_at'])
    .select([
      personOf('g.from_user_id').as('from'),
      personOf('g.to_user_id').as('to'),
      personOf('g.given_by').as('given_by'),
    ])
    .select(['g.ended_at', personOf('g.ended_by').as('ended_by'), 'g.end_reason'])
    .where('g.document_id', '=', documentId)
    .orderBy('g.id')
    .execute()

export const listRecordedComments = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_comments as c')
    .innerJoin('document_versions as v', 'v.id', 'c.version_id')
    .select([
      'c.id',
      'c.parent_id',
      'v.version',
      'c.round',
      'c.page',
      'c.quote',
      'c.text',
      'c.created_at',
      'c.edited_at',
    ])
    .select([personOf('c.created_by').as('created_by'), personOf('c.resolved_by').as('resolved_by')])
    .select(['c.resolved_at', 'c.reply'])
    .select(mentionsOf)
    .where('c.document_id', '=', documentId)
    .orderBy('c.id')
    .execute()
