// How long after its commit an entry of the audit trail is sealed, while a service writes at a steady rate. The budget is two seconds at p99.
//
//   node bench/sealing-lag.ts [--rates 1,20,100] [--seconds 30]
//
// For each rate (changes a second, over HTTP): the time from the answer to a change until its entry could be read with its place, looked for
// every 20 ms; and the same from when it was asked for, which is never less than the lag from its commit.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { loadNow } from './questions.ts'
import { openService, percentile } from './service.ts'

const { values: given } = parseArgs({
  options: { rates: { type: 'string', default: '1,20,100' }, seconds: { type: 'string', default: '30' } },
})
const seconds = Number(given.seconds)
const looked_every_ms = 20
const page_size = 100

interface Page {
  items: { seq: number | null; request_id: string }[]
}
interface Change {
  asked: number
  answered?: number
  sealed?: number
}

const service = await openService(mkdtempSync(join(tmpdir(), 'attest-bench-sealing-')))
try {
  console.log(`milliseconds; ${loadNow()}`)
  console.log(
    `${'changes a second'.padEnd(18)}${'done'.padStart(6)}   ${'from the answer: p50, p99, most'.padEnd(34)}from the request: p50, p99, most`,
  )
  for (const rate of given.rates.split(',').map(Number)) await measure(rate)
} finally {
  await service.close()
}

async function measure(rate: number) {
  const changes = new Map<string, Change>()
  let place = (await list('sort=seq:desc')).items.reduce((most, { seq }) => Math.max(most, seq ?? 0), 0)
  const makes: Promise<void>[] = []
  const watching = new AbortController()
  const watch = (async () => {
    while (!watching.signal.aborted) {
      const { items } = await list(`sort=seq:asc&seq_from=${place + 1}`)
      for (const { seq, request_id } of items) {
        place = seq ?? place
        const change = changes.get(request_id)
        if (change) change.sealed ??= performance.now()
      }
      if (items.length < page_size) await setTimeout(looked_every_ms)
    }
  })()
  const begun = performance.now()
  for (let n = 0; n < rate * seconds; n++) {
    await setTimeout(Math.max(0, begun + (n * 1000) / rate - performance.now()))
    makes.push(make(`sealing-lag-${rate}-${n}`, changes))
  }
  await Promise.all(makes)
  const all = [...changes.values()]
  for (const end = performance.now() + 60_000; all.some(({ sealed }) => sealed === undefined); ) {
    if (performance.now() > end) throw new Error('a minute after the last change some are not sealed')
    await setTimeout(looked_every_ms)
  }
  watching.abort()
  await watch
  const figures = (from: 'asked' | 'answered') => {
    const lags = all.map(change => Math.max(0, change.sealed! - change[from]!)).sort((a, b) => a - b)
    return [percentile(lags, 0.5), percentile(lags, 0.99), lags.at(-1)!]
  }
  const shown = (lags: number[]) => lags.map(lag => lag.toFixed(0).padStart(6)).join(' ')
  console.log(
    `${String(rate).padEnd(18)}${String(all.length).padStart(6)}   ${shown(figures('answered')).padEnd(34)}${shown(figures('asked'))}`,
  )
}

/** The service names what it records by the id of the request. */
async function make(id: string, changes: Map<string, Change>) {
  const change: Change = { asked: performance.now() }
  changes.set(id, change)
  await service.post('/groups/', { name: `Group ${id}` }, { 'x-request-id': id })
  change.answered = performance.now()
}

async function list(query: string): Promise<Page> {
  return (await (await service.get(`/audit/?page_size=${page_size}&${query}`)).json()) as Page
}
