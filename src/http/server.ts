import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance } from 'fastify'
import { notFound } from '#kernel/errors.ts'
import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/log/log.ts'
import { requestContext } from '#platform/log/request-context.ts'
import { errorHandler } from './errors.ts'
import { describeApi } from './openapi.ts'
import { requestIdOf } from './request-id.ts'
import { validatorCompiler } from './validation.ts'
import './request.ts'

/** The edge without its routes: request id, errors, access line, description of the API. */
export async function createServer(config: Config, version: string, log: Logger): Promise<FastifyInstance> {
  const onError = errorHandler(log)
  const app = Fastify({
    logger: false,
    genReqId: request => requestIdOf(request.headers),
    requestIdHeader: false,
    bodyLimit: 1024 * 1024,
    requestTimeout: 600_000,
    keepAliveTimeout: 65_000,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    // Errors that Fastify meets before any hook: the same shape and the same header (RID-01).
    frameworkErrors: (error, request, reply) => onError(error, request, reply),
  })
  app.decorateRequest('actor', undefined)
  app.setValidatorCompiler(validatorCompiler)
  app.setErrorHandler(onError)
  app.setNotFoundHandler((request, reply) => onError(notFound('This path'), request, reply))

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    requestContext.run({ request_id: request.id }, done)
  })
  const access = log.child({ logger: 'server.access' })
  app.addHook('onResponse', (request, reply, done) => {
    const fields = {
      http_method: request.method,
      path: request.raw.url,
      status_code: reply.statusCode,
      client_addr: request.ip,
      duration_ms: Math.round(reply.elapsedTime),
    }
    access.info(fields, `${request.method} ${request.raw.url} ${reply.statusCode}`)
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
