// Random workflows, random people, random orders. The oracles are written without the engine's own helpers.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { pendingApproval } from './approvers.ts'
import type { ApprovalRule, GatedTransition, State, Transition, WorkflowDefinition } from './definition.ts'
import { isGated, sourcesOf, triggerOf } from './definition.ts'
import { delegate, takeBack } from './delegate.ts'
import { advance, decide, fire, supersede } from './engine.ts'
import {
  type Contributors,
  type Delegation,
  type Instance,
  type Participant,
  type Step,
  type TenantFacts,
  writtenBy,
} from './instance.ts'
import { assurances } from './minimum.ts'
import { checkDefinition } from './rules.ts'
import { effectiveDefinition, settleCounts, withCounts } from './terms.ts'

const runs = (numRuns: number) => ({ numRuns, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true })
const everyone = [1, 2, 3, 4, 5, 6]
const roles = ['QA', 'Author', 'Engineer']
const permissions = ['documents.approve', 'documents.review', 'documents.submit']

const people: fc.Arbitrary<Participant[]> = fc.tuple(
  ...everyone.map(userId =>
    fc.record({
      userId: fc.constant(userId),
      roles: fc.subarray(roles),
      groupIds: fc.subarray([1, 2]),
      permissions: fc.subarray(permissions).map(names => new Set(names)),
    }),
  ),
)
const rule: fc.Arbitrary<ApprovalRule> = fc.oneof(
  fc.record({ kind: fc.constant('role'), who: fc.constantFrom(...roles), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('group'), who: fc.constantFrom(1, 2), count: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ kind: fc.constant('user'), who: fc.constantFrom(...everyone) }),
  fc
    .subarray(everyone, { minLength: 1 })
    .chain(who =>
      fc.record({ kind: fc.constant('user'), who: fc.constant(who), count: fc.integer({ min: 1, max: who.length }) }),
    ),
  fc.record({ kind: fc.constant('role'), who: fc.constantFrom(...roles), percent: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constant('permission'), who: fc.constantFrom(...permissions), count: fc.constantFrom(1, 2) }),
) as fc.Arbitrary<ApprovalRule>
const gateSpec = fc.record({
  mode: fc.constantFrom('parallel' as const, 'sequential' as const),
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
  author_may_approve: fc.boolean(),
  excludes: fc.boolean(),
  permission: fc.option(fc.constantFrom(...permissions), { nil: undefined, freq: 4 }),
})

/** A draft, some approvals, perhaps a wait, then effective, with some transitions back; sound except for its people. */
const workflow: fc.Arbitrary<WorkflowDefinition> = fc
  .record({
    gates: fc.array(gateSpec, { minLength: 1, maxLength: 3 }),
    waits: fc.array(fc.constantFrom('on_effective_date' as const, 'on_training_complete' as const, undefined), {
      maxLength: 2,
    }),
    withdraw: fc.boolean(),
    sendBack: fc.boolean(),
    skip: fc.boolean(),
    cancel: fc.boolean(),
  })
  .map(({ gates, waits, withdraw, sendBack, skip, cancel }) => {
    const review = (name: string): State => ({ name, label: name, kind: 'review' })
    const gated = gates.map((_, i) => `gate_${i}`)
    const waiting = waits.map((_, i) => `wait_${i}`)
    const chain = [...gated, ...waiting, 'effective']
    const transitions: Transition[] = [
      { name: 'submit', from: 'draft', to: 'gate_0', permission: 'documents.submit' },
      { name: 'reject', from: gated, to: 'draft', comment_required: true },
      { name: 'supersede', from: 'effective', to: 'superseded', automatic: 'on_supersede' },
      ...gates.map(
        ({ excludes, permission, ...gate }, i): Transition => ({
          name: `approve_${i}`,
          from: gated[i]!,
          to: chain[i + 1]!,
          ...(permission && { permission }),
          approval: {
            ...gate,
            signature_required: false,
            ...(excludes && i > 0 && { excludes_approvers_of: [`approve_${i - 1}`] }),
          },
        }),
      ),
      ...waits.map(
        (automatic, i): Transition => ({
          name: `go_${i}`,
          from: waiting[i]!,
          to: chain[gates.length + i + 1]!,
          ...(automatic && { automatic }),
        }),
      ),
    ]
    if (withdraw) transitions.push({ name: 'withdraw', from: [...gated, ...waiting], to: 'draft' })
    if (sendBack && gated.length > 1) transitions.push({ name: 'send_back', from: gated.slice(1), to: 'gate_0' })
    if (skip) transitions.push({ name: 'skip', from: gated[0]!, to: chain[gates.length]! })
    if (cancel) transitions.push({ name: 'cancel', from: 'draft', to: 'superseded' })
    const states: State[] = [
      { name: 'draft', label: 'Draft', kind: 'initial' },
      ...gated.map(review),
      ...waiting.map(review),
      { name: 'effective', label: 'Effective', kind: 'effective' },
      { name: 'superseded', label: 'Superseded', kind: 'final' },
    ]
    return { states, transitions }
  })

