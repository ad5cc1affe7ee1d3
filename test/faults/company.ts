import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { openEmbedded } from '#platform/db/embedded.ts'
import { migrate } from '#platform/db/migrate.ts'
import { provision } from '#platform/db/provision.ts'
import type { Json } from '#test/builders/documents.ts'
import { runProgram, type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { addPeople, everybodysPassword } from '#test/world/people.ts'
import { quiet } from '#test/world/postgres.ts'

const people = ['alan', 'anna', 'petra', 'quentin', 'quinn', 'uma', 'otto'] as const
export type Name = (typeof people)[number]

/** The request has no acknowledgement: the connection broke, or the answer was an error of the service. */
export class NotAcknowledged extends Error {}

export interface Answered {
  what: string
  /** When it was asked, by performance.now(). */
  at: number
  status: number
  took_ms: number
  request_id: string | null
}

/**
 * Nobody listens any more, or the connection still waited in the queue of a socket that was closed, or its end was on the way when the
 * request was sent: nothing of the request was read.
 */
export const notTaken = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE']

/**
 * The requests that gave up because another held the lock that they needed for ten seconds, by their ids: on a machine that does much
 * else a transaction may take that long, whatever is done to the service.
 */
export const waitedTooLong = (lines: readonly Record<string, unknown>[]) =>
  new Set(lines.filter(({ exc_code }) => exc_code === '55P03').map(({ request_id }) => request_id))

/** The two sentences in which a fault of what the service depends on is told, ERR-03 and its like for files. */
const faulty =
  /^(Database error\. Please try again\.|The file storage does not work at the moment\.|The clocks of the service and of its database differ)/

/**
 * An installation with the people of test/support/world/people.ts, run as a process with a PostgreSQL of its own (`DATA_DIR`), or with the one of
 * `environment`. It is killed and started again by the test, on the same data.
 */
export async function openCompany({
  folder = mkdtempSync(join(tmpdir(), 'attest-company-')),
  environment = {},
  database,
  program,
}: {
  folder?: string
  environment?: Record<string, string>
  /** The superuser's way to the database, where it is not the service's own. */
  database?: ClientConfig
  program?: string[]
} = {}) {
  if (!database) await makeDatabase(folder)
  const answers: Answered[] = []
  /** Connections that were made and then ended without an answer, by the code of the error. */
  const broken = new Map<string, number>()
  const tokens = new Map<Name, string>()
  let ids: Record<Name, number> | undefined
  let sop: string | undefined
  let service: ServiceProcess | undefined
  let address = ''

  const data = join(folder, 'postgres')
  /** As it stands in PostgreSQL's own file: the process of the server, and the folder of its socket. */
  const serverOf = () => {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), host: lines[4]!, port: Number(lines[3]) }
  }

  const ofProcess = { DATA_DIR: folder, LOG_LEVEL: 'info', ...environment }

  /** Answers the milliseconds until the service was well. */
  async function start() {
    const begun = performance.now()
    service = await startService(ofProcess, { ...(program && { program }) })
    address = service.address
    while (!(await fetch(`${address}/api/health`)).ok) await setTimeout(10)
    return performance.now() - begun
  }

  async function logIn() {
    for (const name of people) {
      const { access_token } = await send('POST', '/api/auth/token', {
        body: { username: name, password: everybodysPassword },
      })
      tokens.set(name, access_token)
    }
    const entries = await Promise.all(
      people.map(async name => [name, (await send('GET', '/api/auth/me', { by: name })).id] as const),
    )
    ids = Object.fromEntries(entries) as Record<Name, number>
    const types: { id: number; name: string }[] = (
      await send('GET', '/api/document-types/?page_size=100', { by: 'quinn' })
    ).items
    sop = String(types.find(({ name }) => name === 'SOP')!.id)
  }

  /** An answer that is no success is an error of the test, unless it is one of those that a fault may have. */
  async function send(method: string, path: string, { by, body, form }: { by?: Name; body?: object; form?: FormData }) {
    const begun = performance.now()
    const reply = await fetch(`${address}${path}`, {
      method,
      headers: {
        ...(by && { authorization: `Bearer ${tokens.get(by)}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(form && { body: form }),
    }).catch(lost)
    const text = await reply.text().catch(lost)
    answers.push({
      what: `${method} ${path}`,
      at: begun,
      status: reply.status,
      took_ms: performance.now() - begun,
      request_id: reply.headers.get('x-request-id'),
    })
    if (reply.status < 300) return JSON.parse(text) as Json
    if (reply.status < 500) assert.fail(`${method} ${path}: ${reply.status} ${text}`)
    const { detail, request_id } = JSON.parse(text)
    assert.ok(reply.status === 500 || reply.status === 503, text)
    assert.equal(request_id, reply.headers.get('x-request-id'))
    if (!faulty.test(detail)) {
      const said = service?.lines.filter(line => line.request_id === request_id && line.logger === 'app.errors')
      assert.fail(`${method} ${path}: ${text} ${JSON.stringify(said)}`)
    }
    throw new NotAcknowledged(detail)
  }

  function lost(error: Error & { cause?: { code?: string } }): never {
    const code = error.cause?.code ?? error.message
    broken.set(code, (broken.get(code) ?? 0) + 1)
    throw new NotAcknowledged(code)
  }

  /** SIGKILL of the process and, where it is asked for, of its database server at the same moment; its guard goes first. */
  async function kill({ withServer = false } = {}) {
    const { child, ended } = service!
    const server = withServer ? serverOf().pid : undefined
    const doomed = server ? [...childrenOf(child.pid!).filter(pid => pid !== server), server] : []
    for (const pid of [...doomed, child.pid!]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {}
    }
    await ended
    service = undefined
  }

  return {
    folder,
    answers,
    broken,
    start,
    logIn,
    kill,
    /** Resolves with its exit code. */
    async stop() {
      service!.child.kill('SIGTERM')
      return service!.ended
    },
    /** A command of the program on the data of the service, which does not run then. */
    run: (...words: string[]) => runProgram(words, ofProcess),
    service: () => service!,
    ids: () => ids!,
    /** The document type whose documents two people approve with their signatures. */
    sop: () => sop!,
    get: (by: Name, path: string): Promise<Json> => send('GET', path, { by }),
    post: (by: Name, path: string, body: object = {}): Promise<Json> => send('POST', path, { by, body }),
    put: (by: Name, path: string, body: object): Promise<Json> => send('PUT', path, { by, body }),
    upload(by: Name, fields: Record<string, string>, bytes: Buffer): Promise<Json> {
      const form = new FormData()
      for (const [field, value] of Object.entries(fields)) form.set(field, value)
      form.set('file', new Blob([new Uint8Array(bytes)]), 'record.pdf')
      return send('POST', '/api/documents/upload', { by, form })
    },
    download: async (by: Name, path: string) => {
      const headers = { authorization: `Bearer ${tokens.get(by)}` }
      return Buffer.from(await (await fetch(`${address}${path}`, { headers })).arrayBuffer())
    },
    /** Sees every tenant's rows. */
    superuser(): ClientConfig {
      if (database) return database
      const { host, port } = serverOf()
      return { host, port, user: 'postgres', database: 'attest' }
    },
    async close() {
      service?.child.kill('SIGKILL')
      await service?.ended
      if (existsSync(join(data, 'postmaster.pid'))) await openEmbedded(folder, quiet).then(server => server.close())
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
export type Company = Awaited<ReturnType<typeof openCompany>>

/** As the first start would, and with people. */
async function makeDatabase(folder: string) {
  const server = await openEmbedded(folder, quiet)
  try {
    const { owner, app } = await provision({ ...server.connection, user: 'postgres' }, 'attest')
    await migrate(owner, quiet)
    await addPeople(app)
  } finally {
    await server.close()
  }
}

export const childrenOf = (pid: number) =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(child => {
      try {
        return new RegExp(`^PPid:\\s${pid}$`, 'm').test(readFileSync(`/proc/${child}/status`, 'utf8'))
      } catch {
        return false
      }
    })
