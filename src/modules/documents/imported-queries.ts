import { sql } from 'kysely'
import type { WorkflowDefinition } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import type { HistoricalApproval } from './core/schema.ts'
import type { ImportedVersion } from './core/version-queries.ts'

/** A version was effective from the beginning of its day in the time zone of the tenant. */
export const insertImportedVersion = (
  tx: Tx,
  { effective_date, ...values }: Omit<ImportedVersion, 'effective_at'> & { effective_date: string },
  time_zone: string,
) =>
  tx
    .insertInto('document_versions')
    .values({
      ...values,
      effective_date,
      effective_at: sql<string>`${effective_date}::timestamp at time zone ${time_zone}`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()

/** After versions were imported in any order: the effective one, and the one with the highest label. */
export const settlePointers = (tx: Tx, ids: readonly number[]) =>
  sql`
  update documents d set
    effective_version_id = (select v.id from document_versions v where v.document_id = d.id and v.status_kind = 'effective'),
    latest_version_id = (select v.id from document_versions v where v.document_id = d.id order by v.major desc, v.minor desc limit 1)
  where d.id = any(${ids}::bigint[])`.execute(tx)

export interface ImportableType {
  id: number
  name: string
  prefix: string
  is_active: boolean
  review_period_months: number | null
  workflow_template_id: number
  workflow_template_version: number
  definition: WorkflowDefinition
}

/** The document types, with the workflow that a version of each has. */
export const listImportableTypes = (tx: Tx): Promise<ImportableType[]> =>
  tx
    .selectFrom('document_types as t')
    .innerJoin('workflow_templates as w', 'w.id', 't.workflow_template_id')
    .innerJoin('workflow_template_versions as v', join =>
      join.onRef('v.template_id', '=', 'w.id').onRef('v.version', '=', 'w.version'),
    )
    .select(['t.id', 't.name', 't.prefix', 't.is_active', 't.review_period_months'])
    .select(['w.id as workflow_template_id', 'w.version as workflow_template_version'])
    .select(sql<WorkflowDefinition>`v.definition`.as('definition'))
    .orderBy('t.id')
    .execute()

export interface NewHistoricalApproval {
  document_id: number
  version_id: number
  migration_batch_id: number
  line: number
  person_name: string
  person_role: string | null
  approved_on: string | null
  meaning: string
  evidence: string | null
  evidence_file_id: number | null
}

export const insertHistoricalApproval = (tx: Tx, values: NewHistoricalApproval) =>
  tx.insertInto('historical_approvals').values(values).returning('id').executeTakeFirstOrThrow()

export const listHistoricalApprovals = async (
  tx: Tx,
  { document_id, version_id }: { document_id: number; version_id?: number },
): Promise<(HistoricalApproval & { version_id: number })[]> =>
  tx
    .selectFrom('historical_approvals as h')
    .innerJoin('document_versions as v', 'v.id', 'h.version_id')
    .innerJoin('migration_batches as b', 'b.id', 'h.migration_batch_id')
    .leftJoin('migration_files as f', 'f.id', 'h.evidence_file_id')
    .select(['h.id', 'h.version_id', 'v.version', 'h.person_name', 'h.person_role', 'h.approved_on', 'h.meaning'])
    .select('h.evidence')
    .select([
      sql<HistoricalApproval['evidence_file']>`case when f.id is not null then jsonb_build_object(
        'name', regexp_replace(f.path, '^.*/', ''), 'size', f.file_size, 'content_type', f.content_type, 'sha256', f.sha256) end`.as(
        'evidence_file',
      ),
      batchOf.as('batch'),
    ])
    .where('h.document_id', '=', document_id)
    // The acceptance is shown with each.
    .where('b.accepted_at', 'is not', null)
    .$if(version_id !== undefined, query => query.where('h.version_id', '=', version_id!))
    .orderBy('v.major')
    .orderBy('v.minor')
    .orderBy('h.approved_on')
    .orderBy('h.line')
    .execute()

/** A batch `b` with its acceptance. */
const batchOf = sql<
  HistoricalApproval['batch']
>`jsonb_build_object('id', b.id, 'number', b.number, 'source', b.source_system,
  'accepted_at', to_char(b.accepted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  'accepted_by', (select jsonb_build_object('id', u.id, 'username', u.username, 'full_name', u.full_name) from users u where u.id = b.accepted_by),
  'signature_id', (select s.id from signatures s where s.migration_batch_id = b.id and s.signature_type = 'approval'
    and s.signer_id = b.accepted_by order by s.id desc limit 1))`

export const findEvidenceFile = (tx: Tx, document_id: number, id: number) =>
  tx
    .selectFrom('historical_approvals as h')
    .innerJoin('documents as d', 'd.id', 'h.document_id')
    .innerJoin('migration_files as f', 'f.id', 'h.evidence_file_id')
    .select(['d.number', 'h.version_id', 'f.file_key', 'f.content_type', 'f.file_size', 'f.sha256'])
    .select(sql<string>`regexp_replace(f.path, '^.*/', '')`.as('name'))
    .where('h.document_id', '=', document_id)
    .where('h.id', '=', id)
    .executeTakeFirst()

/** Those of a document, as its record has them. */
export const listRecordedApprovals = (tx: Tx, document_id: number) => listHistoricalApprovals(tx, { document_id })
