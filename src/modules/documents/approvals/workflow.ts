// The workflow status of a document for one person: who may decide now, who has decided, and which approvals are missing.
import { type ActionContext, query, type Represented } from '#action'
import { actsFor, listPrincipals } from '#action/allowed.ts'
import { type Message, reasonOf } from '#kernel/message.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import {
  describeDecision,
  type GatedTransition,
  gateFrom,
  giverOf,
  isGated,
  outlook,
  type RuleOutlook,
  readTenantFacts,
  sourcesOf,
  type TenantPeople,
  transitionLabel,
} from '#modules/workflows'
import { gateOutlook } from '../core/gate.ts'
import { VersionChoice } from '../core/schema.ts'
import { allowedTransitions, findReadable, requireReadable, type VersionAtWork } from '../core/view.ts'
import { printed } from '../messages.ts'
import { canDecide, evaluateDecision } from './decision.ts'
import { intentOf } from './plan.ts'
import { type DecisionRow, listDecisions } from './queries.ts'
import { maxPeople, WorkflowAnswer } from './workflow-schema.ts'

export const firstPeople = (userIds: readonly number[], { personOf }: TenantPeople) => ({
  people: userIds.slice(0, maxPeople).map(personOf),
  total: userIds.length,
})

/** The actions that the caller may take, and why they may not decide about the pending approval. */
async function allowedActions(
  context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  atWork: VersionAtWork,
  principals: readonly Represented[],
) {
  const { definition, instance } = atWork
  const [approval, rejection] = [
    await evaluateDecision(context, atWork, { decision: 'approve', comment: undefined }),
    await evaluateDecision(context, atWork, { decision: 'reject', comment: 'Why' }),
  ]
  const mayApprove = canDecide(approval)
  const isPending = gateFrom(definition, instance.state) !== undefined
  const byHand = allowedTransitions(context.actor, atWork)
  return {
    may: [...(mayApprove ? ['approve'] : []), ...byHand.filter(way => way !== 'reject' || !isPending || rejection.ok)],
    why_not: !approval.ok && !mayApprove && isPending ? reasonOf(approval.message) : null,
    ...(isPending && (await decisionsFor(context, atWork, principals))),
  }
}

/** The decisions that a deputy may give for others. */
const decisionsFor = (
  context: Parameters<typeof allowedActions>[0],
  atWork: VersionAtWork,
  principals: readonly Represented[],
) =>
  actsFor(context.actor, principals, async actor => {
    const asking = { ...context, actor }
    const approval = await evaluateDecision(asking, atWork, { decision: 'approve', comment: undefined })
    const rejection = await evaluateDecision(asking, atWork, { decision: 'reject', comment: 'Why' })
    return [...(canDecide(approval) ? ['approve'] : []), ...(rejection.ok ? ['reject'] : [])]
  })

/** The person who delegated an approval to the one who gave it, or for whom a deputy gave it; undefined if it was their own. */
function delegatorOf({ definition, instance }: VersionAtWork, transition: string, userId: number, facts: TenantPeople) {
  const gate = definition.transitions.filter(isGated).find(({ name }) => name === transition)
  if (!gate) return undefined
  const approval = instance.approvals.find(each => each.transition === transition && each.userId === userId)
  if (approval?.standsInFor !== undefined) return approval.standsInFor
  const rules = approval?.rules ?? []
  const givers = rules.map(rule => giverOf(gate, instance, facts.participantOf(userId), rule))
  // One rule that names them directly is enough for the approval to be their own.
  return givers.includes(undefined) ? undefined : givers[0]
}

const summaryOf = (
  { version, definition }: VersionAtWork,
  waits_for: readonly Message[],
  { due_date, overdue }: Pick<WorkflowAnswer, 'due_date' | 'overdue'>,
) => {
  const { label } = definition.states.find(({ name }) => name === version.status)!
  return printed.document_workflow_summary({
    ...{ number: version.number, version: version.version, state: label, due_date },
    ...{ is_overdue: overdue, waits_for },
  })
}

/** What an approver of this step signs. */
function signingOf(
  atWork: VersionAtWork,
  { approval: { signature_required, signature_type = 'approval' } }: GatedTransition,
) {
  if (!signature_required) return { signature_type: null, intent: null }
  return { signature_type, intent: intentOf(atWork, signature_type) }
}