const names = ({ kind, who }: Pick<ApprovalRule, 'kind' | 'who'>, person: Participant): boolean => {
  const held: readonly unknown[] =
    kind === 'role'
      ? person.roles
      : kind === 'group'
        ? person.groupIds
        : kind === 'user'
          ? [person.userId]
          : [...person.permissions]
  return [who].flat().some(each => held.includes(each))
}
const factsOf = (population: Participant[]): TenantFacts => ({
  peopleFor: who => new Set(population.filter(person => names(who, person)).map(({ userId }) => userId)),
})
/** Nobody decides about their own work, nor by approvals that they chose. */
const isFree = (
  { author_may_approve }: { author_may_approve: boolean },
  { authorId, editorIds, submitterId, chooserIds }: Instance,
  userId: number,
): boolean =>
  !chooserIds.includes(userId) &&
  (author_may_approve || (userId !== authorId && userId !== submitterId && !editorIds.includes(userId)))
/** The people who may decide by the rules of the template. */
const admitted = (gate: GatedTransition, instance: Instance, person: Participant): boolean =>
  gate.approval.rules.some(each => names(each, person)) &&
  (gate.permission === undefined || person.permissions.has(gate.permission)) &&
  isFree(gate.approval, instance, person.userId) &&
  !instance.approvals.some(
    each => each.userId === person.userId && gate.approval.excludes_approvers_of?.includes(each.transition),
  )
/** The number of approvals that a rule needs from these people: the percentage, rounded up. */
function needs(rule: ApprovalRule, population: readonly Participant[]): number {
  const { percent } = rule
  if (percent === undefined) return rule.count ?? 1
  const named = population.filter(person => names(rule, person)).length
  for (let count = 1; ; count++) if (count * 100 >= percent * named) return count
}
/** Tries every assignment of people to rules. */
function completable(rules: readonly ApprovalRule[], population: readonly Participant[]): boolean {
  const places = rules.flatMap(each => Array.from({ length: needs(each, population) }, () => each))
  const fill = (place: number, free: readonly Participant[]): boolean =>
    place === places.length ||
    free.some(
      person =>
        names(places[place]!, person) &&
        fill(
          place + 1,
          free.filter(each => each !== person),
        ),
    )
  return fill(0, population)
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const each of Object.values(value)) deepFreeze(each)
  return value
}
const submitterAfter = (instance: Instance, steps: readonly Step[], userId: number) => {
  if (steps.at(-1)?.to === 'draft') return null
  return steps.some(({ from }) => from === 'draft') ? userId : instance.submitterId
}
const apply = (
  instance: Instance,
  steps: readonly Step[],
  approvals: Instance['approvals'],
  userId: number,
): Instance =>
  deepFreeze({
    ...instance,
    submitterId: submitterAfter(instance, steps, userId),
    state: steps.at(-1)?.to ?? instance.state,
    round: instance.round + (steps.some(({ from }) => from === 'draft') ? 1 : 0),
    approvals: steps.some(step => step.voids_round) ? [] : approvals,
    delegations: steps.some(step => step.voids_round) ? [] : instance.delegations,
  })
/** Follows the delegations of a part to its current holder. */
const received = ({ delegations }: Instance, gate: GatedTransition, userId: number): boolean =>
  delegations.some(
    ({ transition, from, to, rules }) =>
      transition === gate.name &&
      to === userId &&
      (rules.length > 0 || received({ delegations } as Instance, gate, from)),
  )
