import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Who sent the request: the connection's other end, or where that is a trusted proxy, who the proxy says it was. What is no address
 * is not believed even from a proxy. An IPv4 address on a socket of both kinds is written as IPv4.
 */
export function clientAddressOf(request: FastifyRequest): string {
  const { ip } = request
  const address = isIP(ip ?? '') > 0 ? ip : (request.raw.socket.remoteAddress ?? '')
  return plainAddress(address)
}

export const plainAddress = (address: string) =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address
