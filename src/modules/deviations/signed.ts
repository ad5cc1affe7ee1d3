import { pick, signedRecords } from '#modules/casework'
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
  'migration_batch_id',
  'legacy_number',
] as const

export const signedDeviations = signedRecords('deviation', 'deviation', findWhole, (_tx, _id, row) =>
  pick(row, signedFields),
)
