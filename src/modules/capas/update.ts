import { type ActionContext, command, type PrepareContext } from '#action'
import { conflict, invalidField, noneOf } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { caseMessages, requireAssignable, requireAssignedTo, requireForOneself, setLinks } from '#modules/casework'
import { proveToSign, type RecordProof } from '#modules/signatures'
import { insertActions, listFilesOf, updateAction } from './action-queries.ts'
import { requireActionRights, requireApprovedPlan } from './action-rights.ts'
import { presentCapa, toUpdate } from './acts.ts'
import { messages } from './messages.ts'
import { type ActionPlan, planActions } from './plan.ts'
import { announcePlan, requirePlanApprover } from './plan-approval.ts'
import { type CapaFields, countRevision, setFields } from './queries.ts'
import { assigneePermissions, isActionOver, isAtWork, isUrgent, needsPlanApproval, noticeOf } from './rules.ts'
import { Capa, CapaUpdate } from './schema.ts'
import { applyTransition, requireTransition } from './transitions.ts'
import {
  type CapaRow,
  fieldsOf,
  loadCapa,
  lockForWork,
  nextRevision,
  recorded,
  refOf,
  requireChangeable,
  requireReason,
  storedActions,
  textOrNull,
  type Work,
} from './view.ts'

interface Prepared {
  proof: RecordProof
  /** The content that the signer read. */
  content_revision: number
}

/** Runs ahead of the lock, because checking a password takes longer than a lock may be held; other refusals come before the password. */
async function prepareToSign(context: PrepareContext, id: number, body: CapaUpdate): Promise<Prepared> {
  const { actor, services } = context
  const { row } = await context.read(async tx => {
    const work = await loadCapa({ tx, services }, id)
    await requireTransition({ tx, actor, services }, work, 'closed', body.change_reason ?? null)
    return work
  })
  return { proof: await proveToSign(context, { type: 'capa', id }, body), content_revision: row.content_revision }
}

export const update = command({
  summary: 'Change a CAPA',
  description:
    'Changes fields, actions and links, and then the status. `actions` lists every action: one with an `id` is changed, one without is new, and none may be missing. The closure is signed: `password` (and `otp`), or a fresh log-in.',
  permission: toUpdate,
  byDeputy: 'tasks',
  input: { params: IdParams, body: CapaUpdate },
  response: Capa,
  prepare: async (context, { params, body }) =>
    body.status === 'closed' ? prepareToSign(context, params.id, body) : undefined,
  async run(context, { params, body }) {
    const { tx, actor, prepared } = context
    const work = await lockForWork(context, params.id)
    requireAssignedTo(actor, work.row, [work.row.assigned_to?.id, ...work.actions.map(each => each.assigned_to.id)])
    const { change_reason: reason = null, status: to, intent } = body
    if (prepared && prepared.content_revision !== work.row.content_revision)
      throw conflict(caseMessages.record_changed_while_signing({ number: work.row.number }))
    const isMoved = to !== undefined && to !== work.row.status
    const isEdited = await storeChanges(context, work, body, { isMoved })
    const now = isMoved && isEdited ? await loadCapa(context, params.id) : work
    const transition = isMoved && (await requireTransition(context, now, to, reason, work))
    if (transition) requireReason(work, reason)
    await countRevision(tx, params.id, { isContent: isEdited })
    const mayAwaitPlan = needsPlanApproval({ ...work.row, priority: body.priority ?? work.row.priority })
    if (isEdited && !transition && mayAwaitPlan) await announcePlan(context, work, await loadCapa(context, params.id))
    if (transition) await applyTransition(context, now, transition, { reason, intent, proof: prepared?.proof })
    return presentCapa(context, params.id)
  },
})

