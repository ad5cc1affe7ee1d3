import { type AppError, conflict, invalid, issueAt, notFound } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'
import { type ActionStatus, isActionOver } from './rules.ts'
import type { SentAction } from './schema.ts'

/** The fields of an action that people enter. */
export interface ActionFields {
  description: string
  assigned_to: number
  due_date: string
  status: ActionStatus
  evidence: string | null
}
export interface StoredAction extends ActionFields {
  id: number
}
export interface ActionPlan {
  changed: { before: StoredAction; after: ActionFields }[]
  added: ActionFields[]
}

const fieldsOf = ({ description, assigned_to, due_date, status, evidence }: ActionFields): ActionFields => ({
  description,
  assigned_to,
  due_date,
  status,
  evidence,
})
const isSame = (one: ActionFields, other: ActionFields) =>
  JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other))

const issue = (at: (string | number)[], message: Message) => issueAt(['body', 'actions', ...at], message)
const wrong = (at: (string | number)[], message: Message): AppError => invalid(issue(at, message))

/**
 * Compares the stored actions with the list that was sent, which must name each of them. `due_date` is that of the CAPA, the latest
 * for every action.
 */
export function planActions(
  stored: readonly StoredAction[],
  sent: readonly SentAction[],
  { due_date }: { due_date: string },
): ActionPlan {
  const byId = new Map(stored.map(each => [each.id, each]))
  const named = new Set<number>()
  const plan: ActionPlan = { changed: [], added: [] }
  for (const [i, { id, ...sentFields }] of sent.entries()) {
    const before = id === undefined ? undefined : byId.get(id)
    if (id !== undefined && !before) throw notFound('Action')
    if (id !== undefined && named.has(id)) throw wrong([i, 'id'], messages.capa_action_listed_twice({ action_id: id }))
    if (id !== undefined) named.add(id)
    const after = before ? changedAction(before, sentFields, i) : newAction(sentFields, i, due_date)
    if (after.due_date > due_date && after.due_date !== before?.due_date)
      throw wrong([i, 'due_date'], messages.capa_action_due_after_capa({ due_date }))
    if (!before) plan.added.push(after)
    else if (!isSame(before, after)) plan.changed.push({ before, after })
  }
  const action_ids = stored.filter(({ id }) => !named.has(id)).map(({ id }) => id)
  if (action_ids.length > 0) throw wrong([], messages.capa_actions_not_listed({ action_ids }))
  return plan
}

type SentFields = Omit<SentAction, 'id'>

function newAction({ description, assigned_to, due_date, status, evidence }: SentFields, i: number, latest: string) {
  if (description === undefined || assigned_to === undefined)
    throw invalid(
      ...(description === undefined ? [issue([i, 'description'], messages.capa_action_description_required())] : []),
      ...(assigned_to === undefined ? [issue([i, 'assigned_to'], messages.capa_action_assignee_required())] : []),
    )
  if (status !== undefined && status !== 'open') throw wrong([i, 'status'], messages.capa_action_begins_open())
  return { description, assigned_to, due_date: due_date ?? latest, status: 'open' as const, evidence: evidence || null }
}

function changedAction(before: StoredAction, sentFields: SentFields, i: number): ActionFields {
  const evidence = sentFields.evidence === undefined ? before.evidence : sentFields.evidence || null
  const after = fieldsOf({ ...before, ...sentFields, evidence })
  if (isActionOver(before.status) && after.status === before.status && !isSame(before, after))
    throw conflict(messages.capa_action_finished({ action_id: before.id, status: before.status }))
  if (after.status === 'done' && after.evidence === null)
    throw wrong([i, 'evidence'], messages.capa_action_evidence_required())
  return after
}

/** A change of the plan itself, and not only of the progress: task, assignee, due date or cancellation. */
export const isReplanned = ({ before, after }: ActionPlan['changed'][number]) =>
  before.description !== after.description ||
  before.assigned_to !== after.assigned_to ||
  before.due_date !== after.due_date ||
  (before.status !== after.status && [before.status, after.status].includes('cancelled'))
