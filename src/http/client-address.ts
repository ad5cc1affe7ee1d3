import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The address of the client: that of the connection or, behind a trusted proxy, the one that the proxy names if it is an address. An IPv4
 * address on an IPv6 socket is written as IPv4.
 */
export function clientAddressOf(request: FastifyRequest): string {
  const { ip } = request
  const address = isIP(ip ?? '') > 0 ? ip : (request.raw.socket.remoteAddress ?? '')
  return plainAddress(address)
}

export const plainAddress = (address: string) =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address
