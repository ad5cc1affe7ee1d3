import { BlockList, isIP } from 'node:net'

/** IANA's special-purpose ranges of IPv4, and multicast. */
const specialIPv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
/** Only these addresses of IPv6 are given out, so mapped and translated IPv4 is not among them. */
const givenOutIPv6 = '2000::/3'
const specialIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** The networks as a list that knows whether an address is in one of them. A single address is a network of itself. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = familyOf(address)
    list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family)
  }
  return list
}

const special = { ipv4: networkList(specialIPv4), ipv6: networkList(specialIPv6) }
const givenOut = networkList([givenOutIPv6])

/** Whether anybody on the internet could send to the address: nothing that is inside of a network of ours. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const family = familyOf(address)
  if (special[family].check(address, family)) return false
  return family === 'ipv4' || givenOut.check(address, family)
}

export const isInNetworks = (networks: BlockList, address: string) =>
  isIP(address) !== 0 && networks.check(address, familyOf(address))
