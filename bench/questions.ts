import type { AddressInfo } from 'node:net'
import { loadavg } from 'node:os'
import type { World } from '#test/world/world.ts'
import { percentile } from './service.ts'

export const loadNow = () =>
  `load ${loadavg()
    .map(load => load.toFixed(2))
    .join(' ')}`

/**
 * Prints how long each question takes over HTTP until its whole answer is there: one at a time, in turn with all others, after two
 * rounds that do not count. A question may be another one in each round.
 */
export async function timeQuestions(
  world: World,
  {
    by,
    below,
    questions,
    rounds,
  }: { by: string; below: string; questions: Record<string, string | ((round: number) => string)>; rounds: number },
) {
  await world.server.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(world.server.server.address() as AddressInfo).port}${below}`
  const headers = { authorization: `Bearer ${await world.tokenOf(by)}` }
  const times = new Map(Object.keys(questions).map(name => [name, [] as number[]]))
  console.log(`before: ${loadNow()}`)
  for (let round = -2; round < rounds; round++) {
    for (const [name, question] of Object.entries(questions)) {
      const path = typeof question === 'string' ? question : question(Math.max(0, round))
      const begun = performance.now()
      const reply = await fetch(`${address}${path}`, { headers })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${name}: ${reply.status} ${text}`)
      if (round >= 0) times.get(name)!.push(performance.now() - begun)
    }
  }
  console.log(`after: ${loadNow()}\n\n${'milliseconds'.padEnd(40)}     p50     p95`)
  for (const [name, taken] of times) {
    const sorted = taken.toSorted((a, b) => a - b)
    const of = (share: number) => percentile(sorted, share).toFixed(1).padStart(8)
    console.log(`${name.padEnd(40)}${of(0.5)}${of(0.95)}`)
  }
}
