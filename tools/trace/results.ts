import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const outcomes = ['failed', 'not run', 'skipped', 'passed'] as const
export type Outcome = (typeof outcomes)[number]

/** The result of one test or suite, as node:test told of it; a line of JSON each. */
export interface Result {
  file: string
  line: number
  outcome: Exclude<Outcome, 'not run'>
  seconds: number
  server: string
}
/** The last run of `npm test`, as a whole. */
export interface LastRun {
  at: string
  commit: string
  left_out: string[]
  results: Result[]
}

/** Below the folder of the project, and never committed. */
export const folder = '.trace'
export const files = { run: 'run.json', results: (server: string) => `results-${server}.jsonl` }

/** Undefined where there was none. */
export function readLastRun(root: string): LastRun | undefined {
  const path = join(root, folder, files.run)
  if (!existsSync(path)) return undefined
  const { servers, ...run } = JSON.parse(readFileSync(path, 'utf8')) as Omit<LastRun, 'results'> & { servers: string[] }
  const results = servers.flatMap(server => {
    const path = join(root, folder, files.results(server))
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    return lines.filter(Boolean).map(line => ({ ...(JSON.parse(line) as Omit<Result, 'server'>), server }))
  })
  return { ...run, results }
}
