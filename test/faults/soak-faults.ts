import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Embedded, openEmbedded } from '#platform/db/embedded.ts'
import { migrate } from '#platform/db/migrate.ts'
import { provision } from '#platform/db/provision.ts'
import type { Smtp } from '#test/fakes/smtp.ts'
import { addPeople } from '#test/world/people.ts'
import { quiet } from '#test/world/postgres.ts'
import { type Company, childrenOf } from './company.ts'

/** A server that the service takes for one of somebody else's: it can be stopped and frozen, and is found at the same place again. */
export async function openServer(folder: string, environment: Record<string, string> = {}) {
  const home = join(folder, 'server')
  mkdirSync(home, { recursive: true })
  const link = join(folder, 'socket')
  let server: Embedded | undefined
  const start = async () => {
    server = await openEmbedded(home, quiet, { environment })
    symlinkSync(server.connection.host, `${link}.new`)
    renameSync(`${link}.new`, link)
    // Else its folder stays locked for as long as this process remembers it.
    void server.died.then(stop)
  }
  const stop = async () => {
    await server?.close()
    server = undefined
  }
  await start()
  const { superuser, owner, app } = await provision(
    { host: link, port: server!.connection.port, user: 'postgres' },
    'attest',
  )
  await migrate(owner, quiet)
  await addPeople(app)
  const signal = (name: NodeJS.Signals) => {
    const main = Number(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
    for (const pid of [main, ...childrenOf(main)]) {
      try {
        process.kill(pid, name)
      } catch {}
    }
  }
  const isAnswering = async () => {
    const client = new pg.Client({ ...superuser, database: 'postgres' })
    client.on('error', () => {})
    try {
      await client.connect()
      return true
    } catch {
      return false
    } finally {
      await client.end()
    }
  }
  /** Until it lets somebody in: started again where it has ended itself, as whoever looks after a server does. */
  const tend = async () => {
    while (!(await isAnswering())) {
      if (!server) await start()
      await setTimeout(50)
    }
  }
  return { superuser, start, stop, tend, signal }
}
export type Server = Awaited<ReturnType<typeof openServer>>

/** More than PostgreSQL keeps: they are of 16 MiB, and together of 1 GiB at most. */
const log_files = 80

export interface Fault {
  name: string
  lasts_ms: number
  begin(): Promise<void>
  end(): Promise<void>
}

/** The faults for the service: first those that end its process, then those that it has to live with. */
export function faultsOf({
  company,
  server,
  smtp,
  disk,
}: {
  company: Company
  server: Server
  smtp: Smtp
  /** A disk of its own under the database and the files, where one could be mounted. */
  disk: string | undefined
}): { ending: Fault[]; lasting: Fault[] } {
  const superuser = async (text: string) => {
    const client = new pg.Client({ ...server.superuser, database: 'postgres' })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  /** The files that the server keeps ready for its log are used up: without room for the next one it ends itself. */
  const fillLog = async () => {
    const client = new pg.Client({ ...server.superuser, database: 'postgres' })
    client.on('error', () => {})
    const beginFile = "select pg_logical_emit_message(true, 'soak', ''), pg_switch_wal()"
    try {
      await client.connect()
      for (let files = 0; files < log_files; files++) await client.query(beginFile)
    } catch {
      // The connection ends with the server.
    }
    await client.end()
  }
  const none = async () => {}
  const started = async () => void (await company.start())
  const full: Fault = {
    name: 'disk full',
    lasts_ms: 10_000,
    async begin() {
      // Others write meanwhile: where there was more when it was looked at, a little less is taken.
      for (let less = 0; less < 64; less++) {
        const { bavail, bsize } = statfsSync(disk!)
        const size = bavail * bsize - less * 64 * 1024
        // Not synchronously: it takes seconds, in which this process would see no answer arrive.
        const isFull = await promisify(execFile)('fallocate', ['-l', String(size), join(disk!, 'filler')]).then(
          () => true,
          () => false,
        )
        if (isFull) return fillLog()
      }
      throw new Error('the disk could not be filled')
    },
    async end() {
      rmSync(join(disk!, 'filler'))
      // A server that could not write its log ends, maybe only when it has tried to come up again.
      await server.tend()
    },
  }
  return {
    ending: [
      { name: 'process killed', lasts_ms: 0, begin: () => company.kill(), end: started },
      {
        name: 'SIGTERM',
        lasts_ms: 0,
        async begin() {
          const code = await company.stop()
          if (code !== 0) throw new Error(`SIGTERM: exit code ${code}`)
        },
        end: started,
      },
    ],
    lasting: [
      { name: 'database stopped', lasts_ms: 5_000, begin: server.stop, end: server.start },
      {
        name: 'database frozen',
        lasts_ms: 20_000,
        begin: async () => server.signal('SIGSTOP'),
        end: async () => server.signal('SIGCONT'),
      },
      {
        name: 'no connections left',
        lasts_ms: 10_000,
        async begin() {
          await superuser('alter database attest connection limit 0')
          await superuser(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'attest_app'`)
        },
        end: () => superuser('alter database attest connection limit -1'),
      },
      {
        name: 'connections cut',
        lasts_ms: 0,
        begin: () => superuser(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'attest_app'`),
        end: none,
      },
      ...(disk ? [full] : []),
      {
        name: 'mail server silent',
        lasts_ms: 20_000,
        async begin() {
          smtp.behaviour.content = () => 'silence'
        },
        async end() {
          smtp.behaviour.content = undefined
        },
      },
    ],
  }
}

/** Until the service is well: the milliseconds that took. */
export async function untilWell(company: Company, timeout_ms = 60_000) {
  const begun = performance.now()
  for (;;) {
    const answer = await fetch(`${company.service().address}/api/health`).catch(() => undefined)
    if (answer?.ok) return performance.now() - begun
    if (performance.now() - begun > timeout_ms) {
      const said = company
        .service()
        .lines.slice(-10)
        .map(line => JSON.stringify(line))
      throw new Error([`not well within ${timeout_ms} ms: ${await answer?.text()}`, ...said].join('\n'))
    }
    await setTimeout(20)
  }
}
