// How much of what Fastify and PostgreSQL could do is left when every request goes through the whole of Attest: authentication,
// permission, tenant's transaction, row security, validation, serialisation, audit entry and guard.
//
//   npm run bench -- [--documents 10000] [--seconds 5] [--rounds 3] [--connections 8]
//
// The peer is a bare Fastify handler in a process like ours that sends the same statements with the same values to the same
// database and answers with a ready text. Both are measured in turn, round by round, and the medians are compared.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { openPool } from '#platform/db/pool.ts'
import { addPeople } from '#test/people.ts'
import { openTestServer } from '#test/postgres.ts'
import { openWorld, type World } from '#test/world.ts'
import { type Statement, statementsDuring } from './statements.ts'

const { values: given } = parseArgs({
  options: {
    documents: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
  },
})
const documents = Number(given.documents)
const seconds = Number(given.seconds)
const rounds = Number(given.rounds)
const connections = Number(given.connections)
const addresses = new WeakMap<object, string>()

type Request = { method: 'GET' | 'PUT'; path: string; body?: object }
interface Measured {
  per_second: number
  p50_ms: number
  p97_ms: number
  failed: number
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
const folder = mkdtempSync(join(tmpdir(), 'attest-bench-'))
try {
  await fill(world, documents)
  await measure('GET /api/documents/ (20 of a page, with the total)', [{ method: 'GET', path: '/api/documents/' }])
  const ids = Array.from({ length: 50 }, (_, index) => 1 + Math.floor((index * documents) / 50))
  await measure(
    'GET /api/documents/{id}',
    ids.map(id => ({ method: 'GET', path: `/api/documents/${id}` })),
  )
  await measure(
    'PUT /api/documents/{id} (metadata, with its audit entry)',
    ids.map(id => ({
      method: 'PUT',
      path: `/api/documents/${id}`,
      body: { description: `Described for the measurement of ${id}` },
    })),
  )
} finally {
  await world.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Drafts of the SOP type, by statement: what is measured is the reading and the changing of them. */
async function fill({ superuser, people }: World, count: number) {
  const alan = people.alan!
  await superuser.query("set session_replication_role = replica; set app.tenant_id = '2'")
  await superuser.query(
    `with types as (select id, workflow_template_id from document_types where tenant_id = $1 and name = 'SOP'),
      made as (insert into documents (tenant_id, number, document_type_id, owner_id, created_by, updated_by)
        select $1, 'SOP-' || lpad(n::text, 6, '0'), types.id, $2, $2, $2 from types, generate_series(1, $3) n returning id, number),
      versions as (insert into document_versions (tenant_id, document_id, major, minor, change_type, title, category, keywords, file_key, file_name, file_size,
          content_type, sha256, workflow_template_id, workflow_template_version, status, status_kind, created_by)
        select $1, made.id, 1, 0, 'major', 'Procedure ' || made.number, 'Quality', '{cleaning,line}', 'none/' || made.number, 'procedure.pdf', 1000,
          'application/pdf', repeat('0', 64), types.workflow_template_id, 1, 'draft', 'initial', $2 from made, types returning id, document_id)
      select count(*) from versions`,
    [alan.tenant_id, alan.id, count],
  )
  await superuser.query(
    'update documents d set latest_version_id = v.id from document_versions v where v.document_id = d.id',
  )
  await superuser.query('reset session_replication_role')
  await superuser.query('vacuum analyze')
  await superuser.query('checkpoint')
  console.log(`${count} documents in the tenant, ${connections} connections, ${rounds} rounds of ${seconds} s`)
}

/** The statements that one request sends. */
const statementsOf = (request: Request) =>
  statementsDuring(async () => {
    const quinn = world.as('quinn')
    const answer =
      request.method === 'GET' ? await quinn.get(request.path) : await quinn.put(request.path, request.body)
    if (answer.statusCode !== 200)
      throw new Error(`${request.method} ${request.path}: ${answer.statusCode} ${answer.body}`)
  })

async function measure(name: string, requests: Request[]) {
  // The first one also reads the account, which is then kept for a second.
  await statementsOf(requests[0]!)
  const statements: Statement[][] = []
  for (const request of requests) statements.push(await statementsOf(request))
  const authorization = `Bearer ${await world.tokenOf('quinn')}`
  const ours = await listen(world.server)
  const bare = await bareServer(statements)
  const theirs = await listen(bare.app)
  const asked = requests.map(({ method, path, body }) => ({
    method,
    path,
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }))
  const found = { ours: [] as Measured[], bare: [] as Measured[] }
  for (let round = 0; round < rounds; round++) {
    found.bare.push(await load(theirs, asked))
    found.ours.push(await load(ours, asked))
  }
  await bare.close()
  const [our, their] = [median(found.ours), median(found.bare)]
  console.log(`\n${name}: ${statements.at(-1)!.length} statements`)
  console.log(`  bare Fastify  ${line(their)}`)
  console.log(`  Attest        ${line(our)}`)
  console.log(`  ratio         ${(our.per_second / their.per_second).toFixed(2)}`)
}

function line({ per_second, p50_ms, p97_ms, failed }: Measured) {
  return `${per_second.toFixed(0).padStart(6)} requests/s, p50 ${p50_ms} ms, p97.5 ${p97_ms} ms${failed > 0 ? `, ${failed} FAILED` : ''}`
}

function median(all: Measured[]) {
  return all.toSorted((a, b) => a.per_second - b.per_second)[Math.floor(all.length / 2)]!
}

async function listen(app: {
  listen(options: { host: string; port: number }): Promise<string>
  server: { address(): unknown }
}) {
  const known = addresses.get(app)
  if (known) return known
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  addresses.set(app, url)
  return url
}

/** Sends what ours sends, as ours sends it: the beginning ahead, and of a read the end too. */
async function bareServer(sets: Statement[][]) {
  const pool = openPool(world.postgres.app, { info() {}, warn() {}, error: console.error })
  const app = Fastify()
  let next = 0
  const answer = JSON.stringify({
    items: Array.from({ length: 20 }, (_, id) => ({ id, title: 'Procedure', status: 'draft' })),
  })
  const handler = async () => {
    const [begin, ...rest] = sets[next++ % sets.length]!
    const isRead = (begin as string).startsWith('begin read only')
    const client = await pool.connect()
    try {
      client.query(begin as string).catch(() => {})
      for (const statement of isRead ? rest.slice(0, -1) : rest) await client.query(statement as string)
      if (isRead) client.query('commit').catch(() => {})
    } finally {
      client.release()
    }
    return answer
  }
  app.get('/*', handler)
  app.put('/*', handler)
  return {
    app,
    close: async () => {
      await app.close()
      await pool.end()
    },
  }
}

async function load(url: string, requests: object[]): Promise<Measured> {
  const child = spawn(
    process.execPath,
    [new URL('load.ts', import.meta.url).pathname, JSON.stringify({ url, connections, seconds, requests })],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  return JSON.parse(text)
}