/** Stores the changes, and answers whether there were any. */
async function storeChanges(
  context: ActionContext<unknown>,
  work: Work,
  body: CapaUpdate,
  { isMoved }: { isMoved: boolean },
) {
  const { tx, record } = context
  const { row } = work
  const reason = body.change_reason ?? null
  const changes = changesTo(fieldsOf(work), body)
  const plan = body.actions && planActions(storedActions(work), body.actions, row)
  const links = { document_ids: body.document_ids, deviation_ids: body.deviation_ids }
  const isRelinked =
    isDifferent(row.document_ids, links.document_ids) || isDifferent(row.deviation_ids, links.deviation_ids)
  const hasNewPlan = plan !== undefined && plan.added.length + plan.changed.length > 0
  const isEdited = Object.keys(changes).length > 0 || hasNewPlan || isRelinked
  if (body.due_date !== undefined && body.due_date !== row.due_date)
    throw invalidField('due_date', caseMessages.record_due_date_needs_extension({ path: `/api/capa/${row.id}/extend` }))
  if (isMoved && !isEdited) return false
  requireChangeable(work)
  requireReason(work, reason)
  const priority = body.priority ?? row.priority
  if (isAtWork(row.status) && needsPlanApproval(row) && !isUrgent(priority)) {
    requireForOneself(context.actor, row)
    await requirePlanApprover(context, work)
  }
  if (plan) await applyPlan(context, work, plan, { ...row, priority })
  if (changes.assigned_to) await requireOwner(context, work, changes.assigned_to)
  if (Object.keys(changes).length > 0) await setFields(tx, row.id, changes)
  if (isRelinked) await setLinks(context, refOf(work), links, { reason })
  const after = await loadCapa(context, row.id)
  record('capa.updated', row.id, {
    number: row.number,
    before: { ...recorded(work), revision: row.revision },
    after: { ...recorded(after), revision: nextRevision(work) },
    reason,
    assignees: newlyAssigned(changes, plan),
  })
  return isEdited
}

const isDifferent = (now: readonly number[], wanted: readonly number[] | undefined) =>
  wanted !== undefined && new Set(now).symmetricDifference(new Set(wanted)).size > 0

/** The new values of the fields that the body changes. */
function changesTo(now: CapaFields, body: CapaUpdate): Partial<CapaFields> {
  const { root_cause, adverse_effect_assessment } = body
  const sent = {
    ...body,
    ...(root_cause !== undefined && { root_cause: textOrNull(root_cause) }),
    ...(adverse_effect_assessment !== undefined && {
      adverse_effect_assessment: textOrNull(adverse_effect_assessment),
    }),
  }
  const differs = ([field, value]: [string, unknown]) => field in now && now[field as keyof CapaFields] !== value
  return Object.fromEntries(Object.entries(sent).filter(differs))
}

/** The people who were newly assigned the CAPA or one of its actions. */
export function newlyAssigned(changes: Partial<CapaFields>, plan: ActionPlan | undefined): number[] {
  const reassigned = plan?.changed.filter(({ before, after }) => before.assigned_to !== after.assigned_to) ?? []
  const owners = [...reassigned.map(({ after }) => after), ...(plan?.added ?? [])].map(each => each.assigned_to)
  return [...new Set(changes.assigned_to ? [changes.assigned_to, ...owners] : owners)]
}

async function requireOwner({ tx }: ActionContext<unknown>, { row }: Work, assigned_to: number) {
  await requireAssignable(tx, [assigned_to], assigneePermissions)
  if (row.planned_reviewer === assigned_to) throw conflict(messages.capa_reviewer_is_owner())
}

/** The evidence of an action names files of its CAPA. */
async function requireFiles({ tx }: ActionContext<unknown>, { row }: Work, { changed, added }: ActionPlan) {
  const asked = [...new Set([...changed.map(({ after }) => after), ...added].flatMap(each => each.attachment_ids))]
  if (asked.length === 0) return
  const found = await listFilesOf(tx, row.id, asked)
  const missing = asked.filter(id => !found.includes(id))
  if (missing.length > 0) throw noneOf('Attachment', asked, missing)
}

/** Stores the plan. `capa`: as this change leaves it, with its new priority. */
export async function applyPlan(context: ActionContext<unknown>, work: Work, plan: ActionPlan, capa: CapaRow) {
  const { tx, actor, services } = context
  requireActionRights(actor, work, plan)
  requireApprovedPlan(capa, plan)
  await requireFiles(context, work, plan)
  await requireAssignable(tx, newlyAssigned({}, plan), assigneePermissions)
  const noticed = (each: ActionPlan['added'][number]) => ({
    ...each,
    notice_on: isActionOver(each.status) ? null : noticeOf(each.due_date),
  })
  for (const { before, after } of plan.changed) {
    const isDone = after.status === 'done'
    await updateAction(tx, before.id, {
      ...noticed(after),
      completed_at: isDone ? services.clock.now().toISOString() : null,
      completed_by: isDone ? actor.userId : null,
    })
  }
  if (plan.added.length > 0) await insertActions(tx, work.row.id, plan.added.map(noticed))
}
