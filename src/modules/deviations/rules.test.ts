import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Permission } from '#kernel/catalogue.ts'
import {
  canDecideClosure,
  deviationMachine,
  type Facts,
  fieldRefusal,
  fields,
  type Guard,
  holds,
  isOver,
  isReportedLate,
  isSigned,
  mayWriteAny,
  noticeOf,
  permissionsOn,
  states,
} from './rules.ts'

const writer = (permissions: Permission[], { isReporting = false, isNew = false } = {}) => ({
  permissions: new Set(permissions),
  isReporting,
  isNew,
})

describe('the table of deviations', () => {
  it('leads from the report to every state, and has one way from each to each', () => {
    const reached = new Set<string>(deviationMachine.initial)
    for (const _ of states)
      for (const { from, to } of deviationMachine.transitions)
        if (from.some(state => reached.has(state))) reached.add(to)
    assert.deepEqual([...reached].sort(), [...states].sort())
    const ways = deviationMachine.transitions.flatMap(({ from, to }) => from.map(state => `${state} ${to}`))
    assert.equal(new Set(ways).size, ways.length)
  })
})

// proves: DEV-01
describe('what must be so before a deviation goes on', () => {
  /** A minor deviation with no other facts, and an actor who is not involved. */
  const least: Facts = {
    ...{ severity: 'minor', assigned_to: null, reported_by: 1, has_root_cause: false, impact_assessment: null },
    ...{ no_capa_reason: null, has_capa: false, is_form_complete: false, is_involved: false },
    ...{ by: { userId: 9 }, may_approve: true },
  }
  const missing = (facts: Partial<Facts>): Guard[] => {
    const held = holds({ ...least, ...facts })
    return (Object.keys(held) as Guard[]).filter(guard => !held[guard])
  }

  it('is more for what is major, and most for what is critical', () => {
    const begun: Partial<Facts> = { assigned_to: 2, is_form_complete: true }
    assert.deepEqual(missing({}), ['assigned', 'form_complete'])
    assert.deepEqual(missing(begun), [])
    assert.deepEqual(missing({ ...begun, severity: 'major' }), ['root_cause', 'impact_assessed'])
    assert.deepEqual(missing({ ...begun, severity: 'critical' }), ['root_cause', 'impact_assessed', 'capa_decided'])
    const found = { ...begun, has_root_cause: true, impact_assessment: 'None' }
    assert.deepEqual(missing({ ...found, severity: 'major' }), [])
    assert.deepEqual(missing({ ...found, severity: 'critical', has_capa: true }), [])
    assert.deepEqual(missing({ ...found, severity: 'critical', no_capa_reason: 'It was a single event' }), [])
  })

  it('keeps its closure from who reported it or is assigned to it, and from Admins where the tenant says so', () => {
    const closer = (userId: number, may_approve = true) => {
      const facts = { ...least, assigned_to: 2, is_form_complete: true, by: { userId }, may_approve }
      assert.equal(canDecideClosure(facts), missing(facts).length === 0)
      return missing(facts)
    }
    assert.deepEqual(closer(9), [])
    assert.deepEqual(closer(1), ['independent'])
    assert.deepEqual(missing({ assigned_to: 2, is_form_complete: true, is_involved: true }), ['independent'])
    assert.deepEqual(closer(2), ['independent'])
    assert.deepEqual(closer(9, false), ['quality_unit'])
    assert.deepEqual(closer(1, false), ['independent', 'quality_unit'])
  })

  it('is a signature to close or cancel what is major or critical, and no other move', () => {
    const signed = (severity: Facts['severity']) =>
      deviationMachine.transitions.filter(move => isSigned(move, severity)).map(({ name }) => name)
    assert.deepEqual(signed('minor'), [])
    assert.deepEqual(signed('major'), ['close', 'cancel'])
    assert.deepEqual(signed('critical'), ['close', 'cancel'])
  })

  it('is nothing any more once it is closed or cancelled', () => {
    assert.deepEqual(states.filter(isOver), ['closed', 'cancelled'])
  })
})

// proves: ROLE-01
describe('who writes what of a deviation', () => {
  it('lets who reports it write the report, and of severity and impact what they think as they report it', () => {
    const own = fields.filter(field => !fieldRefusal([field], writer([], { isReporting: true })))
    const atFirst = fields.filter(field => !fieldRefusal([field], writer([], { isReporting: true, isNew: true })))
    assert.deepEqual(
      atFirst.filter(field => !own.includes(field)),
      ['severity', 'severity_decision', 'severity_reason', 'impact_assessment', 'no_capa_reason'],
    )
    assert.deepEqual(
      fields.filter(field => !atFirst.includes(field)),
      ['investigation', 'root_cause', 'assigned_to'],
    )
  })

  it('asks others for the permission of each part, and names it', () => {
    const given = (permission: Permission) => fields.filter(field => !fieldRefusal([field], writer([permission])))
    assert.deepEqual(given('deviations.assess'), [
      'severity',
      'severity_decision',
      'severity_reason',
      'impact_assessment',
      'no_capa_reason',
      'assigned_to',
    ])
    assert.deepEqual(given('deviations.investigate'), [
      'affected_items',
      'form_data',
      'document_ids',
      'capa_ids',
      'impact_assessment',
      'no_capa_reason',
      'investigation',
      'root_cause',
    ])
    assert.ok(given('deviations.update').includes('assigned_to') && !given('deviations.update').includes('severity'))
    assert.deepEqual(given('deviations.read'), [])
    const refusal = fieldRefusal(['title', 'assigned_to'], writer(['deviations.investigate']))
    assert.deepEqual(
      [refusal?.code, refusal?.params],
      ['deviation_field_permission_required', { field: 'title', permissions: ['deviations.update'] }],
    )
  })

  it('lets the assignee investigate, until it is submitted', () => {
    const held = (status: string, assignee_id: number | null, userId: number | null = 7) =>
      permissionsOn({ status, assignee_id }, { permissions: new Set(), userId }).has('deviations.investigate')
    assert.deepEqual(
      states.filter(status => held(status, 7)),
      ['open', 'under_investigation'],
    )
    assert.deepEqual([held('open', 8), held('open', null), held('open', null, null)], [false, false, false])
  })

  it('counts no change of who may write none of it', () => {
    assert.equal(mayWriteAny(writer(['deviations.read', 'deviations.close', 'deviations.approve'])), false)
    assert.equal(mayWriteAny(writer([], { isReporting: true })), true)
    assert.equal(mayWriteAny(writer(['deviations.assess'])), true)
    assert.equal(mayWriteAny(writer([])), false)
  })
})

describe('the days of a deviation', () => {
  it('are told three days before it is due, over the end of a year too', () => {
    assert.equal(noticeOf('2027-01-02'), '2026-12-30')
  })

  it('make a report late after 24 hours, and not at them', () => {
    assert.equal(isReportedLate('2026-03-01T08:00:00.000Z', '2026-03-02T08:00:00.000Z'), false)
    assert.equal(isReportedLate('2026-03-01T08:00:00.000Z', '2026-03-02T08:00:00.001Z'), true)
    // The limit is 24 hours also on a day of 25 hours.
    assert.equal(isReportedLate('2026-10-25T00:30:00+02:00', '2026-10-26T00:00:00+01:00'), true)
  })
})
