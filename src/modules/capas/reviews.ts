import { Type } from 'typebox'
import {
  type ActionContext,
  type Actor,
  actingPeople,
  command,
  type PrepareContext,
  query,
  type Represented,
  taskOwner,
} from '#action'
import {
  type Acts,
  actsFor,
  allowedActs,
  type Check,
  listPrincipals,
  oneself,
  requireAll,
  requirePermission,
} from '#action/allowed.ts'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { Id, IdParams } from '#kernel/schema.ts'
import { listDeciders, requireApprover, requireSignerByAnyMethod, todayOf } from '#modules/accounts'
import { caseMessages, denied, findPerson, readOnly, requireAssignable, requireAssignedTo } from '#modules/casework'
import { proveToSign, type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { countRevision, findCase } from './queries.ts'
import { findReview, insertReview, listReviews, type ReviewPlan, updateReview } from './review-queries.ts'
import { type EffectivenessReview, ReviewCreate, ReviewShown, ReviewUpdate } from './review-schema.ts'
import { isChangeable, isOver, noticeOf } from './rules.ts'
import { signedReviews } from './signed.ts'
import { applyTransition, type Deciding, listDecidersOf, listInvolvedIn, requireTransition } from './transitions.ts'
import { loadCapa, lockForWork, readersOf, textOrNull, type Work } from './view.ts'

const toChange = 'effectiveness.update'

const ReviewParams = Type.Object({ id: Id, review_id: Id })

async function requireReview(context: Pick<ActionContext<unknown>, 'tx' | 'services'>, capaId: number, id: number) {
  const review = await findReview(context.tx, capaId, id, await todayOf(context))
  if (!review) throw notFound('Effectiveness review')
  return review
}

export const reviews = query({
  summary: 'List the effectiveness reviews of a CAPA',
  description: 'The newest first.',
  permission: 'capa.read',
  input: { params: IdParams },
  response: Type.Array(ReviewShown),
  async run(context, { params }) {
    const work = await loadCapa(context, params.id)
    const found = await listReviews(context.tx, work.row.id, await todayOf(context))
    const people = await listPrincipals(context, 'tasks')
    return Promise.all(found.map(each => present(context, work, each, people)))
  },
})

export const reviewDetails = query({
  summary: 'Read an effectiveness review',
  permission: 'capa.read',
  input: { params: ReviewParams },
  response: ReviewShown,
  run: async (context, { params }) =>
    present(context, await loadCapa(context, params.id), await requireReview(context, params.id, params.review_id)),
})

async function present(
  context: Deciding & Pick<ActionContext<unknown>, 'services'>,
  work: Work,
  review: EffectivenessReview,
  principals?: readonly Represented[],
) {
  const own = oneself(context.actor)
  const people = principals ?? (await listPrincipals({ ...context, actor: own }, 'tasks'))
  const others = await actsFor(own, people, async actor => {
    const { complete } = actsOn(context, work, review, actor)
    return (await allowedActs({ complete: [...complete, () => requireReviewer(context, work, actor.userId!)] })).may
  })
  return { ...review, you: { ...(await allowedActs(actsOn(context, work, review, own))), ...others } }
}

const actsOn = (context: Deciding, work: Work, review: EffectivenessReview, actor: Actor) =>
  ({
    update: [() => requirePermission(actor, toChange), () => requirePlanned(work, review)],
    complete: [
      () => requirePermission(actor, toChange),
      ...checksOfResult(context.tx, actor, work, review, review.reviewer.id),
      () => requireSignerByAnyMethod(context.tx, actor),
    ],
  }) satisfies Acts

/** Nobody who ever owned the CAPA judges it. */
export async function requireReviewer(context: Deciding, work: Work, reviewer_id: number) {
  const { tx } = context
  await requireAssignable(tx, [reviewer_id], ['capa.read', 'effectiveness.update'])
  const { username } = (await findPerson(tx, reviewer_id))!
  const involved = await listInvolvedIn(context, work)
  if (involved.some(each => each.part === 'assignee' && each.username === username))
    throw conflict(messages.capa_reviewer_is_owner())
  if (!(await listDeciders(tx, 'effectiveness.update')).includes(reviewer_id))
    throw conflict(messages.capa_reviewer_is_admin({ username }))
}

export function requireNotOver({ row: { number, status } }: Work) {
  if (isOver(status)) throw readOnly({ kind: 'capa', number, status })
}

export function requireNonePlanned({ row: { number, planned_reviewer } }: Work) {
  if (planned_reviewer !== null) throw conflict(messages.capa_review_already_planned({ number }))
}

export const toPlanReview = 'effectiveness.create'

export const planReview = command({
  summary: 'Plan an effectiveness review',
  description: 'Sets criteria, method, due date and reviewer. A CAPA has at most one planned review.',
  permission: toPlanReview,
  input: { params: IdParams, body: ReviewCreate },
  response: ReviewShown,
  async run(context, { params, body }) {
    const { tx, record } = context
    const work = await lockForWork(context, params.id)
    const { number } = work.row
    requireNotOver(work)
    await requireReviewer(context, work, body.reviewer_id)
    requireNonePlanned(work)
    if (body.due_date < (await todayOf(context))) throw invalidField('due_date', caseMessages.record_due_date_past())
    const { id } = await insertReview(tx, {
      ...body,
      capa_id: params.id,
      notice_on: noticeOf(body.due_date),
    })
    const review = await requireReview(context, params.id, id)
    record('effectiveness_review.created', id, {
      number,
      after: { capa_id: params.id, ...planOf(review), revision: review.revision },
      assignees: [body.reviewer_id],
    })
    return present(context, await loadCapa(context, params.id), review)
  },
})

export const planOf = ({ criteria, method, due_date, reviewer }: EffectivenessReview) => ({
  criteria,
  method,
  due_date,
  reviewer: reviewer.username,
})

/** The changes of the plan that the body asks for. */
async function replan(
  context: ActionContext<unknown>,
  work: Work,
  review: EffectivenessReview,
  body: ReviewUpdate,
): Promise<Partial<ReviewPlan>> {
  const now = { ...review, reviewer_id: review.reviewer.id }
  const names = ['criteria', 'method', 'due_date', 'reviewer_id'] as const
  const changes: Partial<ReviewPlan> = Object.fromEntries(
    names.filter(name => body[name] !== undefined && body[name] !== now[name]).map(name => [name, body[name]]),
  )
  const { number, status } = work.row
  if (!isChangeable(status) && (changes.criteria !== undefined || changes.method !== undefined))
    throw conflict(messages.capa_review_criteria_fixed({ number, status }))
  if (changes.reviewer_id !== undefined) await requireReviewer(context, work, changes.reviewer_id)
  if (changes.due_date === undefined) return changes
  const today = await todayOf(context)
  if (changes.due_date < today) throw invalidField('due_date', caseMessages.record_due_date_past())
  if (changes.due_date < review.due_date && !body.change_reason)
    throw invalidField('change_reason', messages.capa_review_earlier_reason_required({ due_date: review.due_date }))
  if (changes.due_date > review.due_date && actingPeople(context.actor).includes(review.reviewer.id))
    throw denied(work.row, messages.capa_review_own_due_date({ permission: 'effectiveness.update' }))
  return { ...changes, notice_on: noticeOf(changes.due_date) }
}

/** The conditions under which this person may record the result now. */
function checksOfResult(tx: Tx, actor: Actor, work: Work, review: EffectivenessReview, reviewer_id: number): Check[] {
  const { number, status } = work.row
  return [
    () => requirePlanned(work, review),
    () => {
      if (status !== 'pending_effectiveness') throw conflict(messages.capa_not_ready_for_review({ number, status }))
    },
    () => requireAssignedTo(actor, work.row, [review.reviewer.id]),
    () => {
      if (reviewer_id !== taskOwner(actor)) throw denied(work.row, messages.capa_review_by_reviewer_only())
    },
    () => requireApprover(tx, actor, work.row),
  ]
}

/** Throws unless the body has all of a result. */
function requireFindings({ row: { id } }: Work, review: EffectivenessReview, body: ReviewUpdate, today: string) {
  if (body.conclusion === undefined) throw invalidField('conclusion', messages.capa_review_conclusion_required())
  if (body.follow_up_capa_id === id) throw invalidField('follow_up_capa_id', messages.capa_follow_up_is_itself())
  if (body.result === 'not_effective' && !textOrNull(body.follow_up) && !body.follow_up_capa_id)
    throw invalidField('follow_up', messages.capa_follow_up_required())
  if (review.due_date > today && !body.change_reason)
    throw invalidField('change_reason', messages.capa_review_early_reason_required({ due_date: review.due_date }))
}

function requirePlanned({ row }: Work, { number: review_number, status, completed_at }: EffectivenessReview) {
  if (status === 'completed')
    throw conflict(messages.capa_review_completed({ review_number, number: row.number, completed_at: completed_at! }))
}

interface Prepared {
  proof: RecordProof
  revisions: readonly number[]
}
/** The revisions of the CAPA and of the criteria that the reviewer read. */
const revisionsOf = ({ row }: Work, { revision }: EffectivenessReview) => [row.content_revision, revision]

async function prepareToSign(context: PrepareContext, ids: { id: number; review_id: number }, body: ReviewUpdate) {
  const { actor, services } = context
  const revisions = await context.read(async tx => {
    const work = await loadCapa({ tx, services }, ids.id)
    const review = await requireReview({ tx, services }, ids.id, ids.review_id)
    await requireAll(checksOfResult(tx, actor, work, review, body.reviewer_id ?? review.reviewer.id))
    requireFindings(work, review, body, await todayOf({ tx, services }))
    return revisionsOf(work, review)
  })
  const proof = await proveToSign(context, { type: 'effectiveness_review', id: ids.review_id }, body)
  return { proof, revisions } satisfies Prepared
}

export const changeReview = command({
  summary: 'Change or complete an effectiveness review',
  description:
    'Criteria and method are fixed once the CAPA awaits its review. The reviewer completes it with a signed `result`: `password` (and `otp`), or a fresh log-in. `not_effective` needs a follow-up, and returns the CAPA to in_progress. Before the due date, concluding it or planning it for an earlier day needs a `change_reason`. The reviewer does not move the due date to a later day.',
  permission: toChange,
  byDeputy: 'tasks',
  input: { params: ReviewParams, body: ReviewUpdate },
  response: ReviewShown,
  prepare: async (context, { params, body }) =>
    body.result === undefined ? undefined : prepareToSign(context, params, body),
  async run(context, { params, body }) {
    const { tx, record } = context
    const work = await lockForWork({ ...context, expectedRevision: undefined }, params.id)
    const review = await requireReview(context, params.id, params.review_id)
    await refuseStale(context, 'effectiveness_review', review)
    requirePlanned(work, review)
    requireAssignedTo(context.actor, work.row, [review.reviewer.id])
    if (body.follow_up_capa_id && !(await findCase(tx, body.follow_up_capa_id))) throw notFound('CAPA')
    const plan = await replan(context, work, review, body)
    if (body.result !== undefined) {
      const completed = await complete(context, work, review, plan, body)
      return present(context, await loadCapa(context, params.id), completed)
    }
    refuseWithoutResult(body)
    await updateReview(tx, review.id, plan)
    const after = await requireReview(context, params.id, review.id)
    record('effectiveness_review.updated', review.id, {
      number: work.row.number,
      before: { ...planOf(review), revision: review.revision },
      after: { ...planOf(after), revision: after.revision },
      reason: body.change_reason ?? null,
      assignees: plan.reviewer_id === undefined ? [] : [plan.reviewer_id],
    })
    return present(context, work, after)
  },
})

/** Findings without a result would not be signed. */
function refuseWithoutResult(body: ReviewUpdate) {
  const findings = ['conclusion', 'evidence', 'follow_up', 'follow_up_capa_id'] as const
  const early = findings.find(field => body[field] !== undefined)
  if (early) throw invalidField(early, messages.capa_review_result_required())
}

async function complete(
  context: ActionContext<Prepared | undefined>,
  work: Work,
  review: EffectivenessReview,
  plan: Partial<ReviewPlan>,
  body: ReviewUpdate,
): Promise<EffectivenessReview> {
  const { tx, actor, record, services, prepared } = context
  const { id, number } = work.row
  await requireAll(checksOfResult(tx, actor, work, review, plan.reviewer_id ?? review.reviewer.id))
  requireFindings(work, review, body, await todayOf(context))
  if (actor.standsInFor) await requireReviewer(context, work, actor.userId!)
  if (!prepared || String(prepared.revisions) !== String(revisionsOf(work, review)))
    throw conflict(caseMessages.record_changed_while_signing({ number }))
  const { result, conclusion, follow_up_capa_id = null } = body
  await updateReview(tx, review.id, {
    ...plan,
    status: 'completed',
    result: result!,
    conclusion: conclusion!,
    evidence: textOrNull(body.evidence),
    follow_up: textOrNull(body.follow_up),
    follow_up_capa_id,
    completed_at: services.clock.now().toISOString(),
    notice_on: null,
  })
  const signature_id = await signRecord(context, (await signedReviews.read(tx, review.id))!, {
    signature_type: 'effectiveness',
    intent: body.intent ?? conclusion!,
    occasion: { kind: 'effectiveness', ref: String(review.number) },
    proof: prepared.proof,
    fillsIn: true,
  })
  const after = await requireReview(context, id, review.id)
  record('effectiveness_review.completed', review.id, {
    number,
    before: { ...planOf(review), status: review.status, revision: review.revision },
    after: { ...planOf(after), ...findingsOf(after), signature_id, revision: after.revision },
    reason: body.change_reason ?? conclusion!,
    notify: await readersOf(tx, work),
    assignees: result === 'effective' ? await listDecidersOf(context, 'capa.close', work) : [],
  })
  if (result === 'not_effective') {
    const now = await loadCapa(context, id)
    const transition = await requireTransition(context, now, 'in_progress', conclusion!)
    await countRevision(tx, id)
    await applyTransition(context, now, transition, { reason: conclusion! })
  }
  return after
}

const findingsOf = ({ status, result, conclusion, evidence, follow_up, follow_up_capa_id }: EffectivenessReview) => ({
  status,
  result,
  conclusion,
  evidence,
  follow_up,
  follow_up_capa_id,
})
