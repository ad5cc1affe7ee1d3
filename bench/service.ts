import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, readFileSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { startService } from '#test/processes/service-process.ts'

export const MiB = 1024 * 1024
const password = 'Correct horse 1 battery'

export const run = promisify(execFile)
export const curl = async (...options: string[]) =>
  (await run('curl', ['-sS', '--fail-with-body', '--noproxy', '*', ...options], { maxBuffer: MiB })).stdout

/** The service as a process of its own, with its data in `folder`, which goes with it; curl carries the files. */
export async function openService(folder: string, environment: Record<string, string> = {}) {
  const { address, child, ended } = await startService({
    DATA_DIR: folder,
    MAX_UPLOAD_MB: '10240',
    BOOTSTRAP_TENANT: 'Acme',
    BOOTSTRAP_ADMIN_USERNAME: 'ada',
    BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
    BOOTSTRAP_ADMIN_PASSWORD: password,
    ...environment,
  })
  const close = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const api = `${address}/api`
  const { authorization, as, sop } = await prepare(api).catch(async error => {
    await close()
    throw error
  })
  return {
    pid: child.pid!,
    /** The answer's body is the caller's to read. */
    async get(path: string) {
      const reply = await fetch(`${api}${path}`, { headers: { authorization } })
      if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
      return reply
    },
    async post(path: string, body: object, headers: Record<string, string> = {}) {
      const reply = await fetch(`${api}${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
      return reply.json()
    },
    /** A new SOP with this file. */
    async upload(path: string): Promise<number> {
      const form = ['-F', `file=@${path}`, '-F', `document_type=${sop}`, '-F', 'title=Report']
      return JSON.parse(await curl(`${api}/documents/upload`, ...as, ...form)).id
    },
    download: (id: number, to: string) => curl(`${api}/documents/${id}/download`, ...as, '-o', to),
    close,
  }
}

/** Logs in, and makes people who can approve what is uploaded. */
async function prepare(api: string) {
  const json = ['-H', 'content-type: application/json']
  const logIn = await curl(`${api}/auth/token`, ...json, '-d', JSON.stringify({ username: 'ada', password }))
  const authorization = `Bearer ${JSON.parse(logIn).access_token}`
  const as = ['-H', `authorization: ${authorization}`]
  const types = JSON.parse(await curl(`${api}/document-types/?page_size=100`, ...as))
  const roles = JSON.parse(await curl(`${api}/roles/?page_size=100`, ...as))
  // Nobody approves what they wrote themselves, so an upload needs others.
  for (const [username, name] of [
    ['petra', 'QA'],
    ['quinn', 'QA Manager'],
  ]) {
    const role_id = roles.items.find((role: { name: string }) => role.name === name).id
    const person = { username, full_name: username, email: `${username}@example.com`, password, role_id }
    await curl(`${api}/users/`, ...as, ...json, '-d', JSON.stringify(person))
  }
  const sop = types.items.find((type: { name: string }) => type.name === 'SOP').id
  return { authorization, as, sop }
}

type BenchService = Awaited<ReturnType<typeof openService>>

/** Passes for a PDF, and cannot be compressed. */
export async function makeLarge(path: string, size_mib: number) {
  const piece = randomBytes(MiB)
  function* pieces() {
    yield Buffer.from('%PDF-1.4\n')
    for (let n = 0; n < size_mib; n++) {
      piece.writeUInt32LE(n)
      yield Buffer.from(piece)
    }
    yield Buffer.from('\n%%EOF\n')
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path))
}

/** Resident memory of a process now, in MiB. */
export const residentOf = (pid: number) => {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kb) / 1024
}

const sampled_every_ms = 10

/** The seconds that the work takes, and the most that the process has in memory meanwhile. */
export async function watched<T>(pid: number, work: () => Promise<T>) {
  let peak_mib = residentOf(pid)
  const timer = setInterval(() => {
    peak_mib = Math.max(peak_mib, residentOf(pid))
  }, sampled_every_ms)
  const { seconds, result } = await timed(work)
  clearInterval(timer)
  return { seconds, result, peak_mib }
}

export async function timed<T>(work: () => Promise<T>) {
  const begun = performance.now()
  const result = await work()
  return { seconds: (performance.now() - begun) / 1000, result }
}

/** How long another waits for a list of documents, in milliseconds, sorted: asking again and again until the work is done. */
export async function waitsDuring(service: BenchService, work: () => Promise<unknown>) {
  const waits: number[] = []
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    const asked = performance.now()
    await (await service.get('/documents/')).arrayBuffer()
    waits.push(performance.now() - asked)
  }
  await working
  return waits.sort((a, b) => a - b)
}

/** The numbers must be sorted. */
export const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
export const median = (numbers: readonly number[]) =>
  percentile(
    numbers.toSorted((a, b) => a - b),
    0.5,
  )