export const workflow = query({
  summary: 'Read the workflow status of a document',
  description:
    'Shows who may decide now, who has decided, which approvals are missing and what you may do: of the version under way, else of the effective one. Another `version` is shown with its approvals; nothing can be done about it.',
  permission: 'documents.read',
  input: { params: IdParams, query: VersionChoice },
  response: WorkflowAnswer,
  async run({ tx, actor, services }, { params, query }) {
    const { row, atWork } = await requireReadable(tx, actor, params.id, query.version)
    const { version, definition, instance } = atWork
    const [facts, decisions, today, principals] = await Promise.all([
      readTenantFacts(tx, definition),
      listDecisions(tx, version.id, version.round),
      todayOf({ tx, services }),
      listPrincipals({ tx, actor, services }, 'approvals'),
    ])
    const seen = outlook(definition, instance, facts, version.effective_date)
    const due = { due_date: version.approval_due_date, overdue: (version.approval_due_date ?? today) < today }
    const isUnderWay =
      query.version === undefined || (await findReadable(tx, actor, params.id))?.atWork.version.id === version.id
    const you = isUnderWay
      ? await allowedActions({ tx, actor, services }, atWork, principals)
      : { may: [], why_not: null }
    const deciders = [...new Set(seen.approvals.flatMap(({ rules }) => rules.flatMap(rule => rule.may_decide_now)))]
    const gate = await gateOutlook({ tx, services }, atWork, deciders, facts)
    const waits_for = gate?.isWaitedFor ? [...seen.waits_for, gate.in_words] : seen.waits_for
    const givenBy = (transition: string, userId: number) => {
      const { user, decided_at, signature_id } = decisions.find(
        each => each.transition === transition && each.user.id === userId && !each.is_void,
      )!
      const giver = delegatorOf(atWork, transition, userId, facts)
      return { user, decided_at, signature_id, for: giver === undefined ? null : facts.personOf(giver) }
    }
    const ruleOf = (
      transition: string,
      { rule, in_words, needed, given_by, missing, may_decide_now }: RuleOutlook,
    ) => ({
      rule: { kind: rule.kind, who: rule.who, ...(rule.percent !== undefined && { percent: rule.percent }) },
      in_words,
      needed,
      given: given_by.map(userId => givenBy(transition, userId)),
      missing,
      may_decide_now: firstPeople(may_decide_now, facts),
    })
    // Whoever has left since was there when they decided.
    const nameOf = (id: number) => {
      const { full_name, username } = facts.personOf(id)
      return full_name ?? username
    }
    const inWords = ({ transition, decision, user, on_behalf_of, is_void }: DecisionRow) => {
      const giver = on_behalf_of?.id ?? (is_void ? undefined : delegatorOf(atWork, transition, user.id, facts))
      return describeDecision(
        { transition, decision },
        nameOf(user.id),
        giver === undefined ? undefined : nameOf(giver),
      )
    }
    const stateOf = (wanted: string) => definition.states.find(({ name }) => name === wanted)!
    return {
      document: { id: row.id, number: row.number, title: version.title },
      version: version.version,
      state: stateOf(version.status),
      round: version.round,
      ...due,
      summary: summaryOf(atWork, waits_for, due),
      waits_for,
      training: gate,
      approvals: seen.approvals.map(({ gate, mode, status, rules }) => ({
        transition: gate.name,
        label: transitionLabel(gate),
        from: sourcesOf(gate).map(stateOf),
        to: gate.to,
        mode,
        status,
        ...signingOf(atWork, gate),
        rules: rules.map(rule => ruleOf(gate.name, rule)),
      })),
      delegations: instance.delegations.map(({ transition, from, to }) => ({
        transition,
        from: facts.personOf(from),
        to: facts.personOf(to),
      })),
      you,
      ways: seen.ways.map(way => ({
        ...way,
        you_may: you.may.includes(way.transition) || isAllowedApproval(atWork, way, you.may),
      })),
      decisions: decisions.map(each => ({ ...each, in_words: inWords(each) })),
    }
  },
})

/** A template names the transition of an approval freely, so it is not called approve. */
const isAllowedApproval = (
  { definition, instance }: VersionAtWork,
  { transition }: { transition: string },
  may: string[],
) => gateFrom(definition, instance.state)?.name === transition && may.includes('approve')
