// The service at a share of what it can do, for as long as it is told, with a fault again and again; then everything that it has answered
// for is looked up, and what it holds is compared with what it held. Ends with 1 where a bound is broken.
//
//   npm run soak                                   an hour, a fault every five minutes
//   npm run soak -- --minutes 10 --every 1         ten minutes, a fault every minute
//   npm run soak -- --minutes 2 --only 'disk full'  the faults of this name alone
//
// Each fault comes at least once: in a short run the time between two of them is cut, and where that is not enough it lasts longer.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openSmtp } from '#test/fakes/smtp.ts'
import { mountSmallDisk, noSmallDisk } from '#test/faults/small-disk.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { median, percentile, residentOf } from '../../bench/service.ts'
import { type Answered, notTaken, openCompany, waitedTooLong } from './company.ts'
import { findingsOf } from './findings.ts'
import { slopeOf } from './slope.ts'
import { type Fault, faultsOf, openServer, untilWell } from './soak-faults.ts'
import { keepWorking, openJournal, workOnce } from './work.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    every: { type: 'string', default: '5' },
    share: { type: 'string', default: '0.3' },
    only: { type: 'string', default: '' },
  },
})
const [minutes, every, share] = [Number(values.minutes), Number(values.every), Number(values.share)]
const calibration_ms = 20_000
const sampled_every_ms = 10_000
const kinds = 4
const under_way_max = 50
const least_between_ms = 5_000
/** The time around a fault: the work before and after it. */
const around_ms = 4_000

/** In a shorter run, memory and latency say more about the beginning than about the time. */
const judged_from_minutes = 20
const bounds = {
  /** The wait for the database, beside the time of an answer without a fault. */
  waiting_ms: 10_000,
  heal_ms: 5_000,
  live_mib_per_hour: 8,
  descriptors: 20,
  drift: 1.2,
}

const folder = mkdtempSync(join(tmpdir(), 'attest-soak-'))
const disk = mountSmallDisk(folder, '2g')
if (!disk) console.log(`LEFT OUT: disk full: ${noSmallDisk}`)
const loop = join(folder, 'loop')
const server = await openServer(folder)
const smtp = await openSmtp()
const company = await openCompany({
  folder: join(folder, 'data'),
  database: server.superuser,
  environment: {
    ...urlsOf({
      app: { ...server.superuser, user: 'attest_app' },
      owner: { ...server.superuser, user: 'attest_owner' },
    }),
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'attest@example.com',
    LOOP_DELAY_FILE: loop,
  },
  program: ['--import', join(import.meta.dirname, 'loop-delay.ts'), 'src/main.ts', 'serve'],
})
const all = faultsOf({ company, server, smtp, disk: disk && folder })
const chosen = (faults: Fault[]) => faults.filter(({ name }) => name.includes(values.only))
const [ending, lasting] = [chosen(all.ending), chosen(all.lasting)]
if (ending.length + lasting.length === 0) throw new Error(`no fault is called ${values.only}`)
const journal = openJournal()
const broken: string[] = []
const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
const mustHold = (what: string, holds: boolean) => {
  say(`${holds ? 'ok    ' : 'BROKEN'} ${what}`)
  if (!holds) broken.push(what)
}

async function calibrate() {
  const until = performance.now() + calibration_ms
  let done = 0
  const worker = async (first: number) => {
    for (let kind = first; performance.now() < until; kind++) if (await workOnce(company, journal, kind)) done += 1
  }
  await Promise.all([0, 1, 2, 3].map(worker))
  return (done / calibration_ms) * 1000
}

/** The slowest answer where everybody who may be waiting begins at once, as they do when a database goes on. */
async function rush() {
  company.answers.length = 0
  await Promise.all(
    Array.from({ length: under_way_max + kinds }, (_, kind) => workOnce(company, journal, kind % kinds)),
  )
  return Math.max(...company.answers.map(({ took_ms }) => took_ms))
}

