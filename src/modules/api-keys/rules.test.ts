import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keyStateOf, networkOf, noticeDueAt, within } from './rules.ts'

const days = 24 * 60 * 60 * 1000

// proves: KEY-01
describe('an API key', () => {
  it('is live until the millisecond of its end, and never after it was revoked', () => {
    const end = Date.parse('2026-11-25T12:00:00.000Z')
    const at = (ms: number, revoked_at: string | null = null) =>
      keyStateOf({ expires_at: new Date(end).toISOString(), revoked_at }, new Date(ms))
    assert.deepEqual([at(end - 1), at(end), at(end + 1)], ['live', 'expired', 'expired'])
    assert.deepEqual([at(end - 1, '2026-11-25T00:00:00Z'), at(end, '2026-11-25T00:00:00Z')], ['revoked', 'revoked'])
  })

  it('has a notice 30, 7 and 1 days before its end, and only the nearest one', () => {
    assert.equal(noticeDueAt(30 * days + 1), undefined)
    assert.deepEqual([30 * days, 7 * days + 1, 7 * days, days + 1, days, 1].map(noticeDueAt), [30, 30, 7, 7, 1, 1])
  })

  it('reads addresses and networks, and nothing else', () => {
    assert.deepEqual(networkOf('10.0.0.0/8'), { address: '10.0.0.0', family: 'ipv4', prefix: 8 })
    assert.deepEqual(networkOf('192.0.2.7'), { address: '192.0.2.7', family: 'ipv4', prefix: 32 })
    assert.deepEqual(networkOf('2001:db8::/32'), { address: '2001:db8::', family: 'ipv6', prefix: 32 })
    for (const wrong of [
      '',
      '10.0.0.0/33',
      '10.0.0/8',
      'fe80::1%eth0',
      '::/129',
      'example.com',
      '10.0.0.0/-1',
      '1.2.3.4/8/8',
    ])
      assert.equal(networkOf(wrong), undefined, wrong)
  })

  it('is good from its networks alone', () => {
    assert.ok(within([])('203.0.113.9'))
    assert.ok(within(['10.0.0.0/8', '2001:db8::/32'])('10.200.3.4'))
    assert.ok(within(['10.0.0.0/8', '2001:db8::/32'])('2001:db8:1::5'))
    // Bits of a host in a network do not matter.
    assert.ok(within(['10.1.2.3/8'])('10.200.3.4'))
    for (const outside of ['11.0.0.1', '2001:db9::1', '', 'unknown'])
      assert.ok(!within(['10.0.0.0/8', '2001:db8::/32'])(outside), outside)
  })
})
