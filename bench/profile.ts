import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Place, serve } from './installation.ts'
import type { Until } from './load.ts'
import { load } from './processes.ts'
import { askedOf, type Scenario } from './scenarios.ts'

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}
export interface Hot {
  where: string
  share: number
}

const root = new URL('..', import.meta.url).pathname
const shown = 25

/** Where a service of its own spends its time under this load, without what it waits: the share of each function itself. */
export async function profile(
  scenario: Scenario,
  { world, size }: Place,
  options: { connections: number; until: Until },
): Promise<Hot[]> {
  const folder = mkdtempSync(join(tmpdir(), 'attest-bench-profile-'))
  try {
    const requests = await scenario.requests(world, size, 20)
    const asked = await Promise.all(requests.map(request => askedOf(world, scenario.by, request)))
    const service = await serve(world, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
    await load(folder, { url: service.url, ...options, requests: asked })
    await service.close()
    const [file] = globSync(join(folder, '*.cpuprofile'))
    return hottest(JSON.parse(readFileSync(file!, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function hottest({ nodes, samples, timeDeltas }: CpuProfile): Hot[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const times = new Map<string, number>()
  let total = 0
  for (const [place, id] of samples.entries()) {
    const name = names.get(id)!
    if (name === '(idle)' || name === '(program)') continue
    total += timeDeltas[place]!
    times.set(name, (times.get(name) ?? 0) + timeDeltas[place]!)
  }
  return [...times]
    .sort((a, b) => b[1] - a[1])
    .slice(0, shown)
    .map(([where, time]) => ({ where, share: time / total }))
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']) {
  const name = functionName || '(anonymous)'
  if (!url) return name
  const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url
  return `${name} ${path.replace(/^.*node_modules\//, '')}:${lineNumber + 1}`
}
