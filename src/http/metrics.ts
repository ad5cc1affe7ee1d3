import type { FastifyInstance } from 'fastify'
import type * as Prometheus from 'prom-client'
import type { Traffic } from './traffic.ts'

/** The status by which nginx logs a client that did not wait for its answer. */
const clientGone = 499

/** Counts requests by the template of their route, because the number of paths is unlimited. */
export function measureRequests(
  { Counter, Gauge, Histogram }: typeof Prometheus,
  registry: Prometheus.Registry,
  { app, traffic }: { app: FastifyInstance; traffic: Traffic },
) {
  const registers = [registry]
  const duration = new Histogram({
    name: 'attest_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const uploads = new Counter({
    name: 'attest_uploads_refused_total',
    help: 'Uploads answered 4xx',
    labelNames: ['status'] as const,
    registers,
  })
  const refused = new Counter({
    name: 'attest_http_requests_over_limit_total',
    help: 'Requests answered 503 because SERVER_LIMIT_CONCURRENCY were in flight',
    registers,
  })
  new Gauge({
    name: 'attest_http_requests_in_flight',
    help: 'Requests that are being answered',
    registers,
    collect() {
      this.set(traffic.inFlight())
    },
  })
  app.server.on('overLimit', () => refused.inc())
  app.addHook('onRequest', (request, reply, done) => {
    const { url: route = 'none', schema } = request.routeOptions
    reply.raw.once('close', () => {
      const status = reply.raw.headersSent ? reply.raw.statusCode : clientGone
      duration.observe(
        { method: request.method, route, status: `${Math.floor(status / 100)}xx` },
        reply.elapsedTime / 1000,
      )
      if (schema?.consumes && status >= 400 && status < 500) uploads.inc({ status })
    })
    done()
  })
}
