import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Permission } from '#kernel/catalogue.ts'
import { deviationMachine, fields, isReportedLate, mayWriteAny, noticeOf, states, whyNotToWrite } from './rules.ts'

const writer = (permissions: Permission[], { isReporting = false, isNew = false } = {}) => ({
  permissions: new Set(permissions),
  isReporting,
  isNew,
})

describe('the table of deviations', () => {
  it('leads from the report to every state, and has one way from each to each', () => {
    const reached = new Set<string>(deviationMachine.initial)
    for (const _ of states)
      for (const { from, to } of deviationMachine.moves) if (from.some(state => reached.has(state))) reached.add(to)
    assert.deepEqual([...reached].sort(), [...states].sort())
    const ways = deviationMachine.moves.flatMap(({ from, to }) => from.map(state => `${state} ${to}`))
    assert.equal(new Set(ways).size, ways.length)
  })
})

// proves: ROLE-01
describe('who writes what of a deviation', () => {
  it('lets who reports it write the report, and of severity and impact what they think as they report it', () => {
    const own = fields.filter(field => !whyNotToWrite([field], writer([], { isReporting: true })))
    const atFirst = fields.filter(field => !whyNotToWrite([field], writer([], { isReporting: true, isNew: true })))
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
    const given = (permission: Permission) => fields.filter(field => !whyNotToWrite([field], writer([permission])))
    assert.deepEqual(given('deviations.assess'), [
      'severity',
      'severity_decision',
      'severity_reason',
      'impact_assessment',
      'no_capa_reason',
      'assigned_to',
    ])
    assert.deepEqual(given('deviations.investigate'), [
      'impact_assessment',
      'no_capa_reason',
      'investigation',
      'root_cause',
    ])
    assert.ok(given('deviations.update').includes('assigned_to') && !given('deviations.update').includes('severity'))
    assert.deepEqual(given('deviations.read'), [])
    assert.equal(
      whyNotToWrite(['title', 'assigned_to'], writer(['deviations.investigate'])),
      'To set title needs the permission deviations.update',
    )
  })

  it('counts no change of who may write none of it', () => {
    assert.equal(mayWriteAny(writer(['deviations.read', 'deviations.close', 'deviations.approve'])), false)
    assert.equal(mayWriteAny(writer([], { isReporting: true })), true)
    assert.equal(mayWriteAny(writer(['deviations.assess'])), true)
  })
})

describe('the days of a deviation', () => {
  it('are told three days before it is due, over the end of a year too', () => {
    assert.equal(noticeOf('2027-01-02'), '2026-12-30')
  })

  it('make a report late after 24 hours, and not at them', () => {
    assert.equal(isReportedLate('2026-03-01T08:00:00.000Z', '2026-03-02T08:00:00.000Z'), false)
    assert.equal(isReportedLate('2026-03-01T08:00:00.000Z', '2026-03-02T08:00:00.001Z'), true)
    // A day of 25 hours where the reporter is has 24 hours all the same.
    assert.equal(isReportedLate('2026-10-25T00:30:00+02:00', '2026-10-26T00:00:00+01:00'), true)
  })
})
