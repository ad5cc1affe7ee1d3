import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Depth } from '#platform/jobs/depth.ts'
import type { JobProgress, Progress } from '#platform/jobs/recurring.ts'
import { impressionOf } from './workers.ts'

const now = new Date('2026-03-01T12:00:00Z')
const job = (name: string, more: Partial<JobProgress> = {}): JobProgress => ({
  name,
  every_minutes: 1,
  last_run_at: '2026-03-01T11:59:30Z',
  last_run: { done: 0, refused: 0, failed: 0 },
  running_since: null,
  is_failing: false,
  ...more,
})
const of = (...jobs: JobProgress[]): Progress => ({
  jobs,
  waiting: 0,
  waiting_since: null,
  started_at: '2026-03-01T11:00:00Z',
})

// proves: HLTH-03
it('the background workers are well while each task is looked at in its time', () => {
  const hourly = job('b', { every_minutes: 60, last_run_at: '2026-03-01T11:00:10Z' })
  assert.deepEqual(impressionOf(of(job('a'), hourly), [], now), {})
  const late = { last_run_at: '2026-03-01T11:50:00Z' }
  assert.deepEqual(
    impressionOf(of(job('a'), job('b', { ...late, running_since: '2026-03-01T11:51:00Z' })), [], now),
    {},
  )
  const isNew = { ...of(job('a', { last_run_at: null, last_run: null })), started_at: '2026-03-01T11:59:59Z' }
  assert.deepEqual(impressionOf(isNew, [], now), {})
})

// proves: HLTH-03
it('they are degraded where one task is late or fails, and down where nothing is done', () => {
  const late = { last_run_at: '2026-03-01T11:50:00Z' }
  const found = of(
    job('a', late),
    job('b', { is_failing: true }),
    job('c', { last_run: { done: 1, refused: 0, failed: 2 } }),
    job('d'),
  )
  assert.deepEqual(impressionOf(found, [], now), {
    status: 'Degraded',
    detail: 'a was not done for 10 minutes; b fails; c failed for 2, and tries again',
  })
  assert.throws(() => impressionOf(of(job('a', late), job('b', { last_run_at: null })), [], now), {
    message: 'Nothing was done for 10 minutes',
  })
})

// proves: HLTH-03
it('they are degraded where what was asked for waits for long', () => {
  const queue = (waiting_since: string): Depth => ({
    ...{ name: 'mail', waiting: 40, waiting_since, later: 3, active: 4, failed: 1 },
  })
  assert.deepEqual(impressionOf(of(job('a')), [queue('2026-03-01T11:51:00Z')], now), {})
  assert.deepEqual(impressionOf(of(job('a')), [queue('2026-03-01T11:50:00Z')], now), {
    status: 'Degraded',
    detail: 'mail: 40 of it waited for up to 10 minutes',
  })
})
