import type { ActionContext } from '#action'
import { peopleNamed } from '#modules/audit'
import { caseAsOf, linkedIds } from '#modules/casework'
import { findCapa } from './queries.ts'
import { isActionOver, isOver } from './rules.ts'
import type { ActionItem, CapaDetails } from './schema.ts'
import type { RecordedAction } from './view.ts'

/** Rebuilds a past state of the CAPA from the audit trail; fields that never change come from its row. */
export async function capaAsOf(
  context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  id: number,
  as_of: string,
): Promise<CapaDetails> {
  const { tx } = context
  const { at, today, was, links, fields } = await caseAsOf(context, as_of, {
    ...{ kind: 'capa', id, isOver },
    find: () => findCapa(tx, id),
  })
  const stored = was.get<RecordedAction[] | null>('actions') ?? []
  const assigned_to = was.get<string | null>('assigned_to')
  const named = await peopleNamed(tx, [
    assigned_to,
    ...stored.flatMap(each => [each.assigned_to, each.completed_by ?? null, each.approved_by ?? null]),
  ])
  const personOrNull = (name: string | null | undefined) => (name ? named(name) : null)
  const actions = stored.map(
    (each): ActionItem => ({
      id: each.id,
      description: each.description,
      assigned_to: named(each.assigned_to),
      due_date: each.due_date,
      overdue: each.due_date < today && !isActionOver(each.status),
      status: each.status,
      evidence: each.evidence,
      // Entries that were written before these existed have none of them.
      attachment_ids: each.attachment_ids ?? [],
      revision: each.revision ?? 1,
      completed_at: each.completed_at ?? null,
      completed_by: personOrNull(each.completed_by),
      completed_by_name: each.completed_by_name ?? null,
      approved_at: each.approved_at ?? null,
      approved_by: personOrNull(each.approved_by),
      approved_by_name: each.approved_by_name ?? null,
    }),
  )
  const countOf = (isOne: (action: ActionItem) => boolean) => actions.filter(isOne).length
  const moveTo = (name: string) => was.events.findLast(({ changes }) => changes.transition?.to === name)
  const approval = moveTo('approve_draft') ?? was.events.findLast(({ action }) => action === 'capa.plan_approved')
  return {
    ...fields,
    type: was.get('type'),
    source: was.get('source'),
    priority: was.get('priority'),
    assigned_to: personOrNull(assigned_to),
    action_counts: {
      open: countOf(each => !isActionOver(each.status)),
      done: countOf(each => each.status === 'done'),
      cancelled: countOf(each => each.status === 'cancelled'),
    },
    root_cause: was.get('root_cause'),
    adverse_effect_assessment: was.get('adverse_effect_assessment'),
    actions,
    deviation_ids: linkedIds(links, 'deviation'),
    approved_at: approval ? (was.get<string | null>('approved_at') ?? approval.at) : null,
    approved_by: approval?.by ?? null,
    signature_id: was.get('signature_id'),
    reconstruction: was.asOf(at, ['you']),
  }
}
