import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isInNetworks, isPublicAddress, networkList } from './addresses.ts'

// proves: EVT-02
describe('an address', () => {
  it('is public only where it is given out for the internet', () => {
    for (const address of ['8.8.8.8', '93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '2a00:1450::1'])
      assert.ok(isPublicAddress(address), address)
    for (const address of [
      ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
      ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.51.100.1'],
      ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', 'fc00::1', 'fd00:ec2::254'],
      ...['fe80::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::a00:1', '2001:db8::1', '2002:a00:1::1'],
      ...['2001::1', '3fff::1', '100::1', '5f00::1', 'nonsense', ''],
    ])
      assert.ok(!isPublicAddress(address), address)
  })

  it('is in a network that the operator allows, and not beside it', () => {
    const networks = networkList(['10.20.0.0/16', '192.168.7.7', 'fd00:1::/32'])
    for (const address of ['10.20.0.1', '10.20.255.255', '192.168.7.7', 'fd00:1::5'])
      assert.ok(isInNetworks(networks, address), address)
    for (const address of ['10.21.0.1', '192.168.7.8', 'fd00:2::5', 'x'])
      assert.ok(!isInNetworks(networks, address), address)
  })
})
