import type { Place } from './installation.ts'
import { scenarios } from './scenarios.ts'
import { median, percentile } from './service.ts'

export interface Growth {
  name: string
  few_p50_ms: number
  many_p50_ms: number
  many_p95_ms: number
  /** The median of two requests that follow each other. */
  times: number
}

const names = [
  'list documents',
  'read a document',
  'list deviations',
  'read a deviation',
  'list the audit trail',
  'read an audit entry',
]

/** How much longer who works alone waits where a tenant has many records than where it has few: one request each, in turn. */
export async function growth(few: Place, many: Place, rounds: number): Promise<Growth[]> {
  const found: Growth[] = []
  for (const { name, by, requests } of scenarios.filter(each => names.includes(each.name))) {
    const [askFew, askMany] = await Promise.all(
      [few, many].map(async ({ world, served, size }) => {
        const paths = (await requests(world, size, rounds)).map(({ path }) => path)
        const headers = { authorization: `Bearer ${await world.tokenOf(by)}` }
        return async (round: number) => {
          const begun = performance.now()
          const answer = await fetch(`${served.url}${paths[Math.max(0, round) % paths.length]}`, { headers })
          const text = await answer.text()
          if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text}`)
          return performance.now() - begun
        }
      }),
    )
    const times: { few: number; many: number }[] = []
    for (let round = -5; round < rounds; round++) {
      const pair = { few: await askFew!(round), many: await askMany!(round) }
      if (round >= 0) times.push(pair)
    }
    const manys = times.map(({ many }) => many)
    found.push({
      name,
      few_p50_ms: median(times.map(({ few }) => few)),
      many_p50_ms: median(manys),
      many_p95_ms: percentile(
        manys.toSorted((a, b) => a - b),
        0.95,
      ),
      times: median(times.map(({ few, many }) => many / few)),
    })
  }
  return found
}
