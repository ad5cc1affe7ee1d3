// The plan of a version's transitions: a pure function of facts that were read once, under the document's lock. Its answer is a value,
// which `applyPlan` writes in one pass.
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import { monthsLater } from '#kernel/day.ts'
import { AppError, conflict, forbidden, invalidField } from '#kernel/errors.ts'
import type { Signable } from '#modules/signatures'
import {
  advance,
  fire,
  gateFrom,
  listTransitionsFrom,
  type Outcome,
  pendingApproval,
  type Step,
  settleCounts,
  supersede,
  type TenantFacts,
  withCounts,
} from '#modules/workflows'
import type { EndedVersion } from '../core/controlled-copies.ts'
import { trained } from '../core/gate.ts'
import type { LockedDocument } from '../core/queries.ts'
import { noticeOf } from '../core/rules.ts'
import type { Release, TrainedOn, TrainedVersion } from '../core/training-gate.ts'
import { nextRevision, participantOf, signableOf, type VersionAtWork } from '../core/view.ts'
import { messages, reasons } from '../messages.ts'
import { authorAndOwner, currentApprovers, dueDateIn, dueTerms, undated } from './approval-terms.ts'
import type { ApprovalTerms, NewDecision, NewHistory, VersionChanges } from './queries.ts'

/** All that a plan depends on. */
export interface Facts {
  actor: Actor
  document: LockedDocument
  /** The version that the plan moves. */
  atWork: VersionAtWork
  /** Another version that is effective. A version that becomes effective supersedes it. */
  effective: VersionAtWork | undefined
  /** The newest version that was ever effective, whatever its status is now. */
  once_effective_id: number | null
  review_period_months: number | null
  /** Versions of the document's type become effective only with an approval. */
  is_controlled: boolean
  /** The gate `before_effective`, if the document has it; `is_complete` where it could be read before the plan. */
  training_gate: { threshold: number; is_complete: boolean | undefined } | undefined
  people: TenantFacts
  /** The day in the time zone of the tenant, and the moment. */
  today: string
  now: string
}

interface PlannedEvent {
  event: EventName
  after: object
  reason: string | null
  notify: number[]
  assignees: number[]
}

/** `is_signed`: the signature that the plan makes belongs to it. */
export type Effect =
  | { kind: 'sign'; signable: Signable; signature_type: string; intent: string; occasion: Occasion }
  | ({ kind: 'store_decision'; decision: Omit<NewDecision, 'signature_id'> } & PlannedEvent)
  | ({ kind: 'withdraw_approval'; id: number; later: number[]; signature_ids: number[] } & PlannedEvent)
  | { kind: 'void_round'; version_id: number; reason: string; signature_ids: number[] }
  | ({
      kind: 'change_state'
      version_id: number
      from: string
      changes: VersionChanges
      history: Omit<NewHistory, 'signature_id'>
      is_signed: boolean
      before: object
    } & PlannedEvent)
  | { kind: 'set_pointers'; effective_version_id?: number | null; latest_version_id?: number }
  | { kind: 'release_training'; version: TrainedVersion; as: Release }
  | { kind: 'recall_copies'; version: EndedVersion }
  /** The releases before it assign people, so the progress of their training is known only when the plan is applied. */
  | { kind: 'advance_if_trained'; version: TrainedOn; threshold: number; trained: Effect[]; otherwise: Effect[] }
interface Occasion {
  kind: 'approval' | 'approval_withdrawal' | 'obsolescence'
  ref: string
}

export interface Plan {
  ok: true
  /** The version as the plan leaves it, as far as that does not depend on `advance_if_trained`. */
  at: VersionAtWork
  effects: Effect[]
}
export type Refusal = Exclude<Outcome, { ok: true }>

/** Only a 403 names the record for the audit trail: a wrong state (409) is not an attempt beyond one's authority. */
export function refusalOf({ status, message }: Refusal, record: { id: number; number: string }) {
  if (status === 422) return invalidField('comment', message)
  return status === 403 ? forbidden(message, record) : new AppError(status, message)
}

export function requirePlan(planned: Plan | Refusal, record: { id: number; number: string }): Plan {
  if (!planned.ok) throw refusalOf(planned, record)
  return planned
}

/** The comment on a step, and whether it is signed. */
interface StepNote {
  comment: string | null
  is_signed?: boolean
}
const noNote: StepNote = { comment: null }

export const emptyPlan = ({ atWork }: Pick<Facts, 'atWork'>): Plan => ({ ok: true, at: atWork, effects: [] })

/** The version is in a state that it leaves automatically, on its effective date and after training. */
export const isWaiting = ({ definition, instance }: VersionAtWork) =>
  listTransitionsFrom(definition, instance.state).some(
    ({ trigger }) => trigger === 'on_effective_date' || trigger === 'on_training_complete',
  )