/** So many records a second, whoever waits; more than `under_way_max` at once are left out. */
function loadAt(rate: number) {
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  let unexpected: Error | undefined
  const run = async () => {
    for (let kind = 0; !stopping.signal.aborted; kind++) {
      await setTimeout(1000 / rate, undefined, { signal: stopping.signal }).catch(() => {})
      if (underWay.size >= under_way_max) continue
      const work: Promise<unknown> = workOnce(company, journal, kind % kinds)
        .catch(error => {
          unexpected ??= error
        })
        .finally(() => underWay.delete(work))
      underWay.add(work)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
    await Promise.all(underWay)
    return unexpected
  }
}

interface Sample {
  at: number
  rss_mib: number
  descriptors: number
}
const sample = (): Sample => {
  const pid = company.service().child.pid!
  return {
    at: performance.now(),
    rss_mib: residentOf(pid),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** Others work meanwhile as fast as they can, so that it meets requests of every kind. */
async function suffer(fault: Fault) {
  const over = new AbortController()
  const work = keepWorking(company, journal, over.signal, { at_once: kinds })
  await setTimeout(1_000)
  company.broken.clear()
  const { lines } = company.service()
  const begun = performance.now()
  await fault.begin()
  await setTimeout(fault.lasts_ms)
  await fault.end()
  const heal_ms = await untilWell(company)
  await setTimeout(1_000)
  over.abort()
  await work
  const answers = company.answers.filter(({ at, took_ms }) => at + took_ms > begun)
  const bySlowness = answers.toSorted((a, b) => b.took_ms - a.took_ms)
  const slowest = bySlowness[0]?.took_ms ?? 0
  const failed = answers.filter(({ status }) => status >= 500)
  if (fault.name === 'SIGTERM') {
    const cut = [...company.broken].filter(([code]) => !notTaken.includes(code))
    const late = waitedTooLong([...lines, ...company.service().lines])
    const errors = failed.filter(({ request_id }) => !late.has(request_id)).length
    mustHold(
      `SIGTERM: requests that were taken and not answered ${cut.map(String).join() || 0}, errors ${errors}, waits for a lock given up ${failed.length - errors}`,
      cut.length + errors === 0,
    )
  }
  // A caller with an answer waits for nobody; one without works on at the same time as all others who waited.
  const slowestTold = Math.max(0, ...failed.map(({ took_ms }) => took_ms))
  const isHeld =
    slowestTold <= bounds.waiting_ms + 2 * slowest_usual_ms &&
    slowest <= bounds.waiting_ms + 2 * Math.max(slowest_usual_ms, slowest_rushed_ms) &&
    heal_ms <= bounds.heal_ms
  mustHold(
    `${fault.name}: ${answers.length - failed.length} answers as usual, ${failed.length} told of it, slowest ${slowest.toFixed(0)} ms (${bySlowness[0]?.what}; without a fault ${slowest_usual_ms.toFixed(0)} ms), well ${heal_ms.toFixed(0)} ms after its end`,
    isHeld,
  )
  if (!isHeld || slowest > bounds.waiting_ms / 2 || (fault.name === 'SIGTERM' && failed.length > 0))
    explain([...bySlowness.slice(0, 5), ...failed.slice(0, 5)], [...new Set([...lines, ...company.service().lines])])
}

/** The answers that the client saw, beside the log of the service. */
function explain(answers: Answered[], lines: Record<string, unknown>[]) {
  for (const { what, status, took_ms, request_id } of answers) {
    say(`       ${what}: ${status} after ${took_ms.toFixed(0)} ms`)
    for (const { level, duration_ms, msg } of lines.filter(line => line.request_id === request_id))
      say(`         ${JSON.stringify({ level, msg, duration_ms })}`)
  }
}

const quiet_latencies: number[] = []
const samples: Sample[] = []
let slowest_usual_ms = 0
let slowest_rushed_ms = 0

try {
  await company.start()
  await company.logIn()
  for (let kind = 0; kind < kinds; kind++) await workOnce(company, journal, kind)
  company.answers.length = 0
  const most = await calibrate()
  slowest_usual_ms = Math.max(...company.answers.map(({ took_ms }) => took_ms))
  slowest_rushed_ms = await rush()
  const rate = most * share
  say(
    `${most.toFixed(1)} records a second at most, answers within ${slowest_usual_ms.toFixed(0)} ms, ${slowest_rushed_ms.toFixed(0)} ms of ${under_way_max + kinds} at once; ${rate.toFixed(1)} from now on, for ${minutes} minutes`,
  )
  const finish = loadAt(rate)
  const end = performance.now() + minutes * 60_000
  const quietUntil = async (until: number) => {
    while (performance.now() < until) {
      const from = performance.now()
      await setTimeout(Math.min(sampled_every_ms, Math.max(0, until - from)))
      samples.push(sample())
      const quiet = company.answers.filter(({ at }) => at >= from).map(({ took_ms }) => took_ms)
      quiet_latencies.push(...quiet)
      // Others may be at work on the machine: what is usual is what it was lately.
      slowest_usual_ms = Math.max(slowest_usual_ms, ...quiet)
      // In a run of an hour or more these would grow.
      company.answers.splice(0, company.answers.length - 1_000)
    }
  }
  // Faults that end the process come first: memory is compared over the life of the last one.
  for (const fault of ending) {
    await quietUntil(performance.now() + Math.min(every * 60_000, 20_000))
    await suffer(fault)
  }
  samples.length = 0
  quiet_latencies.length = 0
  for (let n = 0; n < lasting.length || (lasting.length > 0 && performance.now() + every * 60_000 < end); n++) {
    const ahead = lasting.slice(n).reduce((sum, { lasts_ms }) => sum + lasts_ms + around_ms, 0)
    const between = (end - performance.now() - ahead) / Math.max(1, lasting.length - n)
    await quietUntil(performance.now() + Math.min(every * 60_000, Math.max(least_between_ms, between)))
    await suffer(lasting[n % lasting.length]!)
  }
  await quietUntil(end)
  const unexpected = await finish()
  mustHold(`no other answer${unexpected ? `: ${unexpected.message}` : ''}`, !unexpected)
  judge()
  const { records, entries, orphans, ...wrong } = await findingsOf(company, journal)
  for (const [what, found] of Object.entries(wrong))
    mustHold(
      `${what} ${found.length}${found.length > 0 ? `: ${found.slice(0, 5).join('; ')}` : ''}`,
      found.length === 0,
    )
  say(`${records} answers looked up, ${entries} entries of the trail verified, ${orphans.length} files for the sweep`)
  mustHold(`SIGTERM ends it in order`, (await company.stop()) === 0)
} catch (error) {
  // A failure that ends the soak may keep something of it open, and the clearing up would fail by that.
  mustHold(`it goes on to its end: ${(error as Error).stack}`, false)
} finally {
  await company.close()
  await server.stop()
  await smtp.close()
  disk?.unmount()
  rmSync(folder, { recursive: true, force: true })
}
say(broken.length > 0 ? 'FAILED' : 'PASSED')
process.exitCode = broken.length > 0 ? 1 : 0

function judge() {
  if (samples.length < 3) return say('too short to compare memory and latency')
  // The samples of the last process alone, whose first third warms it up.
  const warm = samples.slice(Math.floor(samples.length / 3))
  const [first, last] = [warm[0]!, warm.at(-1)!]
  say(`resident ${first.rss_mib.toFixed(0)} MiB, at the end ${last.rss_mib.toFixed(0)} MiB`)
  const lines = readFileSync(loop, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { p99_ms: number; max_ms: number; live_mib: number })
    .slice(-warm.length)
  const hours = (last.at - first.at) / 3_600_000
  const slope = slopeOf(lines.map(({ live_mib }) => live_mib)) / hours
  mustHold(
    `live memory ${lines[0]!.live_mib.toFixed(1)} MiB, at the end ${lines.at(-1)!.live_mib.toFixed(1)} MiB: ${slope.toFixed(1)} MiB an hour`,
    slope <= bounds.live_mib_per_hour || minutes < judged_from_minutes,
  )
  mustHold(
    `descriptors ${first.descriptors}, at the end ${last.descriptors}`,
    last.descriptors <= first.descriptors + bounds.descriptors,
  )
  const third = Math.floor(quiet_latencies.length / 3)
  const [early, late] = [quiet_latencies.slice(0, third), quiet_latencies.slice(-third)].map(part =>
    part.toSorted((a, b) => a - b),
  ) as [number[], number[]]
  mustHold(
    `latency without a fault, median ${median(early).toFixed(0)} ms, in the last third ${median(late).toFixed(0)} ms (p99 ${percentile(early, 0.99).toFixed(0)} and ${percentile(late, 0.99).toFixed(0)} ms)`,
    median(late) <= median(early) * bounds.drift || minutes < judged_from_minutes,
  )
  say(
    `event loop late by ${median(lines.map(({ p99_ms }) => p99_ms)).toFixed(0)} ms (p99), ${Math.max(...lines.map(({ max_ms }) => max_ms)).toFixed(0)} ms at most`,
  )
}
