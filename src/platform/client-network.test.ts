import assert from 'node:assert/strict'
import { it } from 'node:test'
import { networkOf } from './client-network.ts'

it('addresses are counted one by one, and those of an IPv6 connection together', () => {
  assert.deepEqual(['203.0.113.5', '2001:db8::1', '2001:0db8:0:0:ffff::2', 'fe80::1%eth0', ''].map(networkOf), [
    '203.0.113.5',
    '2001:db8:0:0::/64',
    '2001:db8:0:0::/64',
    'fe80:0:0:0::/64',
    'unknown',
  ])
})
