// How long a search takes where a tenant has many documents, against the same statements on a connection of their own.
//
//   node bench/search.ts [--documents 10000,100000] [--rounds 40] [--connections 8] [--seconds 10]
//
// Each document has five pieces of text, and another tenant has a tenth as many beside. Each question goes over HTTP to the whole
// service, one at a time and in turn with all others, as somebody who reads what is effective and is trained on nothing; the statements
// that its searching transactions sent are then sent again as the same role. Milliseconds until the whole answer is there, and the
// median of PostgreSQL's processor time for it.
// Then all questions are asked in turn on several connections at once, of a service in a process of its own: its answers a second, and
// the milliseconds of processor time for each answer of the service and of PostgreSQL, which others on the machine hardly change.
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import type { World } from '#test/world/world.ts'
import { openBenchWorld, serve } from './installation.ts'
import { load, processorTimeOf, processorTimeOfThread } from './processes.ts'
import { loadNow } from './questions.ts'
import { askedOf } from './scenarios.ts'
import { pieces_each, type Seeded, seedDocuments, seedPieces } from './search-set/many.ts'
import { percentile } from './service.ts'
import { type Statement, statementsDuring } from './statements.ts'

const { values: given } = parseArgs({
  options: {
    documents: { type: 'string', default: '10000,100000' },
    rounds: { type: 'string', default: '40' },
    connections: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '10' },
  },
})
const sizes = given.documents.split(',').map(Number)
const rounds = Number(given.rounds)
const connections = Number(given.connections)
const seconds = Number(given.seconds)
const distinct = 40

type Question = (round: number) => string
interface Asked {
  name: string
  question: Question
  by: string
}
interface Times {
  http: number[]
  bare: number[]
  /** Processor time of PostgreSQL. */
  postgres: number[]
}

function questions({ rare }: Seeded, types: readonly number[], documents: number): Asked[] {
  const word: Question = round => rare[(round * 37) % rare.length]!
  const ask = (name: string, question: Question, { by = 'uma' } = {}) => ({
    name,
    question: (round: number) => `/api/search/?${question(round)}`,
    by,
  })
  const q = (text: string) => `q=${encodeURIComponent(text)}`
  const page = Math.min(50, Math.floor(documents / 200))
  return [
    ask('rare word', round => q(word(round))),
    ask('common word', () => q('batch')),
    ask('two words', () => q('batch deviation')),
    ask('common and rare word', round => q(`batch ${word(round)}`)),
    ask('question', () => q('how long does a clean vessel stay clean before it is used again')),
    ask('phrase', () => q('"quality assurance"')),
    ask('or, minus', () => q('autoclave or tunnel -batch')),
    ask('prefix', () => q('calib*')),
    ask('number', round => q(`sop ${1 + 8 * (round % 1000)}`)),
    ask('typo', () => q('enviromental calibraton')),
    ask('nothing found', () => q('xkqzjwv')),
    ask('filter: type', round => `${q('batch deviation')}&document_type=${types[round % types.length]}`),
    ask('filter: category', () => `${q('batch deviation')}&category=Engineering`),
    ask('filter: a month of dates', () => `${q('batch deviation')}&date_from=2020-03-01&date_to=2020-03-31`),
    ask('own drafts alone', () => `${q('batch')}&status=draft`, { by: 'anna' }),
    ask('reads drafts too', () => q('batch deviation'), { by: 'quinn' }),
    ask(`page ${page}`, () => `${q('batch')}&page=${page}`),
  ]
}

/** The transactions that search, from their beginning to their end, among all statements that were sent. */
function searching(sent: readonly Statement[]): Statement[] {
  const textOf = (statement: Statement) => (typeof statement === 'string' ? statement : statement.text)
  const transactions: Statement[][] = []
  for (const statement of sent) {
    if (/^begin/i.test(textOf(statement))) transactions.push([])
    transactions.at(-1)?.push(statement)
  }
  return transactions
    .filter(each => each.some(statement => /search_/.test(textOf(statement))))
    .flatMap(each => (/^commit/i.test(textOf(each.at(-1)!)) ? each : [...each, 'commit']))
}

async function seed(world: World, from: number, to: number) {
  const begun = performance.now()
  await seedDocuments(world, { owner: 'alan', from, to })
  await seedDocuments(world, { owner: 'rob', from: Math.ceil(from / 10), to: Math.floor(to / 10) })
  await world.superuser.query('vacuum analyze')
  await world.superuser.query('checkpoint')
  const [size] = await world.rows<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  )
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  console.log(`${to} documents, ${to * pieces_each} pieces: made in ${seconds} s, ${size!.size}; ${loadNow()}`)
}

const backendsOf = async (world: World) =>
  (
    await world.rows<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and usename = 'attest_app'",
    )
  ).map(({ pid }) => pid)

