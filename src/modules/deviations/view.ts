import type { ActionContext, Actor, Services } from '#action'
import { refuseStale } from '#action/revision.ts'
import { notFound } from '#kernel/errors.ts'
import { transitionsFrom } from '#kernel/machine.ts'
import { todayOf } from '#modules/accounts'
import { lockCase } from '#modules/casework'
import { suggestSeverity } from '#modules/severity'
import type { Tx } from '#platform/db/database.ts'
import { findDeviation } from './queries.ts'
import { deviationMachine, isOver, permissionsOn, type State } from './rules.ts'
import type { Deviation, DeviationDetails } from './schema.ts'

interface Reading {
  tx: Tx
  services: Services
}

export async function requireDeviation(context: Reading, id: number) {
  const [row, today] = await Promise.all([findDeviation(context.tx, id), todayOf(context)])
  if (!row) throw notFound('Deviation')
  // Added, because the row has some fifty fields, and each copy of it takes as long as a condition of an act.
  return Object.assign(row, { overdue: row.due_date < today && !isOver(row.status) })
}
export type DeviationRow = Awaited<ReturnType<typeof requireDeviation>>

/** Every command about a deviation begins with its lock, so that it decides on current values. */
export async function lockForWork(context: ActionContext<unknown>, id: number): Promise<DeviationRow> {
  await lockCase(context.tx, 'deviation', id)
  const row = await requireDeviation(context, id)
  await refuseStale(context, 'deviation', row)
  return row
}

function waysOf(row: DeviationRow, actor: Actor): State[] {
  const permissions = permissionsOn(row, actor)
  return transitionsFrom(deviationMachine, row.status)
    .filter(({ permission }) => permissions.has(permission))
    .map(({ to }) => to)
}

/** The stored rationale is English. It is translated while the rules still give the same rationale for the description. */
export function suggestionShown(
  stored: DeviationDetails['severity_suggestion'],
  description: string,
): DeviationDetails['severity_suggestion'] {
  if (stored === null) return null
  const { rationale, said } = suggestSeverity(description)
  return rationale === stored.rationale ? { ...stored, code: said.code, params: { ...said.params } } : stored
}

export function shownOf(row: DeviationRow, actor: Actor): Omit<Deviation, 'you'> {
  const { content_revision, due_notice_on, reporter_id, assignee_id, ...shown } = row
  const severity_suggestion = suggestionShown(row.severity_suggestion, row.description)
  return Object.assign(shown, { severity_suggestion, transitions: waysOf(row, actor) })
}

/** The fields that people enter, and those derived from them, for the audit trail. State and links have entries of their own. */
export const recorded = (row: DeviationRow) => ({
  title: row.title,
  description: row.description,
  severity: row.severity,
  severity_suggestion: row.severity_suggestion,
  severity_decision: row.severity_decision,
  severity_reason: row.severity_reason,
  category: row.category,
  department: row.department,
  occurred_at: row.occurred_at,
  detected_at: row.detected_at,
  late_report_reason: row.late_report_reason,
  affected_items: row.affected_items,
  immediate_action: row.immediate_action,
  impact_assessment: row.impact_assessment,
  investigation: row.investigation,
  root_cause: row.root_cause,
  no_capa_reason: row.no_capa_reason,
  assigned_to: row.assigned_to?.username ?? null,
  due_date: row.due_date,
  form_template_id: row.form_template_id,
  form_template_version: row.form_template_version,
  form_data: row.form_data,
  revision: row.revision,
})
