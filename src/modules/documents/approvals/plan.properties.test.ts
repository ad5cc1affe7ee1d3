// Whatever people ask for, in whatever order, while days pass and trainings are completed: each plan keeps what must hold of a document.
// The plans are applied to a document in memory.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { daysLater } from '#kernel/day.ts'
import type { WorkflowDefinition } from '#modules/workflows'
import { factsAbout, type Name, people, templates, today, type Version, versionIn } from '#test/builders/plans.ts'
import { atWorkOf } from '../core/view.ts'
import {
  type Effect,
  type Plan,
  planRelease,
  planReplacement,
  planReturnToDraft,
  planTransition,
  type Refusal,
} from '../lifecycle/plan.ts'
import { type DecisionFacts, planDecision } from './plan.ts'

interface Line {
  version_id: number
  from_status: string | null
  to_status: string
  is_signed: boolean
}
interface Held {
  definition: WorkflowDefinition
  versions: (Version & { effective_at?: string })[]
  history: Line[]
  effective_version_id: number | null
  latest_version_id: number
  day: string
  gate: DecisionFacts['training_gate']
  isTrained: boolean
}

const by = fc.constantFrom(...(Object.keys(people) as Name[]))
const does = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('approve' as const, 'submit' as const) },
  fc.constantFrom(
    'reject',
    'withdraw',
    'cancel',
    'obsolete',
    'version',
    'content_changed',
    'release',
    'trained',
    'date',
  ),
)
const deed = fc.record({ by, does, days: fc.integer({ min: 0, max: 3 }), comment: fc.constantFrom(undefined, 'Why') })
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never

const found = ({ versions }: Held, id: number) => versions.find(each => each.id === id)!
const underWay = (held: Held) =>
  held.versions.find(({ status_kind }) => status_kind === 'initial' || status_kind === 'review')

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || value instanceof Set) return value
  Object.freeze(value)
  for (const each of Object.values(value)) deepFreeze(each)
  return value
}

function factsOf(held: Held, version: Version, name: Name): DecisionFacts {
  const { definition, versions, effective_version_id: effective, latest_version_id, day, gate, isTrained } = held
  const once = versions.filter(({ effective_at }) => effective_at)
  return deepFreeze(
    factsAbout(definition, structuredClone(version), {
      by: name,
      document: {
        ...{ id: 7, number: 'SOP-00001', document_type_id: 1, revision: 4 },
        ...{ effective_version_id: effective, latest_version_id },
      },
      effective:
        effective === null || effective === version.id
          ? undefined
          : atWorkOf(structuredClone(found(held, effective)), definition, []),
      once_effective_id: once.length > 0 ? Math.max(...once.map(({ id }) => id)) : null,
      training_gate: gate && { ...gate, is_complete: version.is_waiting ? isTrained : undefined },
      today: day,
      now: `${day}T09:00:00.000Z`,
    }),
  )
}

function plan(held: Held, version: Version, { by, does, comment }: Deed): Plan | Refusal {
  const facts = factsOf(held, version, by)
  switch (does) {
    case 'approve':
      return planDecision(facts, { decision: 'approve', comment })
    case 'content_changed':
      return planReturnToDraft(facts, comment ?? null)
    case 'version':
      return planReplacement(facts, comment ?? 'Newer')
    case 'release':
    case 'trained':
    case 'date':
      return planRelease(facts)
    case 'reject':
      if (version.status === 'in_review' || version.status === 'in_approval')
        return planDecision(facts, { decision: 'reject', comment })
  }
  return planTransition(facts, { transition: does, comment })
}

