import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { badRequest } from '#kernel/errors.ts'
import type { Config } from '#platform/config.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import type { Tracker } from '#platform/error-tracking/tracker.ts'
import type { Logger } from '#platform/log/log.ts'
import { type RequestContext, requestContext } from '#platform/log/request-context.ts'
import { clientAddressOf, plainAddress } from './client-address.ts'
import { drainOnClose } from './drain.ts'
import { answerToParserError, errorHandler, tracked } from './errors.ts'
import { expectArrival, type Limits, limitedServer, usualLimits } from './limits.ts'
import { messages } from './messages.ts'
import { describeApi } from './openapi.ts'
import type { Exchange } from './request.ts'
import { newRequestId, requestIdOf } from './request-id.ts'
import { secure } from './security-headers.ts'
import { serializerCompiler } from './serialization.ts'
import { unreadBodies } from './unread.ts'
import { validatorCompiler } from './validation.ts'

/** The status by which nginx logs a client that did not wait for its answer. */
const clientGone = 499

/** The HTTP edge without its routes: request id, limits, errors, access log, security headers, CORS, API description. */
export async function createServer(
  config: Config,
  version: string,
  { log, tracker }: { log: Logger; tracker: Tracker },
  limits: Limits = usualLimits,
): Promise<FastifyInstance> {
  const onError = errorHandler(createReport(log, tracker))
  const access = log.child({ logger: 'server.access' })
  const latest = new WeakMap<Socket, Exchange>()
  const unread = unreadBodies(limits)
  const logAccess = (request: FastifyRequest, reply: FastifyReply) =>
    requestContext.run(request.logContext ?? { request_id: request.id }, () => {
      const { exchange } = request
      if (exchange?.isLogged) return
      if (exchange) exchange.isLogged = true
      const status_code = exchange?.refused ?? (reply.raw.headersSent ? reply.statusCode : clientGone)
      const fields = {
        http_method: request.method,
        path: request.raw.url,
        status_code,
        client_addr: request.clientAddr ?? clientAddressOf(request),
        duration_ms: Math.round(reply.elapsedTime),
      }
      access.info(fields, `${request.method} ${request.raw.url} ${status_code}`)
      tracker.trace(tracked(request), { status: status_code, duration_ms: reply.elapsedTime })
    })
  const app = Fastify({
    logger: false,
    serverFactory: handler =>
      limitedServer(handler, limits, { most: config.limit_concurrency, unread, log: log.child({ logger: 'server' }) }),
    genReqId: request => requestIdOf(request.headers),
    requestIdHeader: false,
    bodyLimit: 1024 * 1024,
    trustProxy: config.trusted_proxies.length > 0 ? config.trusted_proxies : false,
    exposeHeadRoutes: true,
    // Connected clients are still answered while the service stops; see drainOnClose.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    // Errors before any hook have the same shape and the same header (RID-01).
    frameworkErrors: (error, request, reply) =>
      requestContext.run({ request_id: request.id }, () => {
        onError(error, request, reply)
        logAccess(request, reply)
      }),
    clientErrorHandler: (error, socket) => {
      // The connection has sent its last answer: ignore any further input.
      if (unread.isLingering(socket)) return
      answerUnreadable(error, socket, latest.get(socket), access)
      unread.linger(socket)
    },
  })
  // No endpoint takes plain text.
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.decorateRequest('actor', undefined)
  app.decorateRequest('origin', undefined)
  app.decorateRequest('exchange', undefined)
  app.decorateRequest('clientAddr')
  app.decorateRequest('logContext')
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(onError)

  app.addHook('onRequest', (request, reply, done) => {
    const exchange: Exchange = { request_id: request.id, response: reply.raw, isLogged: false }
    request.exchange = exchange
    latest.set(request.raw.socket, exchange)
    // Fastify calls no hook at the end of an answer that could not be sent.
    reply.raw.once('close', () => logAccess(request, reply))
    request.clientAddr = clientAddressOf(request)
    const context: RequestContext = { request_id: request.id }
    request.logContext = context
    reply.header('x-request-id', request.id)
    secure(request, reply)
    const isForm = request.routeOptions.schema?.consumes !== undefined
    expectArrival(request, reply, isForm ? limits.upload_ms : limits.body_ms)
    requestContext.run(context, () => {
      const isNameless = request.raw.httpVersion === '1.1' && !request.headers.host
      done(isNameless ? badRequest(messages.host_header_missing()) : undefined)
    })
  })
  app.addHook('onResponse', (request, reply, done) => {
    logAccess(request, reply)
    done()
  })
  drainOnClose(app, limits, log.child({ logger: 'server' }))

  // SVC-08. No credentials: pages of other origins send their token in a header, and the cookie is for the service's own pages.
  await app.register(cors, {
    origin: config.cors_origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'If-Range', 'Range'],
      'X-Request-ID',
    ],
    exposedHeaders: [
      'X-Request-ID',
      'ETag',
      'Location',
      'Idempotency-Replayed',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'Content-Disposition',
      'Content-Range',
      'Accept-Ranges',
      'Repr-Digest',
      'X-Audit-Entries',
      'X-Audit-Sequence',
      'X-Audit-Checkpoint',
    ],
    maxAge: 600,
    strictPreflight: false,
  })
  await app.register(multipart)
  await describeApi(app, version)
  return app
}

/**
 * Answers invalid HTTP, too large a head, or too slow a request directly on the socket (ERR-01, RID-01). If the application has begun
 * with the request, this is its answer.
 */
function answerUnreadable(
  error: Error & { code?: string },
  socket: Socket,
  exchange: Exchange | undefined,
  access: Logger,
) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const { status, reason, body } = answerToParserError(error.code)
  const isOpen = exchange !== undefined && !exchange.response.writableFinished
  const request_id = isOpen ? exchange.request_id : newRequestId()
  if (isOpen && !exchange.response.headersSent) exchange.refused = status
  else {
    requestContext.run({ request_id }, () => {
      const client_addr = plainAddress(socket.remoteAddress ?? '')
      const fields = { http_method: '', path: '', status_code: status, client_addr }
      access.info(fields, `unreadable request ${status}`)
    })
  }
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    'x-content-type-options: nosniff',
    `x-request-id: ${request_id}`,
    'connection: close',
  ]
  // A second answer would end up in the middle of one that is being sent.
  const isAnswering = isOpen && exchange.response.headersSent
  if (socket.writable && !isAnswering) socket.write(`${head.join('\r\n')}\r\n\r\n${text}`)
}
