import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Log } from '../log/log.ts'

/** GET /metrics on a port of its own, because the figures are not for everybody (AUTH-06). Rejects if the port is taken. */
export async function listenForScrapes(
  { host, port }: NonNullable<Config['metrics']>,
  { contentType, render, log }: { contentType: string; render: () => Promise<string>; log: Log },
) {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(text)
    request.resume()
    if (request.url?.split('?')[0] !== '/metrics') return answer(404, 'There is nothing but /metrics here\n')
    if (request.method !== 'GET') return answer(405, 'Metrics are read by GET\n')
    render().then(
      text => answer(200, text, contentType),
      (error: Error) => {
        log.warn(`metrics could not be collected: ${error.message}`)
        answer(503, 'The metrics could not be collected\n')
      },
    )
  })
  server.maxConnections = 32
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  log.info(`metrics at http://${host}:${address.port}/metrics`)
  // The listener does not keep the process alive.
  server.unref()
  return {
    port: address.port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** In the primary process: the figures of all processes, aggregated as each metric says. */
export async function metricsOfWorkers() {
  const { AggregatorRegistry } = await import('prom-client')
  const all = new AggregatorRegistry()
  return { contentType: all.contentType, render: () => all.clusterMetrics() }
}

/** In a worker process: sends its figures to the primary one, which Prometheus scrapes. */
export async function giveMetricsToPrimary(registry: Registry) {
  const { AggregatorRegistry } = await import('prom-client')
  AggregatorRegistry.setRegistries([registry])
  new AggregatorRegistry()
}