async function measure(world: World, asked: readonly Asked[], address: string): Promise<Map<string, Times>> {
  const bare = new pg.Client(world.postgres.app)
  await bare.connect()
  const times = new Map(asked.map(({ name }) => [name, { http: [], bare: [], postgres: [] } as Times]))
  for (let round = -2; round < rounds; round++) {
    for (const { name, question, by } of asked) {
      const headers = { authorization: `Bearer ${await world.tokenOf(by)}` }
      const pids = await backendsOf(world)
      const spent = () => pids.reduce((sum, pid) => sum + processorTimeOfThread(pid), 0)
      const before = spent()
      let http = 0
      const sent = await statementsDuring(async () => {
        const begun = performance.now()
        const reply = await fetch(`${address}${question(Math.max(0, round))}`, { headers })
        const text = await reply.text()
        http = performance.now() - begun
        if (!reply.ok) throw new Error(`${name}: ${reply.status} ${text}`)
      })
      const postgres = spent() - before
      const again = searching(sent)
      const begun = performance.now()
      for (const statement of again) await bare.query(statement as string)
      const of = times.get(name)!
      if (round < 0) continue
      of.http.push(http)
      of.bare.push(performance.now() - begun)
      of.postgres.push(postgres)
    }
  }
  await bare.end()
  return times
}

/** All questions in turn on several connections, after a second that does not count: a new connection plans its statements. */
async function measureMix(world: World, asked: readonly Asked[]) {
  const folder = mkdtempSync(join(tmpdir(), 'attest-bench-search-'))
  const served = await serve(world)
  try {
    const requests = await Promise.all(
      Array.from({ length: distinct }, (_, round) =>
        asked.map(({ question, by }) => askedOf(world, by, { method: 'GET', path: question(round) })),
      ).flat(),
    )
    const url = served.url
    await load(folder, { url, connections, until: { seconds: 2 }, requests })
    const backends = await backendsOf(world)
    const spent = () => ({
      service: processorTimeOf(served.pid),
      postgres: backends.reduce((sum, pid) => sum + processorTimeOf(pid), 0),
    })
    const before = spent()
    const measured = await load(folder, { url, connections, until: { seconds }, requests })
    const after = spent()
    const each = (of: 'service' | 'postgres') => column((after[of] - before[of]) / measured.count).trim()
    console.log(
      `\n${connections} connections: ${measured.per_second.toFixed(0)} answers/s, p50 ${measured.p50_ms.toFixed(0)} ms, p95 ${measured.p95_ms.toFixed(0)} ms, ${measured.failed} failed; ` +
        `processor time of an answer: service ${each('service')} ms, PostgreSQL ${each('postgres')} ms; ${loadNow()}`,
    )
  } finally {
    await served.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const shown = (numbers: readonly number[], share: number) =>
  percentile(
    numbers.toSorted((a, b) => a - b),
    share,
  )
const column = (number: number, digits = 1) => number.toFixed(digits).padStart(9)

function print(title: string, times: ReadonlyMap<string, Times>, before?: ReadonlyMap<string, Times>) {
  console.log(
    `\n${title.padEnd(28)}${['p50', 'p95', 'alone p50', 'p95', 'p95 ratio', 'PostgreSQL', before ? 'p50 growth' : ''].map(each => each.padStart(11)).join('')}`,
  )
  for (const [name, { http, bare, postgres }] of times) {
    const figures = [shown(http, 0.5), shown(http, 0.95), shown(bare, 0.5), shown(bare, 0.95)].map(each =>
      column(each).padStart(11),
    )
    const ratio = column(shown(http, 0.95) / shown(bare, 0.95), 2).padStart(11)
    const processor = column(shown(postgres, 0.5)).padStart(11)
    const earlier = before?.get(name)
    const growth = earlier ? column(shown(http, 0.5) / shown(earlier.http, 0.5)).padStart(11) : ''
    console.log(`${name.padEnd(28)}${figures.join('')}${ratio}${processor}${growth}`)
  }
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openBenchWorld()
try {
  const seeded = await seedPieces(world, sizes[0]! * pieces_each)
  await world.server.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(world.server.server.address() as AddressInfo).port}`
  const types = (
    await world.rows<{ id: string }>('select id from document_types where tenant_id = $1 order by id', [
      world.people.alan!.tenant_id,
    ])
  ).map(({ id }) => Number(id))
  let made = 0
  let before: Map<string, Times> | undefined
  for (const size of sizes) {
    await seed(world, made + 1, size)
    made = size
    const asked = questions(seeded, types, size)
    const times = await measure(world, asked, address)
    print(`${size} documents, ms`, times, before)
    await measureMix(world, asked)
    before = times
  }
  console.log(loadNow())
} finally {
  await world.close()
  await server.close()
}