/** Writes one effect as `applyPlan` does, and checks what must hold between any two of them. */
function write(held: Held, effect: Effect) {
  switch (effect.kind) {
    case 'store_decision': {
      const { version_id, round, transition, rules, user_id, decision } = effect.decision
      const version = found(held, version_id)
      assert.equal(round, version.round)
      const approval = {
        id: user_id,
        transition,
        rules,
        user: { id: user_id, username: '', full_name: null },
        on_behalf_of: null,
        signature_id: 1,
      }
      if (decision === 'approve') version.approvals = [...version.approvals, approval]
      return
    }
    case 'void_round': {
      const version = found(held, effect.version_id)
      assert.match(effect.reason, new RegExp(`^Round ${version.round} was ended by [a-z_]+(: .+)?$`))
      assert.deepEqual(
        effect.signature_ids,
        version.approvals.map(({ signature_id }) => signature_id),
      )
      version.approvals = []
      return
    }
    case 'change_state': {
      const { version_id, from, changes, history, before, after, is_signed } = effect
      const version = found(held, version_id)
      assert.equal(from, version.status)
      assert.deepEqual(
        [before, after].map(each => (each as { status: string }).status),
        [from, changes.status],
      )
      if (changes.status_kind === 'initial') assert.deepEqual(version.approvals, [], 'a round is voided before a draft')
      Object.assign(version, changes)
      held.history.push({ ...history, is_signed })
      assert.ok(
        held.versions.filter(({ status_kind }) => status_kind === 'effective').length <= 1,
        'two effective ones',
      )
      return
    }
    case 'set_pointers': {
      const { kind: _kind, ...pointers } = effect
      Object.assign(held, pointers)
      return
    }
    case 'advance_if_trained':
      for (const each of held.isTrained ? effect.trained : effect.otherwise) write(held, each)
  }
}

function assertSound(held: Held) {
  const { versions, history, effective_version_id, latest_version_id, definition } = held
  const effective = versions.find(({ status_kind }) => status_kind === 'effective')
  assert.equal(effective_version_id, effective?.id ?? null, 'the pointer names the effective version')
  const newest = underWay(held)
  if (newest) assert.equal(latest_version_id, newest.id)
  else if (versions.some(({ effective_at }) => effective_at))
    assert.ok(found(held, latest_version_id).effective_at, 'the newest version was effective once')
  for (const version of versions) {
    const { status, status_kind, effective_at, effective_date } = version
    const state = definition.states.find(({ name }) => name === status)
    assert.ok(state ? state.kind === status_kind : status === 'superseded')
    assert.equal(version.is_waiting, status === 'approved')
    if (effective_at) assert.equal(effective_at.slice(0, 10), effective_date)
    else if (status_kind === 'final') assert.equal(effective_date, null)
    if (status_kind !== 'effective') assert.deepEqual([version.review_due_date, version.review_notice_on], [null, null])
    const lines = history.filter(({ version_id }) => version_id === version.id)
    for (const [i, { from_status, to_status, is_signed }] of lines.entries()) {
      assert.equal(from_status, i === 0 ? 'draft' : lines[i - 1]!.to_status, 'the history goes from state to state')
      assert.equal(is_signed, from_status === 'effective' && to_status === 'obsolete')
    }
    assert.equal(lines.at(-1)?.to_status ?? 'draft', status)
  }
}

function draft(held: Held, effective_date: string | null) {
  const id = Math.max(0, ...held.versions.map(each => each.id)) + 1
  held.versions.push(versionIn(held.definition, { id, version: `${id}.0`, effective_date }))
  held.latest_version_id = id
}

it('each plan keeps a document sound, and is the same whenever it is made (proves: DOC-04, DOC-05, FLOW-02)', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(templates)),
      fc.constantFrom(undefined, { threshold: 80, is_complete: undefined }),
      fc.array(deed, { minLength: 15, maxLength: 50 }),
      (definition, gate, deeds) => {
        const held: Held = {
          ...{ definition, gate, versions: [], history: [], day: today, isTrained: false },
          ...{ effective_version_id: null, latest_version_id: 0 },
        }
        draft(held, null)
        for (const each of deeds) {
          held.day = daysLater(held.day, each.days)
          if (each.does === 'trained') held.isTrained = true
          const open = underWay(held)
          if (open && each.does === 'date') open.effective_date = daysLater(held.day, each.days)
          const version =
            open ?? (held.effective_version_id === null ? undefined : found(held, held.effective_version_id))
          if (version && (open || !['version', 'content_changed'].includes(each.does))) {
            const planned = plan(held, version, each)
            assert.deepEqual(plan(held, version, each), planned)
            if (planned.ok) {
              assert.ok(planned.effects.filter(({ kind }) => kind === 'sign').length <= 1)
              for (const effect of planned.effects) write(held, effect)
              seen.add(each.does)
            }
          }
          if (version && each.does === 'version') draft(held, each.days > 1 ? daysLater(held.day, each.days) : null)
          assertSound(held)
          for (const { status } of held.versions) seen.add(status)
        }
      },
    ),
    { numRuns: 500 },
  )
  for (const each of ['approve', 'reject', 'obsolete', 'cancel', 'effective', 'superseded', 'obsolete', 'cancelled'])
    assert.ok(seen.has(each), each)
})
