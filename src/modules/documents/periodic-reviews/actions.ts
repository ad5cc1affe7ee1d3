import { Type } from 'typebox'
import { type ActionContext, type Actor, actingPeople, command, nameOfPerson, query } from '#action'
import { daysLater, monthsLater } from '#kernel/day.ts'
import { AppError, conflict, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { listDeciders, listPeople, nameOf, requireApprover, todayOf } from '#modules/accounts'
import { forEachDue, type Schedule } from '#modules/jobs'
import { sign } from '#modules/signatures'
import { findType, fire, listTransitionsFrom, type Step } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { lockDocument } from '../core/queries.ts'
import { noticeOf } from '../core/rules.ts'
import { Document, PeriodicReview } from '../core/schema.ts'
import {
  finish,
  isUnchanged,
  loadAtWork,
  lockForWork,
  nextRevision,
  participantOf,
  readableVersions,
  requireReadable,
  signableOf,
  type VersionAtWork,
  type Work,
} from '../core/view.ts'
import { applyPlan } from '../lifecycle/apply.ts'
import { makePlan } from '../lifecycle/facts.ts'
import { planObsolescence, requirePlan } from '../lifecycle/plan.ts'
import { type PreparedSignature, prepareSignature } from '../lifecycle/prepare.ts'
import { messages } from '../messages.ts'
import { countReviews, insertReview, listNotices, listOwners, listReviews, planReview } from './queries.ts'
import { PeriodicReviewDecision } from './schema.ts'

const maxPeriodMonths = 120
/** In a company with more reviewers, notifying some of them is enough: every reviewer finds due reviews in the list. */
const maxNotified = 100

async function requireEffective(
  tx: Tx,
  { number, effective_version_id }: { number: string; effective_version_id: number | null },
) {
  if (effective_version_id === null) throw conflict(messages.document_not_effective({ number }))
  return loadAtWork(tx, effective_version_id)
}

/** The steps by which this person makes the version obsolete, or a refusal. */
function obsolescenceSteps(actor: Actor, atWork: VersionAtWork, comment: string): readonly Step[] {
  const { definition, instance, version } = atWork
  if (!actor.permissions.has('documents.obsolete'))
    throw forbidden(messages.document_obsolescence_permission_required(), {
      id: version.document_id,
      number: version.number,
    })
  const final = new Set(definition.states.filter(({ kind }) => kind === 'final').map(({ name }) => name))
  const way = listTransitionsFrom(definition, instance.state).find(
    ({ trigger, to }) => trigger === 'by_hand' && final.has(to),
  )
  if (!way) throw conflict(messages.document_obsolescence_not_offered({ number: version.number }))
  const outcome = fire(definition, instance, participantOf(actor, atWork), { transition: way.transition, comment })
  if (!outcome.ok) throw new AppError(outcome.status, outcome.message)
  return outcome.transitions
}

/** An owner or author does not judge alone that their own document stays as it is. */
async function requireIndependentReviewer(
  tx: Tx,
  actor: Actor,
  { version }: VersionAtWork,
  { outcome }: Pick<PeriodicReviewDecision, 'outcome'>,
) {
  const { document_id: id, number, owner_id, created_by } = version
  const person = actor.standsInFor
  if (person && person.userId !== owner_id)
    throw forbidden(messages.document_review_for_owner_only({ number, person: nameOfPerson(person) }), { id, number })
  await requireApprover(tx, actor, { id, number })
  if (outcome !== 'keep_effective') return
  const owners = (await listOwners(tx, id)).map(owner => owner.id)
  const own = new Set([...owners, owner_id, created_by])
  const partOf = (userId: number) => (userId === owner_id ? 'owner' : userId === created_by ? 'author' : 'former owner')
  const barred = actingPeople(actor).find(each => own.has(each))
  if (barred === undefined) return
  const others = (await listDeciders(tx, 'documents.periodic_review', 'documents.read')).filter(each => !own.has(each))
  const names = await Promise.all(others.slice(0, maxNotified).map(each => nameOf(tx, each)))
  throw forbidden(
    messages.document_review_by_owner({
      number,
      part: partOf(barred),
      others: names.filter(name => name !== undefined),
    }),
    { id, number },
  )
}

interface Prepared extends PreparedSignature {
  reviews: number
}

export const decideReview = command({
  summary: 'Decide the periodic review of a document',
  description:
    'Decides about the effective version, with a signature. `keep_effective` sets the next due date, and is for another person than the author and everybody who ever owned the document; `needs_revision` is shown until a newer version is effective, and `make_obsolete` makes the document obsolete at once, which also needs the permission `documents.obsolete`.',
  permission: 'documents.periodic_review',
  byDeputy: 'tasks',
  input: { params: IdParams, body: PeriodicReviewDecision },
  response: Document,
  async prepare(context, { params, body: { outcome, comment, ...identity } }): Promise<Prepared> {
    const { actor } = context
    const { atWork, reviews } = await context.read(async tx => {
      const { row } = await requireReadable(tx, actor, params.id)
      const atWork = await requireEffective(tx, row)
      await requireIndependentReviewer(tx, actor, atWork, { outcome })
      if (outcome === 'make_obsolete') obsolescenceSteps(actor, atWork, comment)
      return { atWork, reviews: await countReviews(tx, atWork.version.id, row.id) }
    })
    return { ...(await prepareSignature(context, atWork, { ...identity, signs: true })), reviews }
  },
  async run(context, { params, body }) {
    const { tx, record, services, prepared } = context
    const work = await lockForWork(context, params.id)
    const { document } = work
    const atWork = await requireEffective(tx, document)
    const { version } = atWork
    const reviews = await countReviews(tx, version.id, document.id)
    if (!isUnchanged(atWork, prepared.read) || reviews !== prepared.reviews)
      throw conflict(messages.document_changed_meanwhile({ number: document.number }))
    await requireIndependentReviewer(tx, context.actor, atWork, body)
    const next_due_date = await nextReview(context, atWork, body)
    const signature_id =
      body.outcome === 'make_obsolete'
        ? await makeObsolete(context, { document, atWork }, body.comment)
        : await signReview(context, atWork, body, next_due_date)
    const { outcome, comment } = body
    await insertReview(tx, {
      document_id: document.id,
      version_id: version.id,
      due_date: version.review_due_date,
      outcome,
      comment,
      signature_id,
      next_due_date,
      decided_at: services.clock.now().toISOString(),
    })
    record('document.reviewed', document.id, {
      number: document.number,
      before: { review_due_date: version.review_due_date },
      after: {
        version: version.version,
        outcome,
        review_due_date: next_due_date,
        signature_id,
        revision: nextRevision(document),
      },
      reason: comment,
      notify: [...new Set([version.owner_id, version.created_by])],
    })
    return finish(context, document)
  },
})

/** Answers the signature. */
async function makeObsolete(
  context: ActionContext<Prepared>,
  work: Pick<Work, 'document' | 'atWork'>,
  comment: string,
): Promise<number> {
  const steps = obsolescenceSteps(context.actor, work.atWork, comment)
  const plan = await makePlan(context, work, facts => planObsolescence(facts, steps, comment))
  const signature = await applyPlan(context, work.document, requirePlan(plan, work.document), context.prepared.proof)
  return signature!
}

/** Signs that the version stays, or that it must be revised, and plans what follows from it. */
async function signReview(
  context: ActionContext<Prepared>,
  atWork: VersionAtWork,
  { outcome, comment }: PeriodicReviewDecision,
  review_due_date: string | null,
): Promise<number> {
  const { proof, reviews } = context.prepared
  if (!proof) throw new Error('a periodic review was let through without a proof of identity')
  await planReview(context.tx, atWork.version.id, {
    review_due_date,
    review_notice_on: review_due_date && noticeOf(review_due_date, await todayOf(context)),
    needs_revision: outcome === 'needs_revision',
  })
  return sign(context, signableOf(atWork), {
    signature_type: 'review',
    intent: comment,
    occasion: { kind: 'periodic_review', ref: String(reviews + 1) },
    proof,
  })
}

/** The period of the type from the day of the review on, or the day that the reviewer chose within it. */
async function nextReview(
  context: ActionContext<Prepared>,
  { version }: VersionAtWork,
  { outcome, next_review_date }: PeriodicReviewDecision,
): Promise<string | null> {
  if (outcome !== 'keep_effective') {
    if (next_review_date === undefined) return null
    throw invalidField('next_review_date', messages.document_next_review_not_kept())
  }
  const [type, today] = [await findType(context.tx, version.document_type_id), await todayOf(context)]
  const months = type?.review_period_months ?? null
  if (next_review_date === undefined) return months === null ? null : monthsLater(today, months)
  const last = monthsLater(today, months ?? maxPeriodMonths)
  if (next_review_date <= today || next_review_date > last)
    throw invalidField('next_review_date', messages.document_next_review_out_of_range({ last }))
  return next_review_date
}

export const reviews = query({
  summary: 'List the periodic reviews of a document',
  description: 'The newest first.',
  permission: 'documents.read',
  input: { params: IdParams },
  response: Type.Array(PeriodicReview),
  async run({ tx, actor }, { params }) {
    const visible = new Set((await readableVersions(tx, actor, params.id)).map(({ id }) => id))
    return (await listReviews(tx, params.id)).filter(({ version_id }) => visible.has(version_id))
  },
})

async function reviewRecipients(tx: Tx, ownerId: number) {
  const reviewers = (await listPeople(tx)).filter(({ permissions }) => permissions.has('documents.periodic_review'))
  return [...new Set([ownerId, ...reviewers.slice(0, maxNotified).map(({ userId }) => userId)])]
}

const remindOfReview = command({
  summary: 'Remind of a periodic review that is due soon or overdue',
  permission: 'documents.periodic_review',
  input: { params: IdParams },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx, record } = context
    const document = await lockDocument(tx, params.id)
    if (!document) throw notFound('Document')
    const { version } = await requireEffective(tx, document)
    const { review_due_date, review_notice_on } = version
    const today = await todayOf(context)
    if (review_due_date === null || review_notice_on === null || review_notice_on > today)
      throw conflict(messages.document_reminder_not_due({ number: document.number }))
    const isOverdue = review_due_date < today
    await planReview(tx, version.id, { review_notice_on: isOverdue ? null : daysLater(review_due_date, 1) })
    record(isOverdue ? 'document.review_overdue' : 'document.review_due', document.id, {
      number: document.number,
      after: { version: version.version, review_due_date },
      notify: await reviewRecipients(tx, version.owner_id),
    })
    return null
  },
})

const maxPerRun = 100

/** Each due date has two reminders: one before it, and one when the review is overdue. */
export const reviewReminders: Schedule = {
  name: 'documents.review_reminders',
  every_minutes: 15,
  round: forEachDue({
    where: { task: 'documents.review_reminders' },
    due: ({ services, read }) =>
      read(async tx => {
        const notices = await listNotices(tx, await todayOf({ tx, services }), maxPerRun)
        return notices.map(({ id }) => ({ params: { id } }))
      }),
    action: remindOfReview,
  }),
}
