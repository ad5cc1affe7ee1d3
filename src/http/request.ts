import type { Actor } from '#action'
import type { RequestContext } from '#platform/log/request-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose the request is; undefined on the routes that need no token. */
    actor: Actor | undefined
    /** Kept from the beginning: of a connection that is gone nobody can say where it led to. */
    clientAddr: string
    /** What each log line of the request says of it. */
    logContext: RequestContext
  }
  interface FastifySchema {
    'x-permission'?: string
  }
}
