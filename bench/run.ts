// How fast the whole of Attest is, beside what PostgreSQL, Fastify and FastAPI do with the same on the same machine, in one run.
//
//   npm run bench -- [--size 100000] [--rounds 3] [--seconds 3] [--connections 8] [--only TEXT] [--quick] [--profile]
//
// So many documents and deviations, and ten times as many entries of the audit trail, are in one tenant. Contenders are asked in turn,
// round by round; a ratio is what is left of a peer's requests per second. `bare` is a bare Fastify handler with the same statements
// and no checks, `pgbench` PostgreSQL's own tool with the same statements, `fastapi` a plain service of FastAPI and SQLAlchemy.
// The report is printed as Markdown, and kept as that and as JSON in `.bench/`, where `history.jsonl` has a line of each run.
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { hashPassword, verifyPassword } from '#platform/crypto/password.ts'
import type { Size } from './fill.ts'
import { growth } from './growth.ts'
import { openPlaces, type Place, serve } from './installation.ts'
import { measure } from './measure.ts'
import { findPgbench } from './pgbench.ts'
import { hasFastapi } from './processes.ts'
import { profile } from './profile.ts'
import { commitNow, keep, machineNow, markdownOf, type Report } from './report.ts'
import { scenarios } from './scenarios.ts'
import { median, residentOf } from './service.ts'

const { values: given } = parseArgs({
  options: {
    size: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
})
const usual = given.quick
  ? { size: 200, few: 100, rounds: 1, seconds: 1 }
  : { size: 100_000, few: 1_000, rounds: 3, seconds: 3 }
const sizeOf = (records: number): Size => ({ documents: records, deviations: records, entries: 10 * records })
const many = sizeOf(Number(given.size ?? usual.size))
const rounds = Number(given.rounds ?? usual.rounds)
const seconds = Number(given.seconds ?? usual.seconds)
const connections = Number(given.connections)
const growth_rounds = given.quick ? 5 : 200
/** Longer than a process is idle before it gives memory back. */
const idle_after_ms = given.quick ? 0 : 130_000
const starts = given.quick ? 1 : 5
const hashes = 20
const profiled = ['list documents', 'read a document', 'report a deviation']
const chosen = scenarios.filter(({ name }) => name.includes(given.only))

/** Starts several services one after the other, each beside an idle one: the first is still busy with the preparation of its data. */
async function startOf({ world }: Place) {
  const times: number[] = []
  for (let n = 0; n < starts; n++) {
    const service = await serve(world)
    times.push(service.started_ms)
    await service.close()
  }
  return median(times)
}

/** The processor's time for one check, whoever else is at work. */
async function timeOfPassword() {
  const phc = await hashPassword('Correct horse 1 battery')
  const before = process.cpuUsage()
  for (let n = 0; n < hashes; n++) await verifyPassword(phc, 'Correct horse 1 battery')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / hashes
}

/** Progress of slow steps goes to stderr, beside the report. */
const say = (progress: string) => console.error(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${progress}`)

const folder = mkdtempSync(join(tmpdir(), 'attest-bench-'))
const places = await openPlaces(say)
const before = loadavg()[0]!
try {
  const large = await places.open(many)
  const small = given.only ? undefined : await places.open(sizeOf(usual.few))
  await setTimeout(idle_after_ms)
  const [version] = await large.world.rows<{ server_version: string }>('show server_version')
  const report: Report = {
    commit: commitNow(),
    at: new Date().toISOString(),
    ...machineNow(),
    postgresql: version!.server_version,
    load: [before],
    size: many,
    filled_s: large.filled_s,
    connections,
    rounds,
    seconds,
    started_ms: await startOf(large),
    idle_mib: residentOf(large.served.pid),
    password_ms: await timeOfPassword(),
    left_out: [
      ...(findPgbench() ? [] : ['pgbench is left out: it is not installed (apt install postgresql-15)']),
      ...(hasFastapi()
        ? []
        : [
            'FastAPI is left out: it is not installed (apt install python3-fastapi uvicorn python3-sqlalchemy python3-asyncpg)',
          ]),
    ],
    results: [],
    growth: small ? await growth(small, large, growth_rounds) : [],
    profiles: {},
  }
  for (const scenario of chosen) {
    say(scenario.name)
    report.results.push(await measure(scenario, large, { rounds, until: { seconds }, connections, folder }))
  }
  if (given.profile)
    for (const scenario of chosen.filter(({ name }) => given.only || profiled.includes(name)))
      report.profiles[scenario.name] = await profile(scenario, large, { connections, until: { seconds: 3 * seconds } })
  report.load.push(loadavg()[0]!)
  keep(report)
  console.log(markdownOf(report))
} finally {
  await places.close()
  rmSync(folder, { recursive: true, force: true })
}
