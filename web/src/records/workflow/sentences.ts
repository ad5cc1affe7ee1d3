import {
  type Definition,
  type Gate,
  idsOf,
  labelOf,
  labelOfState,
  type Names,
  type Rule,
  sourcesOf,
  type Transition,
  triggerOf,
  type Who,
} from './definition.ts'
import type { en } from './words.en.ts'

type Sentences = typeof en

const rightIn = (name: string, w: Sentences) => w.rights[name] ?? name.replaceAll(/[._]/g, ' ')

const peopleOf = ({ kind, who }: Who, names: Names, w: Sentences) => {
  if (kind === 'user') return { kind, names: idsOf({ kind, who }).map(id => names.users[id] ?? w.unknownUser) }
  if (kind === 'group') return { kind, names: [names.groups[String(who)] ?? w.unknownGroup] }
  return { kind, names: [kind === 'permission' ? rightIn(String(who), w) : String(who)] }
}

/** `2 people with the role QA` */
export const ruleInWords = (rule: Rule, names: Names, w: Sentences) => {
  const people = peopleOf(rule, names, w)
  return rule.percent === undefined ? w.counted(people, rule.count ?? 1) : w.share(people, rule.percent)
}

const gateInWords = (gate: Gate, definition: Definition, names: Names, w: Sentences): string[] => {
  const step = (name: string) => labelOf(definition.transitions.find(each => each.name === name) ?? { name })
  const { rules, mode, author_may_approve, excludes_approvers_of = [], due_days, escalate_to } = gate
  return [
    w.approval(
      w.rules(
        rules.map(rule => ruleInWords(rule, names, w)),
        mode === 'sequential',
      ),
    ),
    author_may_approve ? w.authorToo : w.notAuthor,
    ...(excludes_approvers_of.length > 0 ? [w.notThoseOf(excludes_approvers_of.map(step))] : []),
    ...(gate.signature_required ? [w.signedAs[gate.signature_type ?? 'approval'] ?? w.signed] : []),
    ...(due_days === undefined ? [] : [w.due(due_days, gate.remind_days_before ?? 2)]),
    ...(due_days !== undefined && escalate_to ? [w.escalated(w.all(peopleOf(escalate_to, names, w)))] : []),
  ]
}

/** Who takes a transition, or when it happens, in its parts. */
function partsInWords(transition: Transition, definition: Definition, names: Names, w: Sentences): string[] {
  const trigger = triggerOf(transition)
  const { approval, permission, comment_required } = transition
  const right = permission === undefined ? undefined : rightIn(permission, w)
  const comment = comment_required ? [w.withComment] : []
  const withRight = right ? [w.withRight(right)] : []
  if (approval) return [...gateInWords(approval, definition, names, w), ...withRight, ...comment]
  if (trigger === 'reject') return [w.reject, ...withRight, ...comment]
  if (trigger === 'by_hand' || trigger === 'approval') return [w.byHand(right), ...comment]
  return [w.automatic[trigger]]
}

/** `Approval by 1 person with the role QA; not the author` */
export const transitionInWords = (transition: Transition, definition: Definition, names: Names, w: Sentences) =>
  partsInWords(transition, definition, names, w).join('; ')

const fromInWords = (definition: Definition, transition: Transition) =>
  sourcesOf(transition)
    .map(name => labelOfState(definition, name))
    .join(', ')

/** A whole workflow, a sentence for each of its transitions. */
export const definitionInWords = (definition: Definition, names: Names, w: Sentences): string[] => [
  w.states(definition.states.map(({ label }) => label).join(', ')),
  ...definition.transitions.map(each =>
    w.whole(
      labelOf(each),
      fromInWords(definition, each),
      labelOfState(definition, each.to),
      transitionInWords(each, definition, names, w),
    ),
  ),
]

const isInOtherOrder = (before: string[], after: string[]) => {
  const kept = (names: string[], others: string[]) => names.filter(each => others.includes(each)).join(' ')
  return kept(before, after) !== kept(after, before)
}

/** What is different between two definitions, a sentence for each thing. */
export function differencesInWords(before: Definition, after: Definition, names: Names, w: Sentences): string[] {
  const d = w.differences
  const found: string[] = []
  const parts = (definition: Definition, each: Transition) => partsInWords(each, definition, names, w)
  const way = (definition: Definition, each: Transition) =>
    w.fromTo(fromInWords(definition, each), labelOfState(definition, each.to))
  const stateBefore = new Map(before.states.map(each => [each.name, each]))
  const stateAfter = new Map(after.states.map(each => [each.name, each]))
  for (const { name, label, kind } of after.states) {
    const was = stateBefore.get(name)
    if (!was) found.push(d.stateAdded(label, w.kinds[kind]))
    else {
      if (was.label !== label) found.push(d.stateRenamed(was.label, label))
      if (was.kind !== kind) found.push(d.stateKind(label, w.kinds[was.kind], w.kinds[kind]))
    }
  }
  for (const { name, label } of before.states) if (!stateAfter.has(name)) found.push(d.stateRemoved(label))
  if (isInOtherOrder([...stateBefore.keys()], [...stateAfter.keys()])) found.push(d.statesInOrder)
  const wayBefore = new Map(before.transitions.map(each => [each.name, each]))
  const wayAfter = new Map(after.transitions.map(each => [each.name, each]))
  for (const each of after.transitions) {
    const label = labelOf(each)
    const was = wayBefore.get(each.name)
    if (!was) {
      found.push(
        d.transitionAdded(label, fromInWords(after, each), labelOfState(after, each.to), parts(after, each).join('; ')),
      )
      continue
    }
    if (labelOf(was) !== label) found.push(d.transitionRenamed(labelOf(was), label))
    const isMoved = was.to !== each.to || sourcesOf(was).join(' ') !== sourcesOf(each).join(' ')
    if (isMoved) found.push(d.transitionMoved(label, way(before, was), way(after, each)))
    const [old, next] = [parts(before, was), parts(after, each)]
    const came = next.filter(part => !old.includes(part)).join('; ')
    const went = old.filter(part => !next.includes(part)).join('; ')
    if (came && went) found.push(d.transitionHow(label, went, came))
    else if (came) found.push(d.transitionAlso(label, came))
    else if (went) found.push(d.transitionNoLonger(label, went))
  }
  for (const each of before.transitions)
    if (!wayAfter.has(each.name))
      found.push(d.transitionRemoved(labelOf(each), fromInWords(before, each), labelOfState(before, each.to)))
  if (isInOtherOrder([...wayBefore.keys()], [...wayAfter.keys()])) found.push(d.transitionsInOrder)
  return found
}

/** Names of two answers, where one has what the other lacks. */
export const namesOfBoth = (one: Names, other: Names): Names => ({
  users: { ...one.users, ...other.users },
  groups: { ...one.groups, ...other.groups },
})
