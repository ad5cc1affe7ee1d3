// How many small uploads a second are taken, what each costs of processors, and how fast others read beside them and beside the reading of
// their texts.
//
//   node bench/uploads.ts [--uploads 300] [--rounds 3] [--connections 8] [--no-texts]
//
// Uploads of one type and one tenant wait for each other's number. Milliseconds of processors count whoever else is busy, requests a second do
// not: compare two states of the program by the first. Files and database are in TMPDIR, and the test server does not sync: put
// TEST_DATABASE_URL to a server that does, and TMPDIR on a disk, for what a disk allows.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openPlaces } from './installation.ts'
import type { Until } from './load.ts'
import { load } from './processes.ts'
import { loadNow } from './questions.ts'
import { askedOf, scenarios } from './scenarios.ts'

const { values: given } = parseArgs({
  options: {
    uploads: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
    'no-texts': { type: 'boolean', default: false },
  },
})
const amount = Number(given.uploads)
const rounds = Number(given.rounds)
const connections = Number(given.connections)
const readers = 4
const read_s = 4

/** Of a process, in milliseconds: its own time, and that of its children that have ended. */
function timesOf(pid: string) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const sum = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * 10
    return { parent: fields[1]!, own: sum(11), children: sum(13) }
  } catch {
    return undefined // it has just ended
  }
}

const folder = mkdtempSync(join(tmpdir(), 'attest-uploads-'))
const places = await openPlaces(() => {})
try {
  const place = await places.open({ documents: 200, deviations: 20, entries: 200 })
  const { world, served, size } = place
  const [server] = readFileSync(join(world.postgres.app.host!, '.s.PGSQL.5432.lock'), 'latin1').split('\n')
  const processors = () => {
    const [service, postgres] = [timesOf(String(served.pid))!, timesOf(server!)!]
    const found = { service: service.own, postgres: postgres.own + postgres.children, readers: service.children }
    for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      const each = timesOf(pid)
      if (!each) continue
      if (each.parent === server) found.postgres += each.own
      if (each.parent === String(served.pid)) found.readers += each.own
    }
    return found
  }
  const asked = async (name: string) => {
    const scenario = scenarios.find(each => each.name === name)!
    return Promise.all((await scenario.requests(world, size, 20)).map(request => askedOf(world, scenario.by, request)))
  }
  const [uploads, reads] = [await asked('upload a document'), await asked('read a document')]
  const read = (until: Until = { seconds: read_s }) =>
    load(folder, { url: served.url, connections: readers, until, requests: reads })
  const waiting = async () =>
    Number((await world.rows<{ n: string }>(`select count(*) as n from document_texts where status = 'waiting'`))[0]!.n)
  await read()

  for (let round = 0; round < rounds; round++) {
    console.log(`\nround ${round + 1}; ${loadNow()}`)
    const alone = await read()
    let before = processors()
    const told = (what: string, count: number) => {
      const now = processors()
      const each = (name: keyof typeof now) => `${name} ${((now[name] - before[name]) / count).toFixed(1)}`
      console.log(`${what}: ms of processors for each: ${each('service')}, ${each('postgres')}, ${each('readers')}`)
      before = now
    }
    const { per_second, p50_ms, p95_ms, failed } = await load(folder, {
      ...{ url: served.url, connections, until: { amount }, requests: uploads },
    })
    if (failed > 0) throw new Error(`${failed} uploads failed`)
    told(`${per_second.toFixed(0)} uploads a second, p50 ${p50_ms.toFixed(0)} ms, p95 ${p95_ms.toFixed(0)} ms`, amount)
    const unread = await waiting()
    if (!given['no-texts']) {
      const beside = await read()
      const texts = unread - (await waiting())
      told(`${(texts / read_s).toFixed(1)} texts a second beside reads`, texts)
      console.log(
        `reads a second: ${alone.per_second.toFixed(0)} alone, ${beside.per_second.toFixed(0)} beside the reading of texts (${(beside.per_second / alone.per_second).toFixed(2)})`,
      )
    }
    before = processors()
    const begun = performance.now()
    const left = await waiting()
    for (let n = left; n > Math.max(0, left - 40); n = await waiting()) await setTimeout(100)
    const texts = left - (await waiting())
    told(`${((texts * 1000) / (performance.now() - begun)).toFixed(1)} texts a second alone`, texts)
  }
} finally {
  await places.close()
  rmSync(folder, { recursive: true, force: true })
}
