import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import type { BareTask } from './bare.ts'
import type { Load, Measured } from './load.ts'

const here = (name: string) => new URL(name, import.meta.url).pathname
/** Debian's. */
const python = '/usr/bin/python3'
const packages = '/usr/lib/python3/dist-packages'

interface Contender {
  url: string
  pid: number
  close(): Promise<void>
}

/** By `load.ts`, which is told by a file what to ask: an argument has no room for uploads. */
export async function load(folder: string, what: Load): Promise<Measured> {
  const told = join(folder, 'load.json')
  writeFileSync(told, JSON.stringify(what))
  const child = spawn(process.execPath, [here('load.ts'), told], { stdio: ['ignore', 'pipe', 'inherit'] })
  const found = await text(child.stdout)
  if (!found) throw new Error('the load ended without an answer')
  return JSON.parse(found)
}

export async function startBare(folder: string, task: BareTask): Promise<Contender> {
  const told = join(folder, 'bare.json')
  writeFileSync(told, JSON.stringify(task))
  const child = spawn(process.execPath, [here('bare.ts'), told], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  return contender(child, url)
}

export const hasFastapi = () =>
  ['fastapi', 'uvicorn', 'sqlalchemy', 'asyncpg'].every(name => existsSync(join(packages, name)))

export async function startPeer(app: ClientConfig, tenant_id: number): Promise<Contender> {
  const port = await freePort()
  const login = `${app.user}${app.password ? `:${encodeURIComponent(String(app.password))}` : ''}`
  const place = new URLSearchParams({ host: String(app.host), ...(app.port && { port: String(app.port) }) })
  const child = spawn(
    python,
    ['-m', 'uvicorn', 'peer:app', '--port', String(port), '--log-level', 'warning', '--no-access-log'],
    {
      cwd: here('.'),
      env: {
        PATH: '/usr/bin:/bin',
        PYTHONDONTWRITEBYTECODE: '1',
        DSN: `postgresql+asyncpg://${login}@/${app.database}?${place.toString()}`,
        TENANT: String(tenant_id),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const url = `http://127.0.0.1:${port}`
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/openapi.json`).catch(() => undefined)
    if (answer?.ok) return contender(child, url)
    await setTimeout(50)
  }
  throw new Error('the FastAPI service did not start')
}

function contender(child: ReturnType<typeof spawn>, url: string): Contender {
  const ended = once(child, 'exit')
  return {
    url,
    pid: child.pid!,
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function freePort() {
  const taken = createServer()
  taken.listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  taken.close()
  await once(taken, 'close')
  return port
}

const ticks_per_second = 100

/** The processor time of a process so far, in milliseconds: unlike elapsed time it does not depend on what else the machine does. */
export function processorTimeOf(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks_per_second
}

/** The same of a process with one thread, as those of PostgreSQL, and so exact that a single answer can be measured. */
export const processorTimeOfThread = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
