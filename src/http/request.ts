import type { Actor } from '#action'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose the request is; undefined on the routes that need no token. */
    actor: Actor | undefined
  }
  interface FastifySchema {
    'x-permission'?: string
  }
}
