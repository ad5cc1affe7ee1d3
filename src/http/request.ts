import type { ServerResponse } from 'node:http'
import type { Actor, Origin } from '#action'
import type { RequestContext } from '#platform/log/request-context.ts'

/** A request and its answer. `refused` is the status that Node's parser answered past the application when the rest was unreadable. */
export interface Exchange {
  request_id: string
  response: ServerResponse
  isLogged: boolean
  refused?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined on the routes that need no token. */
    actor: Actor | undefined
    /** Undefined until an action asks for it. */
    origin: Origin | undefined
    /** Undefined for requests that are answered before any hook. */
    exchange: Exchange | undefined
    /** Kept from the beginning, because a closed connection has no address. */
    clientAddr: string
    /** The fields of each log line of the request. */
    logContext: RequestContext
  }
  interface FastifySchema {
    'x-permission'?: string
    /** The operation takes the header Idempotency-Key. */
    'x-idempotency-key'?: boolean
  }
}
