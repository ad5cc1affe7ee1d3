import { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '#platform/log/log.ts'
import type { Limits } from './limits.ts'

const look_ms = 50
/** The server emits it when it begins to stop, for answers that would never end by themselves. */
export const draining = 'draining'

/**
 * On closing, no new connection is accepted and every answer is the last of its connection. Idle connections are closed a moment later,
 * and those that are still in use at the end of the time are cut off.
 */
export function drainOnClose(app: FastifyInstance, { drain_ms, idle_ms }: Limits, log: Logger) {
  let isClosing = false
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    isClosing = true
    const { server } = app
    server.emit(draining)
    if (!server.listening) return
    const { promise: quiet, resolve } = Promise.withResolvers<void>()
    const begun = performance.now()
    let isCut = false
    const timer = setInterval(() => {
      const past = performance.now() - begun
      if (past < idle_ms) return
      resolve()
      server.closeIdleConnections()
      if (past < drain_ms || isCut) return
      isCut = true
      server.getConnections((_error, count) => {
        log.warn(`connections still in use after ${drain_ms / 1000} s, cut off: ${count}`)
        server.closeAllConnections()
      })
    }, look_ms)
    server.once('close', () => {
      clearInterval(timer)
      resolve()
    })
    // The HTTP server's own method closes idle connections at once, and with them requests that are on their way.
    Server.prototype.close.call(server)
    await quiet
  })
}
