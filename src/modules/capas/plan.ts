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
  /** In ascending order. */
  attachment_ids: number[]
}
export interface StoredAction extends ActionFields {
  id: number
}
export interface ActionPlan {
  changed: { before: StoredAction; after: ActionFields }[]
  added: ActionFields[]
}

const fieldsOf = ({ description, assigned_to, due_date, status, ...proof }: ActionFields): ActionFields => ({
  description,
  assigned_to,
  due_date,
  status,
  evidence: proof.evidence,
  attachment_ids: proof.attachment_ids,
})
const isSame = (one: ActionFields, other: ActionFields) =>
  JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other))

type At = readonly (string | number)[]
const issue = (at: At, message: Message) => issueAt(['body', ...at], message)
const wrong = (at: At, message: Message): AppError => invalid(issue(at, message))

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
  for (const [i, { id, ...fields }] of sent.entries()) {
    const at = ['actions', i]
    const before = id === undefined ? undefined : byId.get(id)
    if (id !== undefined && !before) throw notFound('Action')
    if (id !== undefined && named.has(id))
      throw wrong([...at, 'id'], messages.capa_action_listed_twice({ action_id: id }))
    if (id !== undefined) named.add(id)
    const { changed, added } = planAction(before, fields, { due_date, at })
    plan.changed.push(...changed)
    plan.added.push(...added)
  }
  const action_ids = stored.filter(({ id }) => !named.has(id)).map(({ id }) => id)
  if (action_ids.length > 0) throw wrong(['actions'], messages.capa_actions_not_listed({ action_ids }))
  return plan
}

export type SentFields = Omit<SentAction, 'id'>

/** One action: a new one without `before`. `at` is the place of its fields in the body. */
export function planAction(
  before: StoredAction | undefined,
  fields: SentFields,
  { due_date, at = [] }: { due_date: string; at?: At },
): ActionPlan {
  const after = before ? changedAction(before, fields, at) : newAction(fields, at, due_date)
  if (after.due_date > due_date && after.due_date !== before?.due_date)
    throw wrong([...at, 'due_date'], messages.capa_action_due_after_capa({ due_date }))
  if (!before) return { changed: [], added: [after] }
  return { changed: isSame(before, after) ? [] : [{ before, after }], added: [] }
}

const inOrder = (ids: readonly number[]) => ids.toSorted((one, other) => one - other)

function newAction(sent: SentFields, at: At, latest: string): ActionFields {
  const { description, assigned_to, due_date, status, evidence, attachment_ids = [] } = sent
  if (description === undefined || assigned_to === undefined)
    throw invalid(
      ...(description === undefined
        ? [issue([...at, 'description'], messages.capa_action_description_required())]
        : []),
      ...(assigned_to === undefined ? [issue([...at, 'assigned_to'], messages.capa_action_assignee_required())] : []),
    )
  if (status !== undefined && status !== 'open') throw wrong([...at, 'status'], messages.capa_action_begins_open())
  return {
    ...{ description, assigned_to, due_date: due_date ?? latest, status: 'open' },
    ...{ evidence: evidence || null, attachment_ids: inOrder(attachment_ids) },
  }
}

function changedAction(before: StoredAction, sent: SentFields, at: At): ActionFields {
  const evidence = sent.evidence === undefined ? before.evidence : sent.evidence || null
  const attachment_ids = sent.attachment_ids === undefined ? before.attachment_ids : inOrder(sent.attachment_ids)
  const after = fieldsOf({ ...before, ...sent, evidence, attachment_ids })
  if (isActionOver(before.status) && after.status === before.status && !isSame(before, after))
    throw conflict(messages.capa_action_finished({ action_id: before.id, status: before.status }))
  if (after.status === 'done' && after.evidence === null && attachment_ids.length === 0)
    throw wrong([...at, 'evidence'], messages.capa_action_evidence_required())
  return after
}

/** A change of the plan itself, and not only of the progress: task, assignee, due date or cancellation. */
export const isReplanned = ({ before, after }: ActionPlan['changed'][number]) =>
  before.description !== after.description ||
  before.assigned_to !== after.assigned_to ||
  before.due_date !== after.due_date ||
  (before.status !== after.status && [before.status, after.status].includes('cancelled'))
