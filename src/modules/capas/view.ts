import type { ActionContext } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { todayOf } from '#modules/accounts'
import { type CaseRef, caseMessages, filterReaders, type InvolvingFacts, lockCase, readOnly } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import { listActions } from './action-queries.ts'
import { messages } from './messages.ts'
import type { StoredAction } from './plan.ts'
import { type CapaFields, findCapa } from './queries.ts'
import { isActionOver, isChangeable, isFirstState, isOver, type Situation } from './rules.ts'
import type { ActionItem, Capa } from './schema.ts'

type Reading = Pick<ActionContext<unknown>, 'tx' | 'services'>

export async function loadCapa(context: Reading, id: number) {
  const { tx } = context
  const [row, actions, today] = await Promise.all([findCapa(tx, id), listActions(tx, id), todayOf(context)])
  if (!row) throw notFound('CAPA')
  return {
    row: { ...row, overdue: row.due_date < today && !isOver(row.status) },
    actions: actions.map(each => ({ ...each, overdue: each.due_date < today && !isActionOver(each.status) })),
  }
}

/** A CAPA with everything that decisions about it depend on. */
export type Work = Awaited<ReturnType<typeof loadCapa>>
export type CapaRow = Work['row']
export type ActionRow = Work['actions'][number]

/** Every command about a CAPA begins with its lock, so that it decides on current values. */
export async function lockForWork(context: ActionContext<unknown>, id: number): Promise<Work> {
  await lockCase(context.tx, 'capa', id)
  const work = await loadCapa(context, id)
  await refuseStale(context, 'capa', work.row)
  return work
}

export function shownOf({ row }: Work): Omit<Capa, 'you' | 'actions'> {
  const { content_revision: _content, newest_result: _result, planned_reviewer: _reviewer, ...shown } = row
  return shown
}

export const shownAction = ({ updated_at: _at, updated_by: _by, ...action }: ActionRow): ActionItem => action

export const refOf = ({ row }: Work): CaseRef => ({ kind: 'capa', id: row.id, number: row.number })

/** The author and the owner, as far as they may read it. */
export const readersOf = (tx: Tx, { row }: Pick<Work, 'row'>) =>
  filterReaders(tx, 'capa', [row.assigned_to?.id, row.created_by?.id])

export const fieldsOf = ({ row }: Work): CapaFields => ({
  title: row.title,
  description: row.description,
  type: row.type,
  source: row.source,
  priority: row.priority,
  root_cause: row.root_cause,
  adverse_effect_assessment: row.adverse_effect_assessment,
  assigned_to: row.assigned_to?.id ?? null,
})

export const storedAction = (action: ActionRow): StoredAction => {
  const { id, description, assigned_to, due_date, status, evidence, attachment_ids } = action
  return { id, description, assigned_to: assigned_to.id, due_date, status, evidence, attachment_ids }
}

export const storedActions = ({ actions }: Work): StoredAction[] => actions.map(storedAction)

export const situationOf = (work: Work): Situation => ({
  ...fieldsOf(work),
  created_by: work.row.created_by?.id ?? null,
  priority: work.row.priority,
  approved_at: work.row.approved_at,
  actions: storedActions(work),
  newest_result: work.row.newest_result,
})

/** The CAPA as far as it tells of people. */
export const involvingFacts = ({ row, actions }: Work): InvolvingFacts => ({
  author: row.created_by?.username ?? null,
  assignee: row.assigned_to?.username ?? null,
  status: row.status,
  findings: row.root_cause,
  actions: actions.map(recordedAction),
})

/** The revision after the command, which counts it once. */
export const nextRevision = ({ row }: Work) => row.revision + 1

const recordedAction = (each: ActionRow) => ({
  id: each.id,
  description: each.description,
  assigned_to: each.assigned_to.username,
  due_date: each.due_date,
  status: each.status,
  evidence: each.evidence,
  attachment_ids: each.attachment_ids,
  revision: each.revision,
  completed_at: each.completed_at,
  completed_by: each.completed_by?.username ?? null,
  completed_by_name: each.completed_by_name,
  approved_at: each.approved_at,
  approved_by: each.approved_by?.username ?? null,
  approved_by_name: each.approved_by_name,
})
export type RecordedAction = ReturnType<typeof recordedAction>

/** The CAPA as the audit trail shows it, with people by their names. */
export const recorded = ({ row, actions }: Work) => {
  const { title, description, type, source, priority, root_cause, adverse_effect_assessment, due_date } = row
  return {
    ...{ title, description, type, source, priority, root_cause, adverse_effect_assessment, due_date },
    assigned_to: row.assigned_to?.username ?? null,
    actions: actions.map(recordedAction),
    document_ids: row.document_ids,
    deviation_ids: row.deviation_ids,
  }
}

export function requireChangeable({ row }: Work) {
  const { number, status } = row
  if (isOver(status)) throw readOnly({ kind: 'capa', number, status })
  if (!isChangeable(status)) throw conflict(messages.capa_awaits_effectiveness_review({ number }))
}

export function requireReason({ row }: Work, reason: string | null | undefined) {
  if (reason || isFirstState(row)) return
  throw invalidField('change_reason', caseMessages.record_reason_required())
}

/** As it is stored: a blank text is null. */
export const textOrNull = (text: string | null | undefined) => (text?.trim() ? text : null)
