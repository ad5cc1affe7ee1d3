// The fields that people enter: which of them changed, whether they are valid, and how they are stored.
import { isDeepStrictEqual } from 'node:util'
import type { ActionContext } from '#action'
import { AppError, conflict, invalidField } from '#kernel/errors.ts'
import { requireAssignable } from '#modules/casework'
import { beginForm, checkFormData } from '#modules/forms'
import { suggestSeverity } from '#modules/severity'
import { messages } from './messages.ts'
import type { Content } from './queries.ts'
import { assigneePermissions, type Field, fields, isReportedLate, lateAfterHours } from './rules.ts'
import type { DeviationCreate, DeviationUpdate, RootCause } from './schema.ts'
import type { DeviationRow } from './view.ts'

/** The fields of a request that belong to the record. */
export type Written = Partial<Pick<DeviationCreate, Field>> & Partial<Pick<DeviationUpdate, Field>>

const moments: readonly Field[] = ['occurred_at', 'detected_at']
const lists: readonly Field[] = ['document_ids', 'capa_ids']

/** The current values in the form of a request. */
const held = (row: DeviationRow): Record<Field, unknown> => ({ ...row, assigned_to: row.assignee_id })

function isSame(field: Field, sent: unknown, kept: unknown): boolean {
  if (moments.includes(field) && sent !== null && kept !== null)
    return Date.parse(sent as string) === Date.parse(kept as string)
  if (lists.includes(field)) return isDeepStrictEqual(new Set(sent as number[]), new Set(kept as number[]))
  return isDeepStrictEqual(sent, kept)
}

const severityFields: readonly Field[] = ['severity', 'severity_decision', 'severity_reason']

/** The fields whose values change. The three fields about severity belong together, so one change selects all of them. */
export function changesTo(row: DeviationRow | undefined, sent: Written): Written {
  const kept = row && held(row)
  const differs = (field: Field) =>
    sent[field] !== undefined && !isSame(field, sent[field], kept ? kept[field] : lists.includes(field) ? [] : null)
  const isReassessed = severityFields.some(differs)
  return Object.fromEntries(
    fields
      .filter(field => differs(field) || (isReassessed && severityFields.includes(field)))
      .map(field => [field, sent[field]]),
  )
}

interface Circumstances {
  reported_at: string
  /** The form must be complete, with all required files. */
  isComplete: boolean
}

/** The columns that the change sets. Throws a 422 for invalid values. */
export async function contentOf(
  context: ActionContext<unknown>,
  row: DeviationRow | undefined,
  change: Written,
  { reported_at, isComplete }: Circumstances,
): Promise<Partial<Content>> {
  requireMoments(row, change, reported_at)
  if (change.root_cause) requireSteps(change.root_cause)
  const form = await formOf(context, row, change, isComplete)
  if (typeof change.assigned_to === 'number')
    await requireAssignable(context.tx, [change.assigned_to], assigneePermissions)
  const { affected_items, root_cause, severity_decision: _decision, document_ids, capa_ids, ...rest } = change
  const { form_template_id, form_data, ...plain } = rest
  return {
    ...(plain as Partial<Content>),
    ...(affected_items && { affected_items: JSON.stringify(affected_items) }),
    ...(root_cause !== undefined && { root_cause: root_cause && JSON.stringify(root_cause) }),
    ...severityOf(row, change),
    ...form,
  }
}

function requireMoments(row: DeviationRow | undefined, change: Written, reported_at: string) {
  const { occurred_at = row?.occurred_at ?? null, detected_at = row?.detected_at ?? reported_at } = change
  const { late_report_reason = row?.late_report_reason ?? null } = change
  if (Date.parse(detected_at) > Date.parse(reported_at))
    throw invalidField('detected_at', messages.deviation_detected_after_report({ reported_at }))
  if (occurred_at !== null && Date.parse(occurred_at) > Date.parse(detected_at))
    throw invalidField('occurred_at', messages.deviation_occurred_after_detection())
  if (late_report_reason === null && isReportedLate(detected_at, reported_at))
    throw invalidField('late_report_reason', messages.deviation_late_reason_required({ hours: lateAfterHours }))
}

