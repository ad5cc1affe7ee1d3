import type { Issue } from '#kernel/errors.ts'
import { checkGate, issue, isTenantPermission, type Loc } from './approval-rules.ts'
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

function duplicates(names: readonly string[], loc: Loc, what: string): Issue[] {
  return names.flatMap((name, i) =>
    names.indexOf(name) < i ? [issue([...loc, i, 'name'], `There are two ${what} named ${name}`)] : [],
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
    if (kind === undefined) issues.push(issue(atSource(i), `There is no state ${source}`))
    if (kind === 'final') issues.push(issue(atSource(i), `The state ${source} is final: there is no way out of it`))
    if (source === to) issues.push(issue([...loc, 'to'], `${name} leads back to the state ${to} itself`))
    if (kind === undefined || kind === 'final') continue
    if ((automatic === 'on_effective_date' || automatic === 'on_training_complete') && kind !== 'review')
      issues.push(issue(atSource(i), `Only a state of kind review waits for the effective date or for training`))
    if (automatic === 'on_supersede' && kind !== 'effective')
      issues.push(issue(atSource(i), 'Only an effective state can be superseded'))
  }
  if (!kinds.has(to)) issues.push(issue([...loc, 'to'], `There is no state ${to}`))
  if (automatic === 'on_supersede' && kinds.get(to) === 'effective')
    issues.push(issue([...loc, 'to'], 'A superseded version is effective no longer'))
  if (permission !== undefined && !isTenantPermission(permission))
    issues.push(issue([...loc, 'permission'], `There is no permission ${permission}`))

  if (name === 'reject' && triggerOf(transition) !== 'by_hand')
    issues.push(issue(loc, 'reject is the decision of a person: it is neither automatic nor approved'))
  if (isGated(transition)) {
    if (triggerOf(transition) !== 'on_approval')
      issues.push(issue([...loc, 'automatic'], 'A transition with an approval is taken on_approval'))
    issues.push(...checkGate(definition, transition, facts, [...loc, 'approval']))
  } else if (automatic === 'on_approval') {
    issues.push(issue([...loc, 'automatic'], 'on_approval needs an approval'))
  } else if (automatic !== undefined) {
    if (permission !== undefined)
      issues.push(issue([...loc, 'permission'], 'Nobody takes an automatic transition, so it needs no permission'))
    if (transition.comment_required)
      issues.push(issue([...loc, 'comment_required'], 'Nobody takes an automatic transition, so it has no comment'))
  }
  return issues
}

/** How the ways out of one state go together. */
function checkWaysOut(definition: WorkflowDefinition, { name, kind }: State, loc: Loc): Issue[] {
  const issues: Issue[] = []
  const ways = transitionsFrom(definition, name)
  const gates = ways.filter(isGated)
  const triggers = ways.map(triggerOf).filter(trigger => trigger !== 'by_hand' && trigger !== 'on_approval')
  if (gates.length > 1)
    issues.push(
      issue(
        loc,
        `The state ${name} awaits ${gates.length} approvals at once: ${gates.map(each => each.name).join(', ')}`,
      ),
    )
  if (gates.length > 0 && !ways.some(each => each.name === 'reject'))
    issues.push(issue(loc, `The state ${name} awaits an approval, but has no transition reject`))
  if (gates.length > 0 && triggers.some(trigger => trigger !== 'on_supersede'))
    issues.push(issue(loc, `The state ${name} awaits an approval, so it is not left on a date or after training`))
  for (const trigger of new Set(triggers))
    if (triggers.filter(each => each === trigger).length > 1)
      issues.push(issue(loc, `The state ${name} has two transitions ${trigger}`))
  if (kind === 'effective' && !triggers.includes('on_supersede'))
    issues.push(issue(loc, `The effective state ${name} has no transition on_supersede`))
  return issues
}

/** Where the graph as a whole leads; its names are known to be right. */
function checkGraph(definition: WorkflowDefinition, initial: State, loc: Loc): Issue[] {
  const { states, transitions } = definition
  const issues: Issue[] = []
  const of = (kind: State['kind']) => states.filter(state => state.kind === kind).map(({ name }) => name)
  const fromInitial = reachableFrom(definition, [initial.name])
  const leadsTo = (state: string, targets: string[]) => {
    const reached = reachableFrom(definition, [state])
    return targets.some(target => reached.has(target))
  }
  for (const [i, { name }] of states.entries()) {
    if (!fromInitial.has(name)) issues.push(issue([...loc, 'states', i], `The state ${name} cannot be reached`))
    if (!leadsTo(name, of('final')))
      issues.push(issue([...loc, 'states', i], `From the state ${name} there is no way to a final state`))
  }
  if (!leadsTo(initial.name, of('effective')))
    issues.push(issue([...loc, 'states'], `From the state ${initial.name} there is no way to an effective state`))
  const isAutomatic = (transition: Transition) => triggerOf(transition) !== 'by_hand'
  for (const [i, transition] of transitions.entries()) {
    if (!isAutomatic(transition)) continue
    const reached = reachableFrom(definition, [transition.to], isAutomatic)
    if (sourcesOf(transition).some(source => reached.has(source)))
      issues.push(
        issue([...loc, 'transitions', i], `${transition.name} is part of a loop that no person takes a step in`),
      )
  }
  return issues
}

/**
 * Everything wrong with a workflow template as a whole (FLOW-01). A template without an issue has a way on from every state that
 * is not final, and approvals that the people of the tenant can give.
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
    ...states.flatMap((state, i) => checkWaysOut(definition, state, [...loc, 'states', i])),
  ]
  if (initial.length !== 1)
    issues.push(issue([...loc, 'states'], `A workflow has exactly one initial state, not ${initial.length}`))
  const [first] = initial
  return issues.length > 0 || !first ? issues : checkGraph(definition, first, loc)
}