/** The delegations after a new one, or after one was ended. */
function handedOver(
  definition: WorkflowDefinition,
  now: Instance,
  what: 'delegate' | 'take_back',
  from: Participant,
  to: Participant,
  facts: TenantFacts,
): readonly Delegation[] | undefined {
  if (what === 'delegate') {
    const outcome = delegate(definition, now, { from, to }, facts)
    return outcome.ok ? [...now.delegations, outcome.delegation] : undefined
  }
  const outcome = takeBack(definition, now, from.userId, facts)
  const pending = pendingApproval(definition, now)?.transition
  return outcome.ok
    ? now.delegations.filter(each => each.transition !== pending || !outcome.ended.includes(each.from))
    : undefined
}
const settled = (definition: WorkflowDefinition, facts: TenantFacts, contributors?: Contributors) =>
  withCounts(definition, settleCounts(definition, facts, contributors))
const start = (authorId: number, others: Partial<Contributors> = {}): Instance => ({
  state: 'draft',
  ...{ ...writtenBy(authorId), ...others },
  ownerId: authorId,
  round: 0,
  approvals: [],
  delegations: [],
})
/** People beside the author who took part in the version before its submission. */
const takingPart = fc.record({
  editorIds: fc.subarray(everyone, { maxLength: 1 }),
  chooserIds: fc.subarray(everyone, { maxLength: 1 }),
})
const shuffles = fc.array(fc.shuffledSubarray(everyone, { minLength: everyone.length }), { minLength: 7, maxLength: 7 })

