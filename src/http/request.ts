import type { ServerResponse } from 'node:http'
import type { Actor } from '#action'
import type { RequestContext } from '#platform/log/request-context.ts'

/** A request and its answer. `refused`: what its sender was told past the application, when the rest made no sense. */
export interface Exchange {
  request_id: string
  response: ServerResponse
  isLogged: boolean
  refused?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose the request is; undefined on the routes that need no token. */
    actor: Actor | undefined
    /** Undefined of what is answered before any hook. */
    exchange: Exchange | undefined
    /** Kept from the beginning: of a connection that is gone nobody can say where it led to. */
    clientAddr: string
    /** What each log line of the request says of it. */
    logContext: RequestContext
  }
  interface FastifySchema {
    'x-permission'?: string
  }
}
