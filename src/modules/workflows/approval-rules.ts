// What can be wrong with the approvals of a workflow, seen with the people of the tenant.
import { tenantPermissions } from '#kernel/catalogue.ts'
import type { Issue } from '#kernel/errors.ts'
import { superiorsOf } from './approvers.ts'
import { type ApprovalRule, type GatedTransition, isGated, type WorkflowDefinition } from './definition.ts'
import { byId, describePeople, describeRule, describeRules } from './describe.ts'
import type { TenantFacts } from './instance.ts'
import { canFill } from './matching.ts'
import { countsNow, peopleOf } from './terms.ts'

export type Loc = Issue['loc']
export const issue = (loc: Loc, msg: string): Issue => ({ loc, msg, type: 'value_error' })
export const isTenantPermission = (name: string) => tenantPermissions.some(each => each === name)

/** What a rule or an escalation names must be of its kind. */
function checkWho({ kind, who }: Pick<ApprovalRule, 'kind' | 'who'>, loc: Loc): Issue[] {
  const at = [...loc, 'who']
  if (kind === 'user' && Array.isArray(who))
    return who.flatMap((id, i) => (who.indexOf(id) < i ? [issue([...at, i], `user ${id} is named twice`)] : []))
  const byId = kind === 'user' || kind === 'group'
  if (typeof who !== (byId ? 'number' : 'string'))
    return [issue(at, `A ${kind} is given by its ${byId ? 'id' : 'name'}`)]
  return kind === 'permission' && !isTenantPermission(String(who))
    ? [issue(at, `There is no permission ${String(who)}`)]
    : []
}

/** Whom a rule names must be there, each of those who are named by id, and be enough people. */
function checkRule(
  { kind, who, count, percent }: ApprovalRule,
  people: ReadonlySet<number>,
  { nameOf: names = byId, hasGroup }: TenantFacts,
  loc: Loc,
): Issue[] {
  const issues = checkWho({ kind, who }, loc)
  if (issues.length > 0) return issues
  if (percent !== undefined && count !== undefined)
    return [issue([...loc, 'percent'], 'A rule has a count or a percent, not both')]
  const missing = (Array.isArray(who) ? who : []).flatMap((id, i) => (people.has(id) ? [] : [{ id, i }]))
  if (missing.length > 0)
    return missing.map(({ id, i }) => issue([...loc, 'who', i], `User ${id} cannot approve this step`))
  if (kind === 'group' && hasGroup?.(Number(who)) === false)
    return [issue([...loc, 'who'], `There is no ${names(Number(who), kind)}`)]
  if (people.size === 0)
    return [issue([...loc, 'who'], `No active person can approve as ${describeRule({ kind, who }, names)}`)]
  const needed = count ?? 1
  if (percent !== undefined || people.size >= needed) return []
  return [issue([...loc, 'count'], `Only ${people.size} of the ${needed} people needed can approve by this rule`)]
}

/** Whether different people can meet all the rules of these approvals, none of them twice. */
const canBeMet = (gates: readonly GatedTransition[], facts: TenantFacts) =>
  canFill(
    gates.flatMap(gate => countsNow(gate, facts)),
    gates.flatMap(gate => peopleOf(gate, facts)),
  )

/**
 * The rules of one approval against the people of the tenant: of a template, or as `configure-approval` changes it (DOC-06).
 * That the author may be one of the people is left to the moment of approval, when the author is known.
 */
function checkApprovalRules(gate: GatedTransition, facts: TenantFacts, loc: Loc): Issue[] {
  const people = peopleOf(gate, facts)
  const issues = gate.approval.rules.flatMap((rule, i) => checkRule(rule, people[i]!, facts, [...loc, i]))
  if (issues.length > 0 || canBeMet([gate], facts)) return issues
  return [
    issue(
      loc,
      `There are not enough different people for ${describeRules(gate, facts.nameOf)}: each one's approval counts once`,
    ),
  ]
}

/** How soon an approval is due, and who hears that it is overdue. */
function checkDue({ approval }: GatedTransition, facts: TenantFacts, loc: Loc): Issue[] {
  // A reminder for which no day is given comes when it can, so it is never too early.
  const { due_days = Infinity, remind_days_before = 0, escalate_to } = approval
  const issues: Issue[] = []
  if (remind_days_before >= due_days)
    issues.push(issue([...loc, 'remind_days_before'], 'The reminder would come before the approval has begun'))
  if (!escalate_to) return issues
  const wrong = checkWho(escalate_to, [...loc, 'escalate_to'])
  if (wrong.length > 0 || superiorsOf(approval, facts).size > 0) return [...issues, ...wrong]
  const nobody = `Nobody who may read drafts is there to be told: ${describePeople(escalate_to)}`
  return [...issues, issue([...loc, 'escalate_to', 'who'], nobody)]
}

const excludes = (one: GatedTransition, other: GatedTransition) =>
  one.approval.excludes_approvers_of?.includes(other.name) || other.approval.excludes_approvers_of?.includes(one.name)

/** One approval, alone and together with those whose approvers it excludes. */
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
    if (!other || !isGated(other)) issues.push(issue(at, `There is no approval ${name}`))
    else if (other === gate) issues.push(issue(at, 'Nobody approves the same transition twice anyway'))
    else if (issues.length === 0 && checkApprovalRules(other, facts, at).length === 0) {
      /** Approvals of which nobody may give two. */
      const apart = [other, gate]
      for (const each of others) if (apart.every(one => excludes(one, each))) apart.unshift(each)
      others.push(other)
      const names = apart.map(each => each.name).join(' and ')
      if (!canBeMet(apart, facts)) issues.push(issue(at, `There are not enough different people to approve ${names}`))
    }
  }
  return issues
}

/**
 * What is sound today and still may leave a document without enough approvers: that the author, who may not approve, is one of
 * the few who could.
 */
export function weaknessesOf(definition: WorkflowDefinition, facts: TenantFacts): string[] {
  return definition.transitions.filter(isGated).flatMap(gate => {
    if (gate.approval.author_may_approve || !canBeMet([gate], facts)) return []
    const people = peopleOf(gate, facts)
    const most = countsNow(gate, facts).reduce((sum, count) => sum + count, 0)
    // A rule of more people than all the places can spare any of them, so large tenants cost nothing.
    const scarce = people.filter(({ size }) => size <= most)
    const needed = [...scarce.reduce((all, each) => all.union(each), new Set<number>())].filter(
      author => !canFill(countsNow(gate, facts, author), people, new Set([author])),
    )
    if (needed.length === 0) return []
    const names = needed.slice(0, 5).map(userId => facts.nameOf?.(userId) ?? `user ${userId}`)
    const others = needed.length > names.length ? [`${needed.length - names.length} others`] : []
    return [
      `${gate.name} cannot be approved of what was written by ${[...names, ...others].join(' or ')}: without the author, too few are left of ${describeRules(gate, facts.nameOf)}`,
    ]
  })
}
