// Checks the approvals of a workflow against the people of the tenant.
import { tenantPermissions } from '#kernel/catalogue.ts'
import { type Issue, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { superiorsOf } from './approvers.ts'
import { type ApprovalRule, type GatedTransition, isGated, type WorkflowDefinition } from './definition.ts'
import { byId, describePeople, describeRules, type Names } from './describe.ts'
import { type TenantFacts, writtenBy } from './instance.ts'
import { canFill } from './matching.ts'
import { messages } from './messages.ts'
import { countsNow, peopleOf } from './terms.ts'

export type Loc = Issue['loc']
export const isTenantPermission = (name: string) => tenantPermissions.some(each => each === name)

type Named = Pick<ApprovalRule, 'kind' | 'who'>

/** A rule or an escalation names people, roles, groups or permissions in the form of their kind. */
function checkWho({ kind, who }: Named, names: Names, loc: Loc): Issue[] {
  const at = [...loc, 'who']
  if (kind === 'user' && Array.isArray(who))
    return who.flatMap((id, i) =>
      who.indexOf(id) < i ? [issueAt([...at, i], messages.workflow_person_named_twice({ person: names(id) }))] : [],
    )
  const by = kind === 'user' || kind === 'group' ? 'id' : 'name'
  if (typeof who !== (by === 'id' ? 'number' : 'string'))
    return [issueAt(at, messages.workflow_who_mismatch({ kind, by }))]
  return kind === 'permission' && !isTenantPermission(String(who))
    ? [issueAt(at, messages.workflow_permission_unknown({ permission: String(who) }))]
    : []
}

function withoutApprovers({ kind, who }: Named, names: Names): Message {
  switch (kind) {
    case 'role':
      return messages.workflow_role_without_approvers({ role: String(who) })
    case 'permission':
      return messages.workflow_permission_without_approvers({ permission: String(who) })
    case 'group':
      return messages.workflow_group_without_approvers({ group: names(Number(who), kind) })
    case 'user':
      return messages.workflow_person_cannot_approve({ person: names(Number(who)) })
  }
}

/** A rule must name enough people who can approve, and everyone whom it names by id must be one of them. */
function checkRule(
  { kind, who, count, percent }: ApprovalRule,
  people: ReadonlySet<number>,
  { nameOf: names = byId, hasGroup }: TenantFacts,
  loc: Loc,
): Issue[] {
  const issues = checkWho({ kind, who }, names, loc)
  if (issues.length > 0) return issues
  if (percent !== undefined && count !== undefined)
    return [issueAt([...loc, 'percent'], messages.workflow_count_and_percent())]
  const missing = (Array.isArray(who) ? who : []).flatMap((id, i) => (people.has(id) ? [] : [{ id, i }]))
  if (missing.length > 0)
    return missing.map(({ id, i }) =>
      issueAt([...loc, 'who', i], messages.workflow_person_cannot_approve({ person: names(id) })),
    )
  if (kind === 'group' && hasGroup?.(Number(who)) === false)
    return [issueAt([...loc, 'who'], messages.workflow_group_unknown({ group: names(Number(who), kind) }))]
  if (people.size === 0) return [issueAt([...loc, 'who'], withoutApprovers({ kind, who }, names))]
  const needed = count ?? 1
  if (percent !== undefined || people.size >= needed) return []
  return [issueAt([...loc, 'count'], messages.workflow_rule_short_of_people({ available: people.size, needed }))]
}

/** Checks that different people can meet all rules of these approvals. */
const canBeMet = (gates: readonly GatedTransition[], facts: TenantFacts) =>
  canFill(
    gates.flatMap(gate => countsNow(gate, facts)),
    gates.flatMap(gate => peopleOf(gate, facts)),
  )

/**
 * Checks the rules of one approval against the people of the tenant, for a template or for `configure-approval` (DOC-06). The author
 * is not known yet, so their exclusion is left to the moment of approval.
 */
function checkApprovalRules(gate: GatedTransition, facts: TenantFacts, loc: Loc): Issue[] {
  const people = peopleOf(gate, facts)
  const issues = gate.approval.rules.flatMap((rule, i) => checkRule(rule, people[i]!, facts, [...loc, i]))
  if (issues.length > 0 || canBeMet([gate], facts)) return issues
  return [issueAt(loc, messages.workflow_rules_short_of_people({ approvers: describeRules(gate, facts.nameOf) }))]
}

/** Checks the due date, the reminder and the escalation. */
function checkDue({ approval }: GatedTransition, facts: TenantFacts, loc: Loc): Issue[] {
  // Without a due date the reminder cannot be too early.
  const { due_days = Infinity, remind_days_before = 0, escalate_to } = approval
  const issues: Issue[] = []
  if (remind_days_before >= due_days)
    issues.push(issueAt([...loc, 'remind_days_before'], messages.workflow_reminder_too_early()))
  if (!escalate_to) return issues
  const wrong = checkWho(escalate_to, facts.nameOf ?? byId, [...loc, 'escalate_to'])
  if (wrong.length > 0 || superiorsOf(approval, facts).size > 0) return [...issues, ...wrong]
  const people = describePeople(escalate_to, facts.nameOf)
  return [...issues, issueAt([...loc, 'escalate_to', 'who'], messages.workflow_escalation_without_readers({ people }))]
}

const excludes = (one: GatedTransition, other: GatedTransition) =>
  one.approval.excludes_approvers_of?.includes(other.name) || other.approval.excludes_approvers_of?.includes(one.name)

/** Checks one approval, alone and together with the steps whose approvers it excludes. */
export function checkGate(
  definition: WorkflowDefinition,
  gate: GatedTransition,
  facts: TenantFacts,
  loc: Loc,
): Issue[] {
  const issues = [...checkApprovalRules(gate, facts, [...loc, 'rules']), ...checkDue(gate, facts, loc)]
  const others: GatedTransition[] = []
  for (const [i, name] of (gate.approval.excludes_approvers_of ?? []).entries()) {
    const at = [...loc, 'excludes_approvers_of', i]
    const other = definition.transitions.find(each => each.name === name)
    if (!other || !isGated(other)) issues.push(issueAt(at, messages.workflow_approval_unknown({ step: name })))
    else if (other === gate) issues.push(issueAt(at, messages.workflow_approval_excludes_itself()))
    else if (issues.length === 0 && checkApprovalRules(other, facts, at).length === 0) {
      // Nobody may approve two of these steps.
      const exclusive = [other, gate]
      for (const each of others) if (exclusive.every(one => excludes(one, each))) exclusive.unshift(each)
      others.push(other)
      const steps = exclusive.map(each => each.name)
      if (!canBeMet(exclusive, facts)) issues.push(issueAt(at, messages.workflow_steps_short_of_people({ steps })))
    }
  }
  return issues
}

const maxNamed = 5

/** Warns where a sound workflow may still leave a document without enough approvers: the author, one of the few, may not approve. */
export function weaknessesOf(definition: WorkflowDefinition, facts: TenantFacts): Message[] {
  return definition.transitions.filter(isGated).flatMap(gate => {
    if (gate.approval.author_may_approve || !canBeMet([gate], facts)) return []
    const people = peopleOf(gate, facts)
    const most = countsNow(gate, facts).reduce((sum, count) => sum + count, 0)
    // A rule with more people than places can spare any of them, so large tenants cost nothing.
    const scarce = people.filter(({ size }) => size <= most)
    const needed = [...scarce.reduce((all, each) => all.union(each), new Set<number>())].filter(
      author => !canFill(countsNow(gate, facts, writtenBy(author)), people, new Set([author])),
    )
    if (needed.length === 0) return []
    const authors = needed.slice(0, maxNamed).map(userId => facts.nameOf?.(userId) ?? byId(userId))
    return messages.workflow_step_short_without_author({
      ...{ step: gate.name, authors, more: needed.length - authors.length },
      approvers: describeRules(gate, facts.nameOf),
    })
  })
}