/** These steps end the use of an effective version, which needs a signature in every workflow. */
export const isObsolescence = ({ version }: VersionAtWork, steps: readonly Step[]) =>
  version.status_kind === 'effective' && steps.at(-1)?.kind_of_to === 'final'

/** A transition by hand: submit, withdraw, cancel, obsolete. */
export function planTransition(
  facts: Facts,
  { transition, comment }: { transition: string; comment?: string | undefined },
): Plan | Refusal {
  const { actor, atWork, people } = facts
  const request = { transition, ...(comment !== undefined && { comment }) }
  const outcome = fire(atWork.definition, atWork.instance, participantOf(actor, atWork), request, people)
  if (!outcome.ok) return outcome
  if (isObsolescence(atWork, outcome.transitions)) return planObsolescence(facts, outcome.transitions, comment)
  if (atWork.version.is_file_removed && outcome.transitions.some(({ kind_of_to }) => needsFile(kind_of_to)))
    throw conflict(messages.document_file_removed_from_draft({ number: atWork.version.number }))
  const refusal = submissionRefusal(facts, outcome.transitions, comment)
  if (refusal) return refusal
  const plan = planSteps(facts, emptyPlan(facts), outcome.transitions, { comment: comment ?? null })
  // Otherwise the version would wait for ever.
  if (isWaiting(plan.at) && lacksApproval(facts, plan)) throw unapproved(facts)
  return plan
}

/** Nobody reviews or works by a version without its file. */
const needsFile = (kind: Step['kind_of_to']) => kind === 'review' || kind === 'effective'

/** The draft of another person is submitted with a reason. */
export function submissionRefusal(
  { actor, atWork, people }: Facts,
  steps: readonly Step[],
  comment: string | null | undefined,
): Refusal | undefined {
  const { created_by } = atWork.version
  if (created_by === actor.userId || comment?.trim() || !steps.some(step => isSubmission(atWork, step)))
    return undefined
  const author = people.nameOf?.(created_by) ?? 'Another person'
  return { ok: false, status: 422, message: messages.document_submission_reason_required({ author }) }
}

/** However its workflow came about: it may be older than what its type asks for today. */
const lacksApproval = ({ is_controlled }: Facts, { at }: Plan) => is_controlled && at.instance.approvals.length === 0

const unapproved = ({ atWork: { version } }: Facts) =>
  conflict(messages.document_approval_missing({ number: version.number, version: version.version }))

/**
 * SIG-01: makes an effective version obsolete with a signature and a reason. A newer version under way continues, so that a dangerous
 * version can be withdrawn before its replacement is approved.
 */
export function planObsolescence(facts: Facts, steps: readonly Step[], comment: string | undefined): Plan | Refusal {
  const { atWork } = facts
  if (!comment?.trim()) {
    const message = messages.document_obsolescence_reason_required({ version: atWork.version.version })
    return { ok: false, status: 422, message }
  }
  const signing: Effect = {
    kind: 'sign',
    signable: signableOf(atWork),
    signature_type: 'obsolescence',
    intent: comment,
    occasion: { kind: 'obsolescence', ref: steps[0]!.transition },
  }
  return planSteps(facts, { ok: true, at: atWork, effects: [signing] }, steps, { comment, is_signed: true })
}

/** Releases a version as far as its effective date is reached and its training complete. */
export const planRelease = (facts: Facts): Plan => advanceVersion(facts, emptyPlan(facts))

/** Supersedes a draft that a newer file replaces before it was ever effective: it is kept, with its approvals voided. */
export function planReplacement(facts: Facts, comment: string): Plan {
  const step = { transition: 'replaced', to: 'superseded', kind_of_to: 'final' } as const
  const plan = takeStep(facts, emptyPlan(facts), ownStep(facts, step), { comment })
  return { ...plan, effects: [...plan.effects, releaseOf(plan.at, 'replaced')] }
}

/** Returns a version to draft because its content changed under approval, which voids the approvals of the round. */
export function planReturnToDraft(facts: Facts, comment: string | null): Plan {
  const { name: to } = facts.atWork.definition.states.find(({ kind }) => kind === 'initial')!
  const step = { transition: 'content_changed', to, kind_of_to: 'initial' } as const
  return takeStep(facts, emptyPlan(facts), ownStep(facts, step), { comment })
}

/** A step that no workflow names. */
const ownStep = ({ atWork }: Facts, step: Pick<Step, 'transition' | 'to' | 'kind_of_to'>): Step => ({
  ...step,
  from: atWork.version.status,
  trigger: 'automatic',
  voids_round: true,
})

