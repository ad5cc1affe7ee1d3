import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { badRequest, notFound } from '#kernel/errors.ts'
import type { Config } from '#platform/config.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import type { Tracker } from '#platform/error-tracking/tracker.ts'
import type { Logger } from '#platform/log/log.ts'
import { requestContext } from '#platform/log/request-context.ts'
import { answerToParserError, errorHandler, tracked } from './errors.ts'
import { describeApi } from './openapi.ts'
import { newRequestId, requestIdOf } from './request-id.ts'
import { outgoingFormats, validatorCompiler } from './validation.ts'
import './request.ts'

/** The edge without its routes: request id, errors, access line, description of the API. */
export async function createServer(
  config: Config,
  version: string,
  { log, tracker }: { log: Logger; tracker: Tracker },
): Promise<FastifyInstance> {
  const onError = errorHandler(createReport(log, tracker))
  const access = log.child({ logger: 'server.access' })
  const logAccess = (request: FastifyRequest, reply: FastifyReply) => {
    const fields = {
      http_method: request.method,
      path: request.raw.url,
      status_code: reply.statusCode,
      client_addr: request.ip,
      duration_ms: Math.round(reply.elapsedTime),
    }
    access.info(fields, `${request.method} ${request.raw.url} ${reply.statusCode}`)
  }
  /** The latest answer on each connection: while it is being sent, another must not get into the middle of it. */
  const answers = new WeakMap<Socket, ServerResponse>()
  const app = Fastify({
    logger: false,
    genReqId: request => requestIdOf(request.headers),
    requestIdHeader: false,
    bodyLimit: 1024 * 1024,
    requestTimeout: 600_000,
    keepAliveTimeout: 65_000,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    // Errors that Fastify meets before any hook: the same shape and the same header (RID-01).
    frameworkErrors: (error, request, reply) =>
      requestContext.run({ request_id: request.id }, () => {
        onError(error, request, reply)
        logAccess(request, reply)
      }),
    clientErrorHandler(error, socket) {
      const latest = answers.get(socket)
      const isAnswering = (latest?.headersSent ?? false) && !latest?.writableFinished
      answerUnreadable(error, socket, { access, isAnswering })
    },
    // Our formats say what may come in; what goes out is written as it is.
    serializerOpts: { ajv: { formats: outgoingFormats } },
    // Node would answer a request without a Host by itself, without a request id: see the first hook.
    http: { requireHostHeader: false },
  })
  // Nor is an expectation that nobody knows a reason for Node to answer by itself (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  // Text that is sent as such is no JSON, and nothing here takes anything else of that kind.
  app.removeContentTypeParser('text/plain')
  app.decorateRequest('actor', undefined)
  app.setValidatorCompiler(validatorCompiler)
  app.setErrorHandler(onError)
  app.setNotFoundHandler((request, reply) => onError(notFound('This path'), request, reply))

  app.addHook('onRequest', (request, reply, done) => {
    answers.set(request.raw.socket, reply.raw)
    reply.header('x-request-id', request.id)
    requestContext.run({ request_id: request.id }, () => {
      const isNameless = request.raw.httpVersion === '1.1' && !request.headers.host
      done(isNameless ? badRequest('The request has no Host header') : undefined)
    })
  })
  app.addHook('onResponse', (request, reply, done) => {
    logAccess(request, reply)
    tracker.trace(tracked(request), { status: reply.statusCode, duration_ms: reply.elapsedTime })
    done()
  })

  // Keep-alive connections would hold a stopping server open for as long as their clients like.
  let isClosing = false
  app.addHook('preClose', done => {
    isClosing = true
    const timer = setInterval(() => app.server.closeIdleConnections(), 50)
    app.server.once('close', () => clearInterval(timer))
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })

  await app.register(cors, {
    origin: config.cors_origins,
    exposedHeaders: ['X-Request-ID', 'ETag', 'Location', 'Content-Disposition'],
    strictPreflight: false,
  })
  await app.register(multipart)
  await describeApi(app, version)
  return app
}

/** What is no HTTP, too large a head, or too slow: no request exists, so the answer goes to the socket (ERR-01, RID-01). */
function answerUnreadable(
  error: Error & { code?: string },
  socket: Socket,
  { access, isAnswering }: { access: Logger; isAnswering: boolean },
) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const { status, reason, detail } = answerToParserError(error.code)
  const request_id = newRequestId()
  requestContext.run({ request_id }, () => {
    const fields = { http_method: '', path: '', status_code: status, client_addr: socket.remoteAddress ?? '' }
    access.info(fields, `unreadable request ${status}`)
  })
  const body = JSON.stringify({ detail })
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${request_id}`,
    'connection: close',
  ]
  if (socket.writable && !isAnswering) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
