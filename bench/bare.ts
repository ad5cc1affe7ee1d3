// A bare Fastify handler that asks the database what Attest asked it for the same requests, in as many steps, and answers with a ready
// text: no authentication, permission, validation, serialisation or audit of its own. A process like that of the service. Its argument
// names a file with what it is told, as JSON; it prints where it listens.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import type { ClientConfig, PoolClient } from 'pg'
import { openPool } from '#platform/db/pool.ts'
import type { Replay, Step } from './replay.ts'

/** For each path one request of its own after the other, over and over. */
export interface BareTask {
  app: ClientConfig
  answers: Record<string, { replays: Replay[][]; body: string }>
}

const { app: login, answers }: BareTask = JSON.parse(readFileSync(process.argv[2]!, 'utf8'))
const pool = openPool(login, { info() {}, warn() {}, error: console.error })
const app = Fastify()
const bytes = (_request: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => done(null, body)
app.addContentTypeParser('*', { parseAs: 'buffer' }, bytes)
for (const [path, { replays, body }] of Object.entries(answers)) {
  let next = 0
  app.all(path, async (_request, reply) => {
    for (const replay of replays[next++ % replays.length]!) await send(replay)
    reply.header('content-type', 'application/json')
    return body
  })
}
await app.listen({ host: '127.0.0.1', port: 0 })
const address = app.server.address()
console.log(`http://127.0.0.1:${(address as { port: number }).port}`)

/** As the service sends it: the beginning ahead, and together what it sends together. */
async function send({ tenant_id, user_id, access, settings, steps, endsTogether }: Replay) {
  const client = await pool.connect()
  const binding = { tenant_id, user_id, ...(access === 'read write' && { transaction_id: randomUUID() }) }
  const bound = Object.entries(binding).map(([name, value]) => `set local app.${name} = '${value}'`)
  try {
    client.query([`begin ${access}`, ...bound, ...settings].join('; ')).catch(() => {})
    await sendAll(client, steps, { isCommitted: endsTogether })
    if (!endsTogether) await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function sendAll(client: PoolClient, steps: readonly Step[], { isCommitted }: { isCommitted: boolean }) {
  const answered: Record<string, unknown>[] = []
  let under_way: Promise<unknown>[] = []
  for (const [place, { text, name, values, isTogether }] of steps.entries()) {
    if (!isTogether) {
      await Promise.all(under_way)
      under_way = []
    }
    const sent = values.map(value =>
      value === null || typeof value === 'string'
        ? value
        : value.pieces.map(piece => (typeof piece === 'string' ? piece : answered[piece.step]![piece.column])).join(''),
    )
    const answer = client.query({ text, values: sent, ...(name && { name }) }).then(({ rows }) => {
      answered[place] = rows[0] ?? {}
    })
    under_way.push(answer)
  }
  if (isCommitted) under_way.push(client.query('commit'))
  await Promise.all(under_way)
}
