import { BlockList, isIP } from 'node:net'

const dayMs = 24 * 60 * 60 * 1000
export const maxLifetimeDays = 366
export const maxOverlapHours = 168
/** Keys of one account that are good at the same time: each machine has its own, and some are being rotated. */
export const maxLiveKeys = 20

interface KeyEnds {
  expires_at: string
  revoked_at: string | null
}

export const keyStates = ['live', 'expired', 'revoked'] as const
export const keyStateOf = ({ expires_at, revoked_at }: KeyEnds, now: Date): (typeof keyStates)[number] => {
  if (revoked_at !== null) return 'revoked'
  return Date.parse(expires_at) <= now.getTime() ? 'expired' : 'live'
}

/** Days before the end of a key at which its owner is told. */
export const noticeDays = [1, 7, 30] as const

/** The notice that is due so long before the end: the nearest of them. */
export const noticeDueAt = (remaining_ms: number): (typeof noticeDays)[number] | undefined =>
  noticeDays.find(days => remaining_ms <= days * dayMs)

interface Network {
  address: string
  family: 'ipv4' | 'ipv6'
  prefix: number
}

/** An address, or a network as `10.0.0.0/8`; undefined for anything else. */
export function networkOf(text: string): Network | undefined {
  const [, address, given] = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address ?? '')
  if (version === 0) return undefined
  const bits = version === 4 ? 32 : 128
  const prefix = given === undefined ? bits : Number(given)
  return prefix > bits ? undefined : { address: address!, family: version === 4 ? 'ipv4' : 'ipv6', prefix }
}

/** Whether a key with these networks is good from an address. One without networks is good from anywhere. */
export function within(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => true
  const list = new BlockList()
  for (const each of networks) {
    const network = networkOf(each)
    if (network) list.addSubnet(network.address, network.prefix, network.family)
  }
  return address => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}