describe('any workflow, any people', () => {
  it('completes an approval exactly when it can be completed, at the Nth approval, whatever the order (proves: DOC-05)', () => {
    let [completed, impossible, delegated] = [0, 0, 0]
    fc.assert(
      fc.property(
        workflow,
        people,
        fc.tuple(fc.constantFrom(...everyone), takingPart),
        shuffles,
        fc.array(fc.tuple(fc.constantFrom(...everyone), fc.constantFrom(...everyone)), { maxLength: 12 }),
        (template, population, [author, others], orders, handings) => {
          const facts = factsOf(population)
          const instance: Instance = { ...start(author, others), state: 'gate_0', round: 1 }
          const definition = settled(template, facts, instance)
          const gate = definition.transitions.find(each => each.name === 'approve_0')
          assert.ok(gate && isGated(gate))
          const able = population.filter(person => admitted(gate, instance, person))
          const raw = template.transitions.find(each => each.name === 'approve_0')!.approval!.rules
          const holders = population.filter(
            person =>
              (gate.permission === undefined || person.permissions.has(gate.permission)) &&
              isFree(gate.approval, instance, person.userId),
          )
          const needed = raw.reduce((sum, each) => sum + needs(each, holders), 0)
          let now = deepFreeze(instance)
          const asked: number[] = []
          // All people try again until a whole round of attempts changes nothing.
          for (const order of orders)
            for (const userId of order) {
              if (now.state !== 'gate_0') break
              const [from, to] = handings.pop() ?? []
              if (from !== undefined && to !== undefined) {
                const parties = { from: population[from - 1]!, to: population[to - 1]! }
                const handed = delegate(definition, now, parties, facts)
                if (handed.ok) delegated++
                if (handed.ok) now = deepFreeze({ ...now, delegations: [...now.delegations, handed.delegation] })
              }
              const person = population.find(each => each.userId === userId)!
              const outcome = decide(definition, now, person, { decision: 'approve' }, facts)
              if (!outcome.ok) continue
              assert.ok(
                able.includes(person) || received(now, gate, userId),
                'only those whom the template admits may approve, and who have the part of one of them',
              )
              assert.ok(!now.delegations.some(({ from }) => from === userId), 'who handed the part on may not')
              assert.ok(isFree(gate.approval, now, userId), 'separation of duties holds')
              assert.ok(!asked.includes(userId), 'nobody counts twice')
              asked.push(userId)
              assert.equal(
                outcome.transitions.length > 0,
                asked.length === needed,
                'moved at the Nth approval, not before',
              )
              now = apply(now, outcome.transitions, [...now.approvals, outcome.approval!], userId)
            }
          const possible = completable(raw, able)
          assert.equal(now.state === gate.to, possible)
          if (possible) completed++
          else impossible++
        },
      ),
      runs(800),
    )
    assert.ok(completed > 100 && impossible > 100, `both kinds must be tried: ${completed}, ${impossible}`)
    assert.ok(delegated > 100, `parts must be handed on: ${delegated}`)
  })

  it('counts each approval for one rule that names its giver, and opens a rule only to those it can still use (proves: DOC-05)', () => {
    fc.assert(
      fc.property(workflow, people, shuffles, (template, population, [order]) => {
        const facts = factsOf(population)
        const definition = settled(template, facts)
        let now: Instance = { ...start(0), state: 'gate_0' }
        for (const userId of order!) {
          const pending = pendingApproval(definition, now)
          if (pending?.transition !== 'approve_0') return
          const counted = pending.rules.flatMap(({ given_by }) => given_by)
          assert.deepEqual(new Set(counted), new Set(now.approvals.map(each => each.userId)))
          assert.equal(counted.length, now.approvals.length)
          for (const each of pending.rules) {
            assert.ok(each.given_by.length <= each.needed)
            for (const giver of each.given_by) assert.ok(names(each, population.find(one => one.userId === giver)!))
          }
          assert.ok(
            pending.rules.some(each => each.open),
            'a pending approval is open to somebody',
          )
          const person = population.find(each => each.userId === userId)!
          const outcome = decide(definition, now, person, { decision: 'approve' }, facts)
          if (!outcome.ok) continue
          assert.ok(pending.rules.some(each => each.open && names(each, person)))
          now = apply(now, outcome.transitions, [...now.approvals, outcome.approval!], userId)
        }
      }),
      runs(400),
    )
  })

  // Mostly a transition that leads on, so that walks reach the end; sometimes any other.
  const action = fc.record({
    userId: fc.constantFrom(...everyone),
    other: fc.constantFrom(...everyone),
    what: fc.oneof(
      { weight: 30, arbitrary: fc.constant('approve') },
      { weight: 5, arbitrary: fc.constantFrom('submit', 'time') },
      { weight: 2, arbitrary: fc.constantFrom('go_0', 'go_1', 'approve_0') },
      { weight: 20, arbitrary: fc.constantFrom('delegate', 'take_back') },
      { weight: 1, arbitrary: fc.constantFrom('reject', 'withdraw', 'send_back', 'skip', 'cancel') },
    ),
    ready: fc.record({ effective_date_reached: fc.boolean(), training_complete: fc.boolean() }),
  })
  const walk = fc.array(action, { minLength: 20, maxLength: 60, size: 'max' })
  const preparing = fc.tuple(fc.constantFrom(...everyone), takingPart)
  it('is never left halfway, asks for no approval that stands already, and changes nothing that it is given', () => {
    const visits = new Map<string, number>()
    fc.assert(
      fc.property(workflow, people, preparing, walk, (template, population, [author, others], actions) => {
        deepFreeze(population)
        const facts = factsOf(population)
        let now = deepFreeze(start(author, others))
        const definition = deepFreeze(settled(deepFreeze(template), facts, now))
        const [anyone, notTheAuthor] = [false, true].map(author_excluded => assurances(definition, author_excluded))
        for (const { userId, other, what, ready } of actions) {
          const kindOfState = now.state.replace(/_\d$/, '')
          visits.set(kindOfState, (visits.get(kindOfState) ?? 0) + 1)
          const person = population.find(each => each.userId === userId)!
          if (what === 'delegate' || what === 'take_back') {
            const delegations = handedOver(definition, now, what, person, population[other - 1]!, facts)
            if (delegations) visits.set(what, (visits.get(what) ?? 0) + 1)
            now = deepFreeze({ ...now, delegations: delegations ?? now.delegations })
            continue
          }
          let steps: Step[]
          let approvals = now.approvals
          if (what === 'time') {
            steps = advance(definition, now.state, ready)
            assert.deepEqual(advance(definition, steps.at(-1)?.to ?? now.state, ready), [], 'advance goes all the way')
          } else {
            const outcome =
              what === 'approve' || what === 'reject'
                ? decide(definition, now, person, { decision: what, comment: 'Why' }, facts)
                : fire(definition, now, person, { transition: what, comment: 'Why' })
            if (!outcome.ok) {
              assert.ok(outcome.message.text.length > 0)
              continue
            }
            steps = outcome.transitions
            if (outcome.approval) {
              const gate = definition.transitions.find(({ name }) => name === outcome.approval!.transition)!
              const submitting = steps.some(({ from }) => from === 'draft')
              const at = submitting ? { ...now, submitterId: userId } : now
              assert.ok(isGated(gate) && (admitted(gate, at, person) || received(now, gate, userId)))
              assert.ok(isFree(gate.approval, at, userId), 'separation of duties holds')
              approvals = [...approvals, outcome.approval]
            }
          }
          let at = now.state
          for (const step of steps) {
            const transition = definition.transitions.find(each => each.name === step.transition)!
            assert.equal(step.from, at)
            assert.ok(sourcesOf(transition).includes(step.from))
            assert.equal(step.to, transition.to)
            assert.equal(step.trigger === 'user', triggerOf(transition) === 'by_hand')
            at = step.to
          }
          const moved = steps.length > 0
          // The approval that follows a submission in the same request belongs to the new round.
          const kept = steps.some(step => step.voids_round) ? [] : approvals
          const before = now
          now = apply(now, steps, kept, userId)
          if (now.state === 'effective' && before.state !== 'effective') {
            const approvers = new Set(now.approvals.map(each => each.userId))
            assert.ok(approvers.size >= anyone!.people, 'as many people approved as the workflow assures')
            assert.ok(approvers.difference(new Set([author])).size >= notTheAuthor!.people)
          }
          const pending = pendingApproval(definition, now)
          if (moved && pending && what !== 'approve')
            assert.ok(
              now.approvals.every(each => each.transition !== pending.transition),
              'an approval is begun anew',
            )
          const keys = now.approvals.map(each => `${each.transition} ${each.userId}`)
          assert.equal(new Set(keys).size, keys.length, 'nobody approves the same transition twice in a round')
        }
        // Without a pending approval a person with all permissions, or time, leads on from every state that is not final.
        const kind = definition.states.find(({ name }) => name === now.state)?.kind
        if (kind === 'final' || pendingApproval(definition, now)) return
        const keeper: Participant = { userId: 99, roles, groupIds: [1, 2], permissions: new Set(permissions) }
        const byHand = definition.transitions.some(
          ({ name }) => fire(definition, now, keeper, { transition: name, comment: 'Why' }).ok,
        )
        const ready = { effective_date_reached: true, training_complete: true }
        assert.ok(byHand || advance(definition, now.state, ready).length > 0 || supersede(definition, now.state))
      }),
      runs(1000),
    )
    for (const [seen, least] of Object.entries({
      draft: 100,
      gate: 100,
      wait: 100,
      effective: 100,
      delegate: 40,
      take_back: 5,
    }))
      assert.ok((visits.get(seen) ?? 0) > least, `walks must pass ${seen}: ${JSON.stringify([...visits])}`)
  })

  it('is itself where no approval is configured, and keeps all but the configured rules where one is (proves: DOC-06)', () => {
    fc.assert(
      fc.property(workflow, fc.array(rule, { minLength: 1, maxLength: 3 }), (definition, rules) => {
        deepFreeze(definition)
        assert.equal(effectiveDefinition(definition), definition)
        const changed = effectiveDefinition(definition, { transition: 'approve_0', rules })
        const differing = changed.transitions.filter((each, i) => each !== definition.transitions[i])
        assert.deepEqual(
          differing.map(each => [each.name, each.approval?.rules]),
          [['approve_0', rules]],
        )
      }),
      runs(300),
    )
  })
})

