import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestTimeout } from '#kernel/errors.ts'
import type { Logger } from '#platform/log/log.ts'
import { lasting } from './events.ts'
import type { UnreadBodies, UnreadLimits } from './unread.ts'

/** Limits of a connection, which apply before its user is known. */
export interface Limits extends UnreadLimits {
  /** Request line and headers together. */
  head_bytes: number
  /** Time until the head has arrived, until the whole request has, and until an upload has. */
  head_ms: number
  body_ms: number
  upload_ms: number
  /** Interval at which the server looks for late requests. */
  check_ms: number
  /** Between two requests of a connection. Longer than the 60 s of most proxies, which would otherwise reuse a closed connection. */
  keep_alive_ms: number
  /** Time without any traffic, as with a client that does not read its answer. */
  silence_ms: number
  requests_per_connection: number
  /** From the signal to stop until running requests are cut off. */
  drain_ms: number
  /** From the signal to stop until idle connections are closed: a request may be on its way on one. */
  idle_ms: number
}

export const usualLimits: Limits = {
  head_bytes: 16 * 1024,
  head_ms: 15_000,
  body_ms: 60_000,
  upload_ms: 600_000,
  check_ms: 5_000,
  keep_alive_ms: 65_000,
  silence_ms: 120_000,
  requests_per_connection: 1000,
  drain_ms: 25_000,
  idle_ms: 500,
  unread_bytes: 1024 * 1024,
  unread_ms: 5_000,
  linger_bytes: 64 * 1024 * 1024,
  linger_ms: 30_000,
  linger_silence_ms: 5_000,
}

const warnAgain_ms = 10_000

/**
 * SVC-09: above `most` requests in flight the HTTP server itself answers 503, before the application sees the request. So there is no
 * request id and no access line.
 */
export function limitedServer(
  handler: RequestListener,
  limits: Limits,
  { most, unread, log }: { most: number; unread: UnreadBodies; log: Logger },
): Server {
  let inFlight = 0
  let warned = Number.NEGATIVE_INFINITY
  const requests = new WeakMap<Socket, number>()
  const server = createServer(
    {
      maxHeaderSize: limits.head_bytes,
      headersTimeout: limits.head_ms,
      // The application answers late requests itself. This is for requests that it has answered without reading them.
      requestTimeout: limits.upload_ms + limits.check_ms,
      connectionsCheckingInterval: limits.check_ms,
      keepAliveTimeout: limits.keep_alive_ms,
      // Node's own answer to a request without a Host header would lack the request id.
      requireHostHeader: false,
    },
    (request, response) => {
      // The connection has had its last answer, so another one would not arrive.
      if (unread.isLingering(request.socket)) return
      unread.watch(request, response)
      const count = (requests.get(request.socket) ?? 0) + 1
      requests.set(request.socket, count)
      // Node's own count would leave the connection open and answer 503 on it, without a request id.
      if (count >= limits.requests_per_connection) response.setHeader('connection', 'close')
      if (inFlight >= most) {
        server.emit('overLimit')
        if (performance.now() - warned > warnAgain_ms) {
          warned = performance.now()
          log.warn(`${most} requests are in flight, which is SERVER_LIMIT_CONCURRENCY: answering 503`)
        }
        response.writeHead(503, { 'content-type': 'text/plain', connection: 'close' }).end('Service Unavailable')
        return
      }
      inFlight += 1
      let isCounted = true
      const release = () => {
        if (isCounted) inFlight -= 1
        isCounted = false
      }
      response.once(lasting, release)
      response.once('close', release)
      handler(request, response)
    },
  )
  server.setTimeout(limits.silence_ms)
  const closeIdle = server.closeIdleConnections
  server.closeIdleConnections = () => {
    unread.endAll()
    closeIdle.call(server)
  }
  // Node's own answer to an unknown expectation would lack the request id (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** Refuses a body that takes longer than this to arrive. */
export function expectArrival({ raw }: FastifyRequest, reply: FastifyReply, within_ms: number) {
  if (raw.complete || !hasBody(raw.headers)) return
  const timer = setTimeout(() => {
    if (!reply.sent) void reply.header('connection', 'close').send(requestTimeout())
  }, within_ms).unref()
  const isOver = () => clearTimeout(timer)
  raw.once('end', isOver)
  reply.raw.once('close', isOver)
}

const hasBody = (headers: NodeJS.Dict<string | string[]>) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
