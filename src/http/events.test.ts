// An answer that lasts is bounded by what its reader leaves unread.
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { noTracker } from '#platform/error-tracking/tracker.ts'
import { createLog } from '#platform/log/log.ts'
import { eventsOf } from './events.ts'

it('a stream of events drops a reader that reads nothing, and keeps nothing for it', async () => {
  const app = Fastify()
  const open = eventsOf(
    { isStream: true, method: 'GET', url: '/', status: 200, response: Type.Object({}) },
    { log: createLog({ format: 'json', level: 'error', write() {} }), tracker: noTracker },
    1000,
  )
  const piece = { text: 'x'.repeat(10_000) }
  const sent = Promise.withResolvers<number>()
  app.get('/', async (request, reply) => {
    const events = open(request, reply)
    let pieces = 0
    while (!reply.raw.destroyed && pieces < 10_000) {
      events.sendPiece(piece)
      pieces += 1
      await turn()
    }
    events.close()
    sent.resolve(pieces)
    return reply
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const request = httpRequest({ host: '127.0.0.1', port, path: '/' }, response => response.pause())
  request.on('error', () => {})
  request.end()
  // The buffers of two sockets hold some megabytes, and the service 64 KiB beside them.
  assert.ok((await sent.promise) < 5000)
  request.destroy()
  await app.close()
})
