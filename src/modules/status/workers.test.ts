import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Depth } from '#platform/jobs/depth.ts'
import type { Progress, ScheduleProgress } from '#platform/jobs/timetable.ts'
import { impressionOf } from './workers.ts'

const sealed = { waiting_s: 0, stopped: [] }
const well = { targets: [], contradicted: [], doubts: [] }
const now = new Date('2026-03-01T12:00:00Z')
const schedule = (name: string, more: Partial<ScheduleProgress> = {}): ScheduleProgress => ({
  name,
  every_minutes: 1,
  last_run_at: '2026-03-01T11:59:30Z',
  last_run: { done: 0, refused: 0, failed: 0 },
  running_since: null,
  is_failing: false,
  ...more,
})
const of = (...schedules: ScheduleProgress[]): Progress => ({
  schedules,
  waiting: 0,
  waiting_since: null,
  started_at: '2026-03-01T11:00:00Z',
})

// proves: HLTH-03
it('the background workers are well while each task is looked at in its time', () => {
  const hourly = schedule('b', { every_minutes: 60, last_run_at: '2026-03-01T11:00:10Z' })
  assert.deepEqual(impressionOf(of(schedule('a'), hourly), [], now, sealed, well), {})
  const late = { last_run_at: '2026-03-01T11:50:00Z' }
  assert.deepEqual(
    impressionOf(
      of(schedule('a'), schedule('b', { ...late, running_since: '2026-03-01T11:51:00Z' })),
      [],
      now,
      sealed,
      well,
    ),
    {},
  )
  const isNew = { ...of(schedule('a', { last_run_at: null, last_run: null })), started_at: '2026-03-01T11:59:59Z' }
  assert.deepEqual(impressionOf(isNew, [], now, sealed, well), {})
})

// proves: HLTH-03
it('they are degraded where one task is late or fails, and down where nothing is done', () => {
  const late = { last_run_at: '2026-03-01T11:50:00Z' }
  const found = of(
    schedule('a', late),
    schedule('b', { is_failing: true }),
    schedule('c', { last_run: { done: 1, refused: 0, failed: 2 } }),
    schedule('d'),
  )
  assert.deepEqual(impressionOf(found, [], now, sealed, well), {
    status: 'Degraded',
    detail: 'a has not run for 10 minutes; b fails; c failed for 2 and will try again',
  })
  assert.throws(
    () => impressionOf(of(schedule('a', late), schedule('b', { last_run_at: null })), [], now, sealed, well),
    {
      message: 'No schedule has run for 10 minutes',
    },
  )
})

// proves: HLTH-03
it('they are degraded where what was asked for waits for long', () => {
  const queue = (waiting_since: string): Depth => ({
    ...{ name: 'mail', waiting: 40, waiting_since, later: 3, active: 4, failed: 1 },
  })
  assert.deepEqual(impressionOf(of(schedule('a')), [queue('2026-03-01T11:51:00Z')], now, sealed, well), {})
  assert.deepEqual(impressionOf(of(schedule('a')), [queue('2026-03-01T11:50:00Z')], now, sealed, well), {
    status: 'Degraded',
    detail: 'mail: 40 items have waited for up to 10 minutes',
  })
})

// proves: HLTH-03
it('they are degraded where entries wait a minute for their seal, and down where they wait ten or a log is sealed no more', () => {
  const found = (sealing: Parameters<typeof impressionOf>[3]) => impressionOf(of(schedule('a')), [], now, sealing, well)
  assert.deepEqual(found({ waiting_s: 60, stopped: [] }), {})
  assert.deepEqual(found({ waiting_s: 61, stopped: [] }), {
    status: 'Degraded',
    detail: 'Entries of the audit trail have waited 1 minutes to be sealed',
  })
  assert.throws(() => found({ waiting_s: 601, stopped: [] }), {
    message: 'Entries of the audit trail have waited 10 minutes to be sealed',
  })
  const reason = 'The audit trail is sealed no more: its last checkpoint is missing'
  assert.throws(() => found({ waiting_s: 0, stopped: [{ tenant_id: 7, reason, is_behind: false }] }), {
    message: `Tenant 7: ${reason}`,
  })
})

// proves: HLTH-03, AUD-04
it('they are degraded where a log is behind its anchors, however long its entries wait, and where anchors are not taken', () => {
  const found = (sealing: Parameters<typeof impressionOf>[3], anchors = well as Parameters<typeof impressionOf>[4]) =>
    impressionOf(of(schedule('a')), [], now, sealing, anchors)
  const reason = 'The audit trail is sealed no more: the folder has it with 5 entries'
  const stopped = [{ tenant_id: 7, reason, is_behind: true }]
  assert.deepEqual(found({ waiting_s: 3600, stopped }), {
    status: 'Degraded',
    detail: `Tenant 7: ${reason}; Entries of the audit trail have waited 60 minutes to be sealed`,
  })
  const contradicted = [7, 8, 9].map(tenant_id => ({ tenant_id, reason: 'the folder has more' }))
  const trouble = 'folder:/anchors does not take anchors. It is full: make room there'
  const targets = ['folder:/anchors', 'folder:/anchors'].map(target => ({ target, anchored_at: null, trouble }))
  assert.deepEqual(found({ waiting_s: 0, stopped }, { targets, contradicted, doubts: ['a.txt is not signed'] }), {
    status: 'Degraded',
    detail: `Tenant 7: ${reason}; the same applies to 2 more; a.txt is not signed; ${trouble}`,
  })
  const lost = 'its last checkpoint is missing'
  const both = [...stopped, { tenant_id: 8, reason: lost, is_behind: false }]
  assert.throws(() => found({ waiting_s: 0, stopped: both }), { message: `Tenant 8: ${lost}` })
})