describe('the check of a template (proves: FLOW-01)', () => {
  const enough: TenantFacts = { peopleFor: () => new Set(Array.from({ length: 40 }, (_, i) => i)) }
  /** One change to a sound workflow: most break it, some do not. */
  const damaged = fc
    .tuple(workflow, fc.nat(), fc.nat(), fc.constantFrom('drop', 'redirect', 'kind', 'automatic', 'source', 'double'))
    .map(([definition, which, where, how]): WorkflowDefinition => {
      const transitions = [...definition.transitions]
      const states = [...definition.states]
      const i = which % transitions.length
      const state = states[where % states.length]!
      const old = transitions[i]!
      const triggers = ['on_approval', 'on_effective_date', 'on_training_complete', 'on_supersede'] as const
      const kinds = ['initial', 'review', 'effective', 'final'] as const
      if (how === 'drop') transitions.splice(i, 1)
      if (how === 'redirect') transitions[i] = { ...old, to: state.name }
      if (how === 'source') transitions[i] = { ...old, from: state.name }
      if (how === 'double') transitions.push({ ...old, name: 'double', from: state.name })
      if (how === 'automatic') transitions[i] = { ...old, automatic: triggers[where % 4]! }
      if (how === 'kind') states[where % states.length] = { ...state, kind: kinds[which % 4]! }
      return { states, transitions }
    })

  it('accepts every sound workflow', () => {
    fc.assert(
      fc.property(workflow, definition => {
        const least = structuredClone(definition)
        for (const { approval } of least.transitions)
          for (const each of approval?.rules ?? []) if (each.percent !== undefined) each.percent = 1
        assert.deepEqual(checkDefinition(least, enough), [])
      }),
      runs(300),
    )
  })

  it('accepts none with a state that nothing leads to, that leads nowhere, or a loop that runs by itself', () => {
    let accepted = 0
    fc.assert(
      fc.property(damaged, definition => {
        if (checkDefinition(deepFreeze(definition), enough).length > 0) return
        accepted++
        const { states, transitions } = definition
        /** Pairs of states that are connected by at least one transition (Warshall). */
        const closure = (ways: Transition[]) => {
          const pairs = new Set(ways.flatMap(way => sourcesOf(way).map(from => `${from} ${way.to}`)))
          for (const via of states)
            for (const from of states)
              for (const to of states)
                if (pairs.has(`${from.name} ${via.name}`) && pairs.has(`${via.name} ${to.name}`))
                  pairs.add(`${from.name} ${to.name}`)
          return pairs
        }
        const way = closure(transitions)
        const [initial, ...others] = states.filter(({ kind }) => kind === 'initial')
        assert.ok(initial && others.length === 0)
        const leads = (from: string, kind: State['kind']) =>
          states.some(to => to.kind === kind && way.has(`${from} ${to.name}`))
        for (const { name, kind } of states) {
          assert.ok(name === initial.name || way.has(`${initial.name} ${name}`))
          assert.equal(leads(name, 'final'), kind !== 'final')
        }
        assert.ok(leads(initial.name, 'effective'))
        const alone = closure(transitions.filter(each => triggerOf(each) !== 'by_hand'))
        for (const { name } of states) assert.ok(!alone.has(`${name} ${name}`))
      }),
      runs(800),
    )
    assert.ok(accepted > 50, `sound ones must be among them: ${accepted}`)
  })

  it('refuses an approval that its people cannot give, and only such a one', () => {
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 3 }), people, (rules, population) => {
        const states: State[] = [
          { name: 'draft', label: 'Draft', kind: 'initial' },
          { name: 'in_review', label: 'In review', kind: 'review' },
          { name: 'effective', label: 'Effective', kind: 'effective' },
          { name: 'superseded', label: 'Superseded', kind: 'final' },
        ]
        const approval = { mode: 'parallel', signature_required: false, author_may_approve: true, rules } as const
        const transitions: Transition[] = [
          { name: 'submit', from: 'draft', to: 'in_review' },
          { name: 'approve', from: 'in_review', to: 'effective', approval: { ...approval, rules } },
          { name: 'reject', from: 'in_review', to: 'draft' },
          { name: 'supersede', from: 'effective', to: 'superseded', automatic: 'on_supersede' },
        ]
        const issues = checkDefinition({ states, transitions }, factsOf(population))
        assert.equal(issues.length === 0, completable(rules, population))
      }),
      runs(500),
    )
  })
})
