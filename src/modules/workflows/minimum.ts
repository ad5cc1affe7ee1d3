// The approvals on every way to an effective state, and the minimum that a document type requires of its workflows.
import { type Static, Type } from 'typebox'
import type { Message } from '#kernel/message.ts'
import { Body } from '#kernel/schema.ts'
import {
  type GatedTransition,
  isGated,
  type Transition,
  transitionsFrom,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'
import { approvalsAhead } from './engine.ts'
import { messages } from './messages.ts'

export const ApprovalMinimum = Body({
  signature: Type.Boolean({ description: 'An approval is signed' }),
  people: Type.Integer({ minimum: 0, maximum: 20, description: 'How many different people approve' }),
  author_excluded: Type.Boolean({ description: 'These approvals are given by people other than the author' }),
})
export type ApprovalMinimum = Static<typeof ApprovalMinimum>

/** A way through a workflow so far. */
interface Way {
  state: string
  /** The approvals that stand. */
  given: ReadonlySet<GatedTransition>
  /** The pairs of them that nobody gave both of, as `pairOf` names them. */
  apart: ReadonlySet<string>
  /** The approvals that may stand in part. */
  begun: ReadonlySet<GatedTransition>
}
const beginning = { given: new Set<GatedTransition>(), apart: new Set<string>(), begun: new Set<GatedTransition>() }
const pairOf = (one: GatedTransition, other: GatedTransition) => [one.name, other.name].sort().join(' ')

/** A definition has a limit, and its ways have none: more ways to one state are taken for one, with what all of them have. */
const maxWays = 32

/** `other` assures all that `way` does. */
const isCovered = (other: Way, way: Way) =>
  way.given.isSubsetOf(other.given) && way.apart.isSubsetOf(other.apart) && way.begun.isSupersetOf(other.begun)

const merged = (ways: readonly Way[]): Way =>
  ways.reduce((all, way) => ({
    state: all.state,
    given: all.given.intersection(way.given),
    apart: all.apart.intersection(way.apart),
    begun: all.begun.union(way.begun),
  }))

/** A percentage may come down to one person. */
const peopleIn = ({ approval }: GatedTransition) => approval.rules.reduce((sum, { count = 1 }) => sum + count, 0)
const canStandInPart = (gate: GatedTransition) =>
  peopleIn(gate) > 1 || gate.approval.rules.some(({ percent }) => percent !== undefined)

/** Those who approved before are excluded, if the approval says so. */
const givenAlso = ({ given, apart, begun }: Way, gate: GatedTransition) => {
  const excluded = [...given].filter(({ name }) => gate.approval.excludes_approvers_of?.includes(name))
  return {
    given: new Set([...given, gate]),
    apart: apart.union(new Set(excluded.map(each => pairOf(each, gate)))),
    begun,
  }
}

/** The ways after one transition. A step by hand may void the round, as in the engine: then its approvals no longer stand. */
function onward(definition: WorkflowDefinition, way: Way, transition: Transition): Way[] {
  const { name, to: state } = transition
  const [on, anew] = [
    { ...way, state },
    { ...beginning, state },
  ]
  if (definition.states.some(each => each.name === state && each.kind === 'initial')) return [anew]
  if (isGated(transition)) return [{ ...givenAlso(way, transition), state }]
  if (triggerOf(transition) !== 'by_hand') return [on]
  if (name === 'reject') return [anew]
  const asked = new Set(approvalsAhead(definition, state))
  if (!asked.isDisjointFrom(way.given)) return [anew]
  return asked.isDisjointFrom(way.begun) ? [on] : [anew, on]
}

/** The ways on which a version can become effective, without those that assure more than another. */
function waysToEffective(definition: WorkflowDefinition): Way[] {
  const kindOf = new Map(definition.states.map(({ name, kind }) => [name, kind]))
  const first = definition.states.find(({ kind }) => kind === 'initial')
  const found = new Map<string, Way[]>()
  const open: Way[] = first ? [{ ...beginning, state: first.name }] : []
  for (let way = open.pop(); way; way = open.pop()) {
    const { state } = way
    const known = found.get(state) ?? []
    const reached = way
    if (known.some(each => isCovered(reached, each))) continue
    const next = known.length < maxWays ? way : merged([...known, way])
    found.set(state, [...known.filter(each => !isCovered(each, next)), next])
    if (kindOf.get(state) === 'effective') continue
    const out = transitionsFrom(definition, state)
    const here = { ...next, begun: next.begun.union(new Set(out.filter(isGated).filter(canStandInPart))) }
    for (const transition of out)
      if (transition.automatic !== 'on_supersede') open.push(...onward(definition, here, transition))
  }
  return [...found].flatMap(([state, ways]) => (kindOf.get(state) === 'effective' ? ways : []))
}

/** At least so many different people give these approvals. */
function differentPeople(gates: readonly GatedTransition[], apart: ReadonlySet<string>): number {
  const peopleWith = (first: GatedTransition) => {
    const all = [first]
    for (const gate of gates) if (all.every(each => each !== gate && apart.has(pairOf(each, gate)))) all.push(gate)
    return all.reduce((sum, each) => sum + peopleIn(each), 0)
  }
  return Math.max(0, ...gates.map(peopleWith))
}

const isWithoutAuthor = ({ approval }: GatedTransition) => !approval.author_may_approve
const isSigned = ({ approval }: GatedTransition) => approval.signature_required

/** What holds on every way to an effective state; with `author_excluded`, of the approvals that the author cannot give. */
export function assurances(
  definition: WorkflowDefinition,
  author_excluded: boolean,
): Omit<ApprovalMinimum, 'author_excluded'> {
  const ways = waysToEffective(definition).map(({ given, apart }) => ({
    gates: [...given].filter(each => !author_excluded || isWithoutAuthor(each)),
    apart,
  }))
  if (ways.length === 0) return { signature: false, people: 0 }
  return {
    signature: ways.every(({ gates }) => gates.some(isSigned)),
    people: Math.min(...ways.map(({ gates, apart }) => differentPeople(gates, apart))),
  }
}

/** All that a workflow asks for: the minimum of a type that names none. */
export function minimumOf(definition: WorkflowDefinition): ApprovalMinimum {
  const [all, others] = [assurances(definition, false), assurances(definition, true)]
  const author_excluded = others.people > 0 && others.people === all.people
  return author_excluded ? { ...others, author_excluded } : { ...all, author_excluded }
}

/** The minimum that a document type requires of its workflows. */
export interface Demand {
  name: string
  controlled: boolean
  minimum_approval: ApprovalMinimum
}

/** Why a workflow asks for less than a document type does; undefined if it asks for enough. */
export function shortfallOf(
  { name: type, controlled, minimum_approval: minimum }: Demand,
  template: string,
  definition: WorkflowDefinition,
): Message | undefined {
  const { signature, people, author_excluded } = minimum
  const all = assurances(definition, false)
  const counted = author_excluded ? assurances(definition, true) : all
  if (controlled && all.people === 0) return messages.workflow_way_without_approval({ template, type })
  if (counted.people < people)
    return author_excluded && all.people >= people
      ? messages.workflow_minimum_author({ template, type, needed: people })
      : messages.workflow_minimum_people({ template, type, needed: people, given: all.people })
  if (signature && !counted.signature) return messages.workflow_minimum_signature({ template, type })
  return undefined
}
