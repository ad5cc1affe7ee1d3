// The cost that the edge adds to a request: one route, on bare Fastify and behind each further layer of ours, without a database, all in
// one run.
//
//   node bench/edge.ts [--seconds 3] [--rounds 5]
//
// One connection, one request after the other: what is compared is the time of one, not what many are served.
import { createSecretKey } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { createServer } from '#http/server.ts'
import { validatorCompiler } from '#http/validation.ts'
import { readConfig } from '#platform/config.ts'
import { issueToken, tokenReader } from '#platform/crypto/jwt.ts'
import { noTracker } from '#platform/error-tracking/tracker.ts'
import { createLog } from '#platform/log/log.ts'

const { values: given } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '5' } },
})
const seconds = Number(given.seconds)
const rounds = Number(given.rounds)

const schema = {
  querystring: Type.Object(
    { page: Type.Integer({ minimum: 1, default: 1 }), q: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
}
const answer = { items: [{ id: 1, title: 'Procedure', status: 'draft' }], total: 1 }
const handler = async () => answer
const key = createSecretKey(Buffer.alloc(32, 7))
const read = tokenReader(key)
const now = new Date()
const token = await issueToken(
  key,
  { sub: '7', tid: 2, auth_time: Math.floor(now.getTime() / 1000), amr: ['pwd'], ver: 1 },
  { lifetime_seconds: 28_800, now },
)

const ours = (level: string) => {
  const config = readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-edge', LOG_LEVEL: level })
  const log = createLog({ format: 'json', level: config.log_level, write: () => {} })
  return createServer(config, '1.0.0', { log, tracker: noTracker })
}
const bare = () => Fastify()
const layers: [string, () => Promise<FastifyInstance> | FastifyInstance, (app: FastifyInstance) => void][] = [
  ['bare Fastify', bare, app => app.get('/api/things', handler)],
  ['edge, access lines hidden', () => ours('warning'), app => app.get('/api/things', handler)],
  ['edge with its access line', () => ours('info'), app => app.get('/api/things', handler)],
  ['... and validation', () => ours('info'), app => app.get('/api/things', { schema, validatorCompiler }, handler)],
  [
    '... and the check of a token',
    () => ours('info'),
    app =>
      app.get(
        '/api/things',
        {
          schema,
          validatorCompiler,
          onRequest: async asked => {
            await read(asked.headers.authorization!.slice(7), new Date())
          },
        },
        handler,
      ),
  ],
]

const running = []
for (const [name, make, addRoute] of layers) {
  const app = await make()
  addRoute(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  running.push({ name, app, port: (app.server.address() as AddressInfo).port, times: [] as number[] })
}
for (let round = 0; round <= rounds; round++) {
  // In turn, so that whatever else the machine does falls on all of them; the first round only warms up.
  for (const each of running) {
    const times = await measure(each.port, round === 0 ? 1 : seconds / rounds)
    if (round > 0) each.times.push(...times)
  }
}
const [first] = running.map(({ times }) => percentiles(times))
for (const { name, app, times } of running) {
  const { p50, p95 } = percentiles(times)
  const added = `+${(p50 - first!.p50).toFixed(0)} / +${(p95 - first!.p95).toFixed(0)}`
  console.log(
    `${name.padEnd(30)} p50 ${p50.toFixed(0).padStart(4)} µs  p95 ${p95.toFixed(0).padStart(4)} µs  ${added} µs, ${times.length} requests`,
  )
  await app.close()
}

function percentiles(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: sorted[Math.floor(sorted.length * 0.5)]!, p95: sorted[Math.floor(sorted.length * 0.95)]! }
}

/** The microseconds of each request. */
async function measure(port: number, for_seconds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const options = {
    port,
    host: '127.0.0.1',
    path: '/api/things?page=2',
    headers: { authorization: `Bearer ${token}` },
    agent,
  }
  const times: number[] = []
  const end = performance.now() + for_seconds * 1000
  while (performance.now() < end) {
    const begun = performance.now()
    await new Promise<void>((done, failed) => {
      request(options, response => {
        if (response.statusCode !== 200) failed(new Error(`answered ${response.statusCode}`))
        response.resume().on('end', done)
      })
        .on('error', failed)
        .end()
    })
    times.push((performance.now() - begun) * 1000)
  }
  agent.destroy()
  return times
}
