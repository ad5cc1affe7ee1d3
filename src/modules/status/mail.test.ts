import assert from 'node:assert/strict'
import { it } from 'node:test'
import { impressionOf } from './mail.ts'

const now = new Date('2026-03-01T12:00:00Z')

// proves: HLTH-03
it('mail is well where it leaves within a quarter of an hour, and degraded where it waits longer or was given up', () => {
  const none = { failed: 0, waiting: 0, waiting_since: null }
  assert.deepEqual(impressionOf(none, now), {})
  assert.deepEqual(impressionOf({ ...none, waiting: 10_000, waiting_since: '2026-03-01T11:45:01Z' }, now), {})
  assert.deepEqual(impressionOf({ failed: 1, waiting: 3, waiting_since: '2026-03-01T11:45:00Z' }, now), {
    status: 'Degraded',
    detail: '1 message of the last 7 days could not be sent; 3 are waiting, the oldest for 15 minutes',
  })
  assert.deepEqual(impressionOf({ ...none, failed: 12 }, now), {
    status: 'Degraded',
    detail: '12 messages of the last 7 days could not be sent',
  })
})