/** Goes on from a plan by the steps that the engine decided, and by the automatic steps that follow. */
export function planSteps(facts: Facts, plan: Plan, steps: readonly Step[], note: StepNote): Plan {
  let taken = plan
  for (const step of steps) {
    taken = takeStep(facts, taken, step, note)
    if (step.kind_of_to === 'final') taken = { ...taken, effects: [...taken.effects, releaseOf(taken.at, 'ended')] }
  }
  return advanceVersion(facts, taken)
}

const releaseOf = ({ version }: VersionAtWork, as: Release): Effect => ({
  kind: 'release_training',
  version: trained(version),
  as,
})

function advanceVersion(facts: Facts, plan: Plan): Plan {
  const { training_gate: gate, today } = facts
  const { version, definition, instance } = plan.at
  if (!isWaiting(plan.at) || lacksApproval(facts, plan)) return plan
  const effective_date_reached = version.effective_date === null || version.effective_date <= today
  const advanced = (from: Plan, training_complete: boolean) =>
    advance(definition, instance.state, { effective_date_reached, training_complete }).reduce(
      (taken, step) => takeStep(facts, taken, step, noNote),
      from,
    )
  const assigns = plan.effects.some(({ kind }) => kind === 'release_training')
  const isComplete = !gate || (assigns ? undefined : gate.is_complete)
  if (isComplete !== undefined) return advanced(plan, isComplete)
  const rest = { ...plan, effects: [] }
  const later: Effect = {
    kind: 'advance_if_trained',
    version: { ...trained(version), today },
    threshold: gate!.threshold,
    trained: advanced(rest, true).effects,
    otherwise: advanced(rest, false).effects,
  }
  return { ...plan, effects: [...plan.effects, later] }
}

/** One step of a version, and all that it changes. */
function takeStep(facts: Facts, plan: Plan, step: Step, { comment, is_signed = false }: StepNote): Plan {
  const { document } = facts
  const { at, effects } = plan
  const { version } = at
  if (becomesEffective(at, step) && (step.voids_round || lacksApproval(facts, plan))) throw unapproved(facts)
  const changes = changesOfStep(facts, at, step)
  const { terms, assignees, next } = enterState(facts, at, step, changes)
  const change: Effect = {
    kind: 'change_state',
    version_id: version.id,
    from: step.from,
    changes: { ...changes, ...terms },
    history: {
      document_id: document.id,
      version_id: version.id,
      round: changes.round,
      transition: step.transition,
      from_status: step.from,
      to_status: step.to,
      trigger: step.trigger,
      comment,
    },
    is_signed,
    event: 'document.state_changed',
    before: {
      status: step.from,
      effective_date: version.effective_date,
      approval_due_date: version.approval_due_date,
      review_due_date: version.review_due_date,
    },
    after: {
      status: step.to,
      effective_date: next.version.effective_date,
      approval_due_date: next.version.approval_due_date,
      review_due_date: next.version.review_due_date,
      version: version.version,
      transition: step.transition,
      trigger: step.trigger,
      revision: nextRevision(document),
    },
    reason: comment,
    notify: authorAndOwner(at),
    assignees,
  }
  return {
    ok: true,
    at: next,
    effects: [
      ...effects,
      ...(step.voids_round ? [voidingOf(at, step, comment)] : []),
      // First the old version, then the new one: two are never effective, not even within the transaction.
      ...(becomesEffective(at, step) ? supersedeEffective(facts, at) : []),
      change,
      ...pointersAfter(facts, at, step),
      ...copiesAfter(facts, at, step),
      ...(changes.approved_at ? [releaseOf(at, 'approved')] : []),
      ...(changes.effective_at ? [releaseOf(at, 'effective')] : []),
    ],
  }
}

const becomesEffective = ({ version }: VersionAtWork, step: Step) =>
  step.kind_of_to === 'effective' && version.status_kind !== 'effective'

/** The approvals of the round no longer count, nor do their signatures. */
const voidingOf = ({ version }: VersionAtWork, { transition }: Step, comment: string | null): Effect => ({
  kind: 'void_round',
  version_id: version.id,
  reason: reasons.reason_round_ended({ round: version.round, transition, comment }).text,
  signature_ids: version.approvals.flatMap(({ signature_id }) => signature_id ?? []),
})

function supersedeEffective(facts: Facts, { version }: VersionAtWork): Effect[] {
  const { document, effective } = facts
  if (!effective || effective.version.id === version.id) return []
  const step = supersede(effective.definition, effective.version.status)
  if (!step) throw new Error(`version ${effective.version.version} of ${document.number} has no way to be superseded`)
  const { effects } = takeStep(facts, emptyPlan({ atWork: effective }), step, noNote)
  // The pointer goes to the new version at once.
  return effects.filter(({ kind }) => kind !== 'set_pointers')
}