function requireSteps({ method, steps }: RootCause) {
  const found = Array.isArray(steps) ? 'five_whys' : Object.values(steps ?? {}).some(causes => causes.length > 0)
  if (method === 'five_whys' && found !== 'five_whys')
    throw invalidField('root_cause.steps', messages.deviation_five_whys_required())
  if (method === 'fishbone' && found !== true)
    throw invalidField('root_cause.steps', messages.deviation_fishbone_cause_required())
  if (method === 'other' && steps !== undefined)
    throw invalidField('root_cause.steps', messages.deviation_root_cause_steps_not_allowed())
}

/** Stores the suggestion of the rules beside the decision about it. A severity without a decision removes an older suggestion. */
function severityOf(row: DeviationRow | undefined, change: Written): Partial<Content> {
  const severity = change.severity ?? row!.severity
  const { severity_decision: decision, severity_reason } = change
  if (decision === undefined) {
    if (change.severity === undefined || severity === row?.severity) return {}
    return { severity_suggestion: null, severity_decision: null, severity_reason: severity_reason ?? null }
  }
  const suggestion = suggestSeverity(change.description ?? row!.description)
  if (decision === 'accepted' && severity !== suggestion.severity)
    throw invalidField('severity', messages.deviation_severity_not_suggested({ suggested: suggestion.severity }))
  if (decision === 'overridden' && severity === suggestion.severity)
    throw invalidField('severity_decision', messages.deviation_severity_is_suggested({ severity }))
  const reason = severity_reason === undefined ? (row?.severity_reason ?? null) : severity_reason
  if (decision === 'overridden' && reason === null)
    throw invalidField('severity_reason', messages.deviation_override_reason_required())
  // The record is in English.
  const { said: _, ...stored } = suggestion
  return { severity_suggestion: JSON.stringify(stored), severity_decision: decision }
}

async function formOf(
  { tx, actor }: ActionContext<unknown>,
  row: DeviationRow | undefined,
  change: Written,
  isComplete: boolean,
): Promise<Partial<Content>> {
  const { form_template_id: template, form_data } = change
  const kept = row && row.form_template_id !== null ? row : undefined
  if (template !== undefined && kept && kept.status !== 'open')
    throw conflict(messages.deviation_form_fixed({ number: kept.number, status: kept.status }))
  const begun = template
    ? await beginForm(tx, template)
    : template === undefined && kept
      ? { form_template_id: kept.form_template_id!, form_template_version: kept.form_template_version! }
      : undefined
  if (!begun) {
    if (form_data) throw invalidField('form_data', messages.deviation_form_template_required())
    return template === null ? { form_template_id: null, form_template_version: null, form_data: null } : {}
  }
  const isTouched = template !== undefined || form_data !== undefined
  if (!isTouched && !isComplete) return {}
  const before = template === undefined ? kept!.form_data : null
  const filled = await checkFormData(tx, actor, {
    ...begun,
    form_data: form_data ?? before ?? {},
    owner: row ? { deviation_id: row.id } : null,
    isComplete,
    before,
  })
  return isTouched ? { ...begun, form_data: JSON.stringify(filled) } : {}
}

/** True if the form as it is stored has all required fields and files. */
export async function isFormComplete({ tx, actor }: Pick<ActionContext<unknown>, 'tx' | 'actor'>, row: DeviationRow) {
  const { form_template_id, form_template_version, form_data } = row
  if (form_template_id === null) return true
  const filled = form_data ?? {}
  try {
    await checkFormData(tx, actor, {
      ...{ form_template_id, form_template_version: form_template_version!, form_data: filled, before: filled },
      owner: { deviation_id: row.id },
      isComplete: true,
    })
  } catch (error) {
    if (error instanceof AppError && error.status === 422) return false
    throw error
  }
  return true
}
