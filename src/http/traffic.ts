import type { FastifyInstance } from 'fastify'

/** Counts the requests that are being answered. */
export function countTraffic({ server }: FastifyInstance) {
  let requests = 0
  server.on('request', (_request, response) => {
    requests += 1
    response.once('close', () => {
      requests -= 1
    })
  })
  return { inFlight: () => requests }
}
export type Traffic = ReturnType<typeof countTraffic>