/** The effective and the newest version of the document: after a cancelled one, the last effective version is the newest. */
function pointersAfter({ once_effective_id }: Facts, at: VersionAtWork, step: Step): Effect[] {
  const { id, status_kind } = at.version
  if (becomesEffective(at, step)) return [{ kind: 'set_pointers', effective_version_id: id }]
  if (status_kind === 'effective')
    return step.kind_of_to === 'effective' ? [] : [{ kind: 'set_pointers', effective_version_id: null }]
  return step.kind_of_to === 'final' && once_effective_id !== null
    ? [{ kind: 'set_pointers', latest_version_id: once_effective_id }]
    : []
}

/** Nobody works by a printed copy of a version that is no longer effective. */
const copiesAfter = ({ document }: Facts, { version }: VersionAtWork, step: Step): Effect[] =>
  version.status_kind === 'effective' && step.kind_of_to !== 'effective'
    ? [
        {
          kind: 'recall_copies',
          version: { document_id: document.id, version_id: version.id, version: version.version, status: step.to },
        },
      ]
    : []

const isSubmission = ({ version }: VersionAtWork, step: Step) =>
  version.status_kind === 'initial' && step.kind_of_to === 'review'

/** The columns of the version that a step changes, but for the terms of the next approval. */
function changesOfStep(
  { actor, now, today, review_period_months }: Facts,
  at: VersionAtWork,
  step: Step,
): VersionChanges {
  const { version, definition, instance } = at
  const after = { ...at, instance: { ...instance, state: step.to } }
  const changes: VersionChanges = {
    status: step.to,
    status_kind: step.kind_of_to,
    round: version.round,
    is_waiting: isWaiting(after),
  }
  if (isSubmission(at, step)) {
    changes.round += 1
    changes.submitted_at = now
    changes.submitted_by = actor.userId
  }
  const isApproved =
    step.trigger === 'automatic' &&
    pendingApproval(definition, instance) !== undefined &&
    pendingApproval(definition, after.instance) === undefined
  if (step.voids_round) changes.approved_at = null
  else if (isApproved) changes.approved_at = now
  if (becomesEffective(at, step)) {
    changes.effective_at = now
    // The actual day, which is later than the planned one if the service did not run on that day.
    changes.effective_date = today
    const due = review_period_months ? monthsLater(today, review_period_months) : null
    changes.review_due_date = due
    changes.review_notice_on = due && noticeOf(due, today)
  }
  if (step.kind_of_to !== 'effective' && version.status_kind === 'effective') {
    changes.review_due_date = null
    changes.review_notice_on = null
    changes.needs_revision = false
  }
  // A version that was never effective has no effective date.
  if (step.kind_of_to === 'final' && version.status_kind !== 'effective') changes.effective_date = null
  return changes
}

/**
 * The version after a step, with the terms that hold from then on: the percentages are settled when a round begins, and the due date for the
 * approval that the step leads to. Answers the terms that differ, and the people who may decide now.
 */
function enterState({ people, today }: Facts, at: VersionAtWork, step: Step, changes: VersionChanges) {
  const { version, definition, instance } = at
  const { approval_counts, approval_due_date, approval_notice, approval_notice_on } = version
  const { status, status_kind, round, is_waiting, effective_date, review_due_date } = changes
  const { submitted_by = version.submitted_by } = changes
  const submitterId = status_kind === 'initial' ? null : submitted_by
  const gate = gateFrom(definition, step.to)
  const goesOn = step.kind_of_to === 'review' || step.kind_of_to === 'effective'
  const begins = goesOn && (version.status_kind === 'initial' || step.voids_round)
  const countsAfter = () => {
    if (step.kind_of_to === 'initial') return {}
    return begins ? settleCounts(definition, people, { ...instance, submitterId }) : approval_counts
  }
  const terms: ApprovalTerms = {
    ...(gate ? dueTerms(gate.approval, dueDateIn(version.approval_overrides, gate.name), today) : undated),
    approval_counts: countsAfter(),
  }
  const before: ApprovalTerms = { approval_counts, approval_due_date, approval_notice, approval_notice_on }
  const startsAnew = step.voids_round || isSubmission(at, step)
  const next: VersionAtWork = {
    ...at,
    version: {
      ...version,
      ...{ status, status_kind, round, is_waiting, submitted_by },
      ...(effective_date !== undefined && { effective_date }),
      ...(review_due_date !== undefined && { review_due_date }),
      ...terms,
      approvals: startsAnew ? [] : version.approvals,
      voided_approvals: startsAnew ? [] : version.voided_approvals,
    },
    definition: withCounts(definition, terms.approval_counts),
    instance: {
      ...instance,
      state: step.to,
      round,
      submitterId,
      approvals: startsAnew ? [] : instance.approvals,
      delegations: step.voids_round ? [] : instance.delegations,
    },
  }
  return {
    next,
    terms: isDeepStrictEqual(before, terms) ? {} : terms,
    assignees: gate ? currentApprovers(next, people) : [],
  }
}
