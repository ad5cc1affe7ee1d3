import { type Issue, issueAt } from '#kernel/errors.ts'
import { checkGate, isTenantPermission, type Loc } from './approval-rules.ts'
import {
  isGated,
  reachableFrom,
  type State,
  sourcesOf,
  type Transition,
  transitionsFrom,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'
import type { TenantFacts } from './instance.ts'
import { messages } from './messages.ts'

function duplicates(names: readonly string[], loc: Loc, kind: 'states' | 'transitions'): Issue[] {
  return names.flatMap((name, i) =>
    names.indexOf(name) < i ? [issueAt([...loc, i, 'name'], messages.workflow_name_twice({ kind, name }))] : [],
  )
}

function checkTransition(
  definition: WorkflowDefinition,
  transition: Transition,
  facts: TenantFacts,
  loc: Loc,
): Issue[] {
  const issues: Issue[] = []
  const { name, to, permission, automatic } = transition
  const kinds = new Map(definition.states.map(state => [state.name, state.kind]))
  const sources = sourcesOf(transition)
  const atSource = (i: number) => (typeof transition.from === 'string' ? [...loc, 'from'] : [...loc, 'from', i])
  for (const [i, source] of sources.entries()) {
    const kind = kinds.get(source)
    if (kind === undefined) issues.push(issueAt(atSource(i), messages.workflow_state_unknown({ state: source })))
    if (kind === 'final') issues.push(issueAt(atSource(i), messages.workflow_state_final({ state: source })))
    if (source === to)
      issues.push(issueAt([...loc, 'to'], messages.workflow_transition_to_itself({ transition: name, state: to })))
    if (kind === undefined || kind === 'final') continue
    if ((automatic === 'on_effective_date' || automatic === 'on_training_complete') && kind !== 'review')
      issues.push(issueAt(atSource(i), messages.workflow_wait_outside_review()))
    if (automatic === 'on_supersede' && kind !== 'effective')
      issues.push(issueAt(atSource(i), messages.workflow_supersede_not_effective()))
  }
  if (!kinds.has(to)) issues.push(issueAt([...loc, 'to'], messages.workflow_state_unknown({ state: to })))
  if (automatic === 'on_supersede' && kinds.get(to) === 'effective')
    issues.push(issueAt([...loc, 'to'], messages.workflow_superseded_still_effective()))
  if (permission !== undefined && !isTenantPermission(permission))
    issues.push(issueAt([...loc, 'permission'], messages.workflow_permission_unknown({ permission })))

  if (name === 'reject' && triggerOf(transition) !== 'by_hand')
    issues.push(issueAt(loc, messages.workflow_reject_not_by_hand()))
  if (isGated(transition)) {
    if (triggerOf(transition) !== 'on_approval')
      issues.push(issueAt([...loc, 'automatic'], messages.workflow_approval_trigger()))
    issues.push(...checkGate(definition, transition, facts, [...loc, 'approval']))
  } else if (automatic === 'on_approval') {
    issues.push(issueAt([...loc, 'automatic'], messages.workflow_approval_missing()))
  } else if (automatic !== undefined) {
    if (permission !== undefined)
      issues.push(issueAt([...loc, 'permission'], messages.workflow_automatic_with_permission()))
    if (transition.comment_required)
      issues.push(issueAt([...loc, 'comment_required'], messages.workflow_automatic_with_comment()))
  }
  return issues
}

/** The transitions out of one state must fit together. */
function checkTransitionsOut(definition: WorkflowDefinition, { name: state, kind }: State, loc: Loc): Issue[] {
  const issues: Issue[] = []
  const ways = transitionsFrom(definition, state)
  const gates = ways.filter(isGated)
  const triggers = ways.map(triggerOf).filter(trigger => trigger !== 'by_hand' && trigger !== 'on_approval')
  if (gates.length > 1)
    issues.push(
      issueAt(loc, messages.workflow_state_with_two_approvals({ state, steps: gates.map(each => each.name) })),
    )
  if (gates.length > 0 && !ways.some(each => each.name === 'reject'))
    issues.push(issueAt(loc, messages.workflow_approval_without_reject({ state })))
  if (gates.length > 0 && triggers.some(trigger => trigger !== 'on_supersede'))
    issues.push(issueAt(loc, messages.workflow_approval_overtaken({ state })))
  for (const trigger of new Set(triggers))
    if (triggers.filter(each => each === trigger).length > 1)
      issues.push(issueAt(loc, messages.workflow_trigger_twice({ state, trigger })))
  if (kind === 'effective' && !triggers.includes('on_supersede'))
    issues.push(issueAt(loc, messages.workflow_effective_without_supersede({ state })))
  return issues
}

/** Checks the graph as a whole; its names were checked before. */
function checkGraph(definition: WorkflowDefinition, initial: State, loc: Loc): Issue[] {
  const { states, transitions } = definition
  const issues: Issue[] = []
  const of = (kind: State['kind']) => states.filter(state => state.kind === kind).map(({ name }) => name)
  const fromInitial = reachableFrom(definition, [initial.name])
  const leadsTo = (state: string, targets: string[]) => {
    const reached = reachableFrom(definition, [state])
    return targets.some(target => reached.has(target))
  }
  for (const [i, { name: state }] of states.entries()) {
    const at = [...loc, 'states', i]
    if (!fromInitial.has(state)) issues.push(issueAt(at, messages.workflow_state_unreachable({ state })))
    if (!leadsTo(state, of('final'))) issues.push(issueAt(at, messages.workflow_no_way_to_final({ state })))
  }
  if (!leadsTo(initial.name, of('effective')))
    issues.push(issueAt([...loc, 'states'], messages.workflow_no_way_to_effective({ state: initial.name })))
  const isAutomatic = (transition: Transition) => triggerOf(transition) !== 'by_hand'
  for (const [i, transition] of transitions.entries()) {
    if (!isAutomatic(transition)) continue
    const reached = reachableFrom(definition, [transition.to], isAutomatic)
    if (sourcesOf(transition).some(source => reached.has(source)))
      issues.push(
        issueAt([...loc, 'transitions', i], messages.workflow_automatic_loop({ transition: transition.name })),
      )
  }
  return issues
}

/**
 * All issues of a workflow template (FLOW-01). Without an issue, every state that is not final can be left, and the people of the tenant
 * can give all approvals.
 */
export function checkDefinition(definition: WorkflowDefinition, facts: TenantFacts): Issue[] {
  const { states, transitions } = definition
  const loc: Loc = ['body', 'definition']
  const initial = states.filter(({ kind }) => kind === 'initial')
  const issues = [
    ...duplicates(
      states.map(({ name }) => name),
      [...loc, 'states'],
      'states',
    ),
    ...duplicates(
      transitions.map(({ name }) => name),
      [...loc, 'transitions'],
      'transitions',
    ),
    ...transitions.flatMap((each, i) => checkTransition(definition, each, facts, [...loc, 'transitions', i])),
    ...states.flatMap((state, i) => checkTransitionsOut(definition, state, [...loc, 'states', i])),
  ]
  if (initial.length !== 1)
    issues.push(issueAt([...loc, 'states'], messages.workflow_initial_state_count({ count: initial.length })))
  const [first] = initial
  return issues.length > 0 || !first ? issues : checkGraph(definition, first, loc)
}
