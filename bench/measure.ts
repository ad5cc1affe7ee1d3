import { join } from 'node:path'
import type { World } from '#test/world/world.ts'
import type { Place } from './installation.ts'
import type { Measured, Until } from './load.ts'
import { findPgbench, pgbench } from './pgbench.ts'
import { hasFastapi, load, processorTimeOf, startBare, startPeer } from './processes.ts'
import { first_given, type Replay, replaysOf } from './replay.ts'
import { askedOf, type Scenario } from './scenarios.ts'
import { median } from './service.ts'
import { exchangesDuring } from './statements.ts'

export interface Options {
  rounds: number
  until: Until
  connections: number
  /** For what is told to other processes. */
  folder: string
}

/** The medians of a contender's rounds; for a peer also its share of our speed, the median of the ratios of each round. */
export interface Figures extends Measured {
  processor_ms?: number
  ratio?: number
}
export interface Result {
  name: string
  statements?: number
  figures: Record<string, Figures>
  budget?: { peer: string; ratio: number; isKept: boolean }
}

type Contend = () => Promise<Measured & { processor_ms?: number }>
const distinct = 20
const once_each = 40

export async function measure(scenario: Scenario, { world, served, size }: Place, options: Options): Promise<Result> {
  const { name, by, once = false, peers = [], budget } = scenario
  const { connections, until, rounds, folder } = options
  const ask = async () => {
    const requests = await scenario.requests(
      world,
      size,
      once ? ('amount' in until ? until.amount : once_each) : distinct,
    )
    return Promise.all(requests.map(request => askedOf(world, by, request)))
  }
  const requests = await ask()
  const fire = async (url: string, pid: number, asked = requests) => {
    const before = processorTimeOf(pid)
    const measured = await load(folder, { url, connections, until, once, requests: asked })
    return {
      ...measured,
      ...(!once && { processor_ms: (processorTimeOf(pid) - before) / measured.count }),
    }
  }
  const contenders = new Map<string, Contend>([
    ['Attest', async () => fire(served.url, served.pid, once ? await ask() : requests)],
  ])
  const opened: { close(): Promise<void> }[] = []
  let statements: number | undefined
  try {
    if (peers.length > 0) {
      const replays = await record(world, scenario, await scenario.requests(world, size, distinct))
      statements = replays[0]!.flatMap(({ steps }) => steps).length
      const { app } = world.postgres
      if (peers.includes('bare')) {
        const { body } = await world.as(by).get(requests[0]!.path)
        const paths = [...new Set(requests.map(({ path }) => path.split('?')[0]!))]
        const answers = Object.fromEntries(paths.map(path => [path, { replays, body }]))
        const bare = await startBare(folder, { app, answers })
        opened.push(bare)
        contenders.set('bare', () => fire(bare.url, bare.pid))
      }
      const program = findPgbench()
      if (peers.includes('pgbench') && program)
        contenders.set('pgbench', () =>
          pgbench(program, replays, { app, connections, until, folder: join(folder, 'pgbench') }),
        )
      if (peers.includes('fastapi') && hasFastapi()) {
        const peer = await startPeer(app, world.people[by]!.tenant_id)
        opened.push(peer)
        contenders.set('fastapi', () => fire(peer.url, peer.pid))
      }
    }
    return { name, ...(statements && { statements }), ...(await contest(contenders, rounds, budget)) }
  } finally {
    for (const each of opened) await each.close()
  }
}

/** In turn, round by round. Of several, one before them does not count. */
async function contest(contenders: ReadonlyMap<string, Contend>, rounds: number, budget: Scenario['budget']) {
  const all = new Map([...contenders.keys()].map(key => [key, [] as Awaited<ReturnType<Contend>>[]]))
  for (let round = rounds > 1 ? -1 : 0; round < rounds; round++)
    for (const [key, contend] of contenders) {
      const measured = await contend()
      if (round >= 0) all.get(key)!.push(measured)
    }
  const ours = all.get('Attest')!
  const figures: Record<string, Figures> = {}
  for (const [key, measured] of all) {
    const of = (field: keyof Figures) => median(measured.map(each => (each as Figures)[field] ?? Number.NaN))
    figures[key] = {
      count: of('count'),
      per_second: of('per_second'),
      p50_ms: of('p50_ms'),
      p95_ms: of('p95_ms'),
      failed: measured.reduce((sum, { failed }) => sum + failed, 0),
      ...(measured[0]?.processor_ms !== undefined && { processor_ms: of('processor_ms') }),
      ...(key !== 'Attest' && {
        ratio: median(measured.map(({ per_second }, round) => ours[round]!.per_second / per_second)),
      }),
    }
  }
  const ratio = budget && figures[budget.peer]?.ratio
  return { figures, ...(ratio !== undefined && { budget: { ...budget!, isKept: ratio >= budget!.ratio } }) }
}

/** Records the statements of each request. The numbers that are given meanwhile are unlike all others. */
async function record(world: World, { by }: Scenario, requests: Awaited<ReturnType<Scenario['requests']>>) {
  const as = world.as(by)
  const send = ({ method, path, json }: (typeof requests)[number]) =>
    method === 'GET' ? as.get(path) : as.post(path, json)
  // The first also reads the account, which is then kept for a second, and makes the counters.
  await send(requests[0]!)
  await world.superuser.query(
    `select setval(id, greatest(${first_given}, pg_sequence_last_value(id))) from cast(pg_get_serial_sequence('deviations', 'id') as regclass) id;
     update counters set last = ${2 * first_given} where last < ${2 * first_given}`,
  )
  const replays: Replay[][] = []
  for (const request of requests) {
    let status = 0
    const exchanges = await exchangesDuring(async () => {
      const answer = await send(request)
      status = answer.statusCode
      if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${answer.body}`)
    })
    replays.push(replaysOf(exchanges))
  }
  return replays
}
