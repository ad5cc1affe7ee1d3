// The load of one measurement, in a process of its own so that it takes no time from the server's. Its argument names a file that says
// what to ask, as JSON; it prints how long that took.
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import { usualLimits } from '../src/http/limits.ts'
import { percentile } from './service.ts'

export interface Asked {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  /** Base64. */
  body?: string
}

export interface Load {
  url: string
  connections: number
  requests: Asked[]
  /** So long, or so many, however long that takes. */
  until: Until
  /** Each request is sent once. */
  once?: boolean
}

export type Until = { seconds: number } | { amount: number }

export interface Measured {
  count: number
  per_second: number
  p50_ms: number
  p95_ms: number
  failed: number
}

const {
  url,
  connections,
  until,
  requests: asked,
  once = false,
}: Load = JSON.parse(readFileSync(process.argv[2]!, 'utf8'))
const requests = asked.map(({ body, ...request }) => ({
  ...request,
  ...(body && { body: Buffer.from(body, 'base64') }),
}))
let next = 0
const times: number[] = []
const begun = performance.now()
// autocannon looks only once a second whether an amount is reached.
let last = begun
let failure = ''
const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>()
const options: autocannon.Options = {
  url,
  connections: once ? Math.min(connections, requests.length) : connections,
  ...(once ? { amount: requests.length } : 'amount' in until ? until : { duration: until.seconds }),
  requests: once ? [{ setupRequest: request => ({ ...request, ...requests[next++ % requests.length] }) }] : requests,
  timeout: 120,
  // A connection that the service closes, autocannon opens anew: and counts each later time of it from one request too early.
  ...(!once && { reconnectRate: usualLimits.requests_per_connection - 1 }),
}
const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
run.on('response', (_client, status, _bytes, took_ms) => {
  times.push(took_ms)
  last = performance.now()
  if (status >= 300) failure = `answered ${status}`
})
const { non2xx, errors } = await promise
const took_s = (last - begun) / 1000
times.sort((a, b) => a - b)
if (failure) console.error(`${requests[0]!.method} ${requests[0]!.path}: ${failure}`)
console.log(
  JSON.stringify({
    count: times.length,
    per_second: times.length / took_s,
    p50_ms: percentile(times, 0.5),
    p95_ms: percentile(times, 0.95),
    failed: non2xx + errors,
  } satisfies Measured),
)
