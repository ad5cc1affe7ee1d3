import { isIPv6 } from 'node:net'

/** What is counted by address: of IPv6 the first 64 bits, because one connection has all addresses below them. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address === '' ? 'unknown' : address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const before = head.split(':').filter(group => group !== '')
  const after = (tail ?? '').split(':').filter(group => group !== '')
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return `${groups.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
