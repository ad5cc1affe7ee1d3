import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const acceptable = /^[A-Za-z0-9._-]{8,64}$/

export const newRequestId = () => randomUUID().replaceAll('-', '')

/** RID-02. Node joins two headers with a comma, which is not acceptable. */
export function requestIdOf(headers: IncomingHttpHeaders) {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : newRequestId()
}
