// The guards of CAPAs as pure functions; rules.test.ts tests them through the API.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type CapaGuard,
  capaPriorities,
  capaStates,
  type Decider,
  dueDays,
  guardsOf,
  guardsOfPerson,
  isActionOver,
  isChangeable,
  isFirstState,
  isOver,
  isUrgent,
  noticeAt,
  noticeOf,
  type Situation,
} from './rules.ts'

// proves: CAPA-01, CAPA-03
describe('what holds of a CAPA', () => {
  const least: Situation = {
    ...{ created_by: 1, assigned_to: null, root_cause: null, adverse_effect_assessment: null },
    ...{ priority: 'medium', approved_at: null, actions: [], newest_result: null },
  }
  const nobody: Decider = { userId: 9, isAdmin: false, may_approve: true, is_involved: false, has_worked: false }
  const held = (situation: Partial<Situation>, by: Partial<Decider> = {}): CapaGuard[] => {
    const guards = guardsOf({ ...least, ...situation }, { ...nobody, ...by })
    return (Object.keys(guards) as CapaGuard[]).filter(guard => guards[guard])
  }
  const others: CapaGuard[] = ['approver_is_another', 'verifier_owns_none', 'independent', 'quality_unit']
  it('is never that people decide about their own work: who is refused for that is told that it is for another', () => {
    assert.deepEqual(guardsOfPerson, others)
  })

  const action = (status: Situation['actions'][number]['status'], assigned_to = 5) => ({ status, assigned_to })

  const atFirst: CapaGuard[] = ['plan_is_approved', ...others]
  it('is at first that others may decide about it, and nothing else', () => {
    assert.deepEqual(new Set(held({})), new Set(atFirst))
  })

  it('is each thing that was done for it', () => {
    const more = (situation: Partial<Situation>) => held(situation).filter(guard => !atFirst.includes(guard))
    assert.deepEqual(more({ assigned_to: 2 }), ['is_assigned'])
    assert.deepEqual(more({ root_cause: 'Wear' }), ['has_root_cause'])
    assert.deepEqual(more({ adverse_effect_assessment: 'None' }), ['adverse_effects_are_assessed'])
    assert.deepEqual(more({ newest_result: 'effective' }), ['was_found_effective'])
    assert.deepEqual(more({ newest_result: 'not_effective' }), ['was_found_not_effective'])
  })

  it('counts actions that were not cancelled, and takes them as done with at least one done and none left', () => {
    const ofActions = (...actions: Situation['actions']) =>
      held({ actions }).filter(guard => guard === 'has_action' || guard === 'actions_are_done')
    assert.deepEqual(ofActions(action('cancelled')), [])
    assert.deepEqual(ofActions(action('open')), ['has_action'])
    assert.deepEqual(ofActions(action('done'), action('in_progress')), ['has_action'])
    assert.deepEqual(ofActions(action('done'), action('cancelled')), ['has_action', 'actions_are_done'])
  })

  it('keeps each decision from who has a part in it; an Admin approves their own draft where the tenant says so', () => {
    const as = (userId: number, by: Partial<Decider> = {}) => {
      const situation = { created_by: 1, assigned_to: 2, actions: [action('done', 3), action('cancelled', 4)] }
      const guards = held(situation, { userId, ...by })
      return others.filter(guard => !guards.includes(guard))
    }
    const admin = { isAdmin: true }
    const barred = { isAdmin: true, may_approve: false }
    assert.deepEqual(as(9), [])
    assert.deepEqual(as(1), ['approver_is_another', 'independent'])
    assert.deepEqual(as(1, barred), ['approver_is_another', 'independent', 'quality_unit'])
    assert.deepEqual(as(1, admin), ['independent'])
    assert.deepEqual(as(9, barred), ['quality_unit'])
    assert.deepEqual(as(2), ['independent'])
    assert.deepEqual(as(9, { is_involved: true }), ['independent'])
    assert.deepEqual(as(9, { has_worked: true }), ['verifier_owns_none'])
    assert.deepEqual(as(3), ['verifier_owns_none'])
    assert.deepEqual(as(4), [], 'what was cancelled is nobody’s work')
  })

  it('is an approved plan for each priority but high and critical, where somebody has to approve it', () => {
    for (const priority of capaPriorities) {
      const isApproved = (approved_at: string | null) => held({ priority, approved_at }).includes('plan_is_approved')
      assert.deepEqual([isApproved(null), isApproved('2026-03-01T12:00:00Z')], [!isUrgent(priority), true])
    }
    assert.deepEqual(capaPriorities.filter(isUrgent), ['high', 'critical'])
  })
})

describe('a CAPA and its actions', () => {
  it('change until they are over, and while their effectiveness is reviewed they do not', () => {
    assert.deepEqual(capaStates.filter(isChangeable), ['draft', 'open', 'in_progress'])
    assert.deepEqual(capaStates.filter(isOver), ['rejected', 'closed', 'cancelled'])
    assert.deepEqual((['open', 'in_progress', 'done', 'cancelled'] as const).filter(isActionOver), [
      'done',
      'cancelled',
    ])
  })

  it('change without a reason as long as nobody has approved anything', () => {
    const approved_at = '2026-03-01T12:00:00Z'
    const free = (at: string | null) => capaStates.filter(status => isFirstState({ status, approved_at: at }))
    assert.deepEqual(free(null), ['draft', 'open'])
    assert.deepEqual(free(approved_at), ['draft'])
  })

  it('are due the sooner the more urgent they are, and are told of three days ahead and the day after', () => {
    assert.deepEqual(dueDays, { critical: 15, high: 30, medium: 60, low: 90 })
    assert.equal(noticeOf('2027-01-02'), '2026-12-30')
    assert.deepEqual(noticeAt('2026-12-31', '2026-12-31'), { isOverdue: false, next: '2027-01-01' })
    assert.deepEqual(noticeAt('2026-12-31', '2027-01-01'), { isOverdue: true, next: null })
  })
})
