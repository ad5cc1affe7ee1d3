import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import pg from 'pg'
import { findAccount } from '#platform/db/embedded-account.ts'
import { freePort } from '../browser/visits.ts'

export type PoolMode = 'session' | 'transaction'

/** Debian's PgBouncer, before the server of `login`, whoever logs in. */
export async function startPgBouncer(
  program: string,
  parent: string,
  login: ClientConfig,
  { mode, size = 20 }: { mode: PoolMode; size?: number },
) {
  const folder = join(parent, mode)
  mkdirSync(folder, { mode: 0o700 })
  const port = await freePort()
  const users = join(folder, 'users.txt')
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(users, '"attest_app" ""\n"attest_owner" ""\n')
  writeFileSync(
    settings,
    `[databases]
${login.database} = host=${login.host} port=${login.port ?? 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 200
`,
  )
  // It does not run as root, and reaches the socket of the server as the server's account does.
  const server = statSync(join(login.host!, `.s.PGSQL.${login.port ?? 5432}`))
  if (server.uid !== 0 && process.getuid?.() === 0)
    for (const path of [folder, users, settings]) chownSync(path, server.uid, server.gid)
  chmodSync(folder, 0o700)
  const { prefix, ids } = findAccount(folder, program)
  const [command, ...options] = [...prefix, program, settings]
  const child: ChildProcess = spawn(command!, options, { ...ids, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  const said = text(child.stderr!)
  const ended = once(child, 'exit')
  const urlOf = (user: string) => `postgres://${user}@127.0.0.1:${port}/${login.database}`
  for (let left = 200; !(await answers(urlOf('attest_app'))); await setTimeout(25)) {
    left -= 1
    if (left === 0 || child.exitCode !== null) throw new Error(`PgBouncer did not start: ${await said}`)
  }
  return {
    urlOf,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function answers(connectionString: string) {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
