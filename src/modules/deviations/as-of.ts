import type { ActionContext } from '#action'
import { peopleNamed } from '#modules/audit'
import { attachedBy, caseAsOf, linkedIds } from '#modules/casework'
import { findDeviation } from './queries.ts'
import { isOver, type State } from './rules.ts'
import type { DeviationDetails } from './schema.ts'
import { suggestionShown } from './view.ts'

/** Rebuilds a past state of the deviation from the audit trail; fields that never change come from its row. */
export async function deviationAsOf(
  context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  id: number,
  as_of: string,
): Promise<DeviationDetails> {
  const { tx } = context
  const { at, row, was, created, links, fields } = await caseAsOf(context, as_of, {
    ...{ kind: 'deviation', id, isOver: (status: State) => isOver(status) },
    find: () => findDeviation(tx, id),
  })
  const reporter = was.get<string | null>('reported_by')
  const person = await peopleNamed(tx, [was.get('assigned_to'), reporter])
  return {
    ...fields,
    severity: was.get('severity'),
    category: was.get('category'),
    department: was.get('department'),
    occurred_at: was.get('occurred_at'),
    detected_at: was.get('detected_at'),
    reported_at: row.reported_at,
    // Only an imported deviation has another reporter than who recorded it.
    reported_by: reporter === null ? created.by! : person(reporter),
    assigned_to: was.get('assigned_to') === null ? null : person(was.get('assigned_to')),
    is_recurrence: links.some(
      ({ resource_type, resource_id, relation }) =>
        resource_type === 'deviation' && relation === 'recurrence' && resource_id < id,
    ),
    capa_ids: linkedIds(links, 'capa'),
    severity_suggestion: suggestionShown(was.get('severity_suggestion'), fields.description),
    severity_decision: was.get('severity_decision'),
    severity_reason: was.get('severity_reason'),
    late_report_reason: was.get('late_report_reason'),
    affected_items: was.get<DeviationDetails['affected_items'] | null>('affected_items') ?? [],
    immediate_action: was.get('immediate_action'),
    impact_assessment: was.get('impact_assessment'),
    investigation: was.get('investigation'),
    root_cause: was.get('root_cause'),
    no_capa_reason: was.get('no_capa_reason'),
    form_template_id: was.get('form_template_id'),
    form_template_version: was.get('form_template_version'),
    form_data: was.get('form_data'),
    attachments: await attachedBy(tx, { kind: 'deviation', id, number: row.number }, at),
    transitions: [],
    reconstruction: was.asOf(at, ['transitions', 'you']),
  }
}
