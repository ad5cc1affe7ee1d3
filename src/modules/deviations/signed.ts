import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { findWhole } from './queries.ts'

/** The columns that a closure signature covers. People are covered by their ids, because names can change. */
const signedFields = [
  'title',
  'description',
  'severity',
  'severity_suggestion',
  'severity_decision',
  'severity_reason',
  'category',
  'department',
  'occurred_at',
  'detected_at',
  'reported_at',
  'reported_by',
  'late_report_reason',
  'assigned_to',
  'affected_items',
  'immediate_action',
  'impact_assessment',
  'investigation',
  'root_cause',
  'no_capa_reason',
  'due_date',
  'original_due_date',
  'extension_count',
  'form_template_id',
  'form_template_version',
  'form_data',
] as const

export async function readSubject(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const row = await findWhole(tx, id)
  if (!row) return undefined
  const { number, status, content_revision } = row
  const content = Object.fromEntries(signedFields.map(field => [field, row[field]]))
  return { type: 'deviation', id, number, status, content_revision, content }
}

export const signedDeviations: RecordReader = {
  read: readSubject,
  readable: ({ permissions }) => permissions.has('deviations.read'),
}
