// A PostgreSQL of the machine for the tests: the oldest that is installed and supported, so that nothing newer slips into our SQL.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { stopWithThisProcess } from '#platform/db/embedded.ts'
import { findAccount } from '#platform/db/embedded-account.ts'

const oldest_supported = 15
const start_timeout_ms = 30_000
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' }
const debian = '/usr/lib/postgresql'

/** Where Debian and its kin have it; undefined when there is none. */
export function findPostgres(root = debian) {
  const majors = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .sort((a, b) => a - b)
    : []
  const major = majors.find(each => each >= oldest_supported && existsSync(join(root, `${each}/bin/postgres`)))
  return major ? { major, bin: join(root, `${major}/bin`) } : undefined
}

/**
 * Started on new files below `parent`, which everybody may pass through. Answers the address for TEST_DATABASE_URL. `more` are settings of
 * the server beyond the usual ones. A standby waits for what another server would send it, and takes no changes; one with `copyOf`, the
 * address of a server, begins with its files and follows it.
 */
export async function startPostgres(
  bin: string,
  parent: string,
  more: Record<string, string | number> = {},
  { isStandby = false, copyOf }: { isStandby?: boolean; copyOf?: string } = {},
) {
  const folder = join(parent, 'external')
  mkdirSync(folder, { mode: 0o700 })
  const postgres = join(bin, 'postgres')
  const { prefix, ids } = findAccount(folder, postgres, { isNew: true })
  const run = (program: string, ...options: string[]) =>
    [...prefix, join(bin, program), '-D', join(folder, 'data'), ...options] as [string, ...string[]]
  const [make, ...making] = copyOf
    ? run('pg_basebackup', `--dbname=${copyOf}`, '--write-recovery-conf', '--checkpoint=fast')
    : run('initdb', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8')
  const made = spawnSync(make, making, { ...ids, cwd: '/', env, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`${make} failed: ${made.error?.message ?? made.stderr.trim()}`)

  if (isStandby) writeFileSync(join(folder, 'data', 'standby.signal'), '')
  const settings = {
    listen_addresses: '',
    unix_socket_directories: folder,
    unix_socket_permissions: '0700',
    fsync: 'on',
    max_connections: 200,
    log_min_messages: 'fatal',
    ...more,
  }
  const [command, ...options] = run(
    'postgres',
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  )
  const place = new URLSearchParams({ host: folder, ...('port' in more && { port: String(more.port) }) })
  const url = `postgres://postgres@/postgres?${place.toString()}`
  let server: ChildProcess
  let ended: Promise<unknown>
  async function start() {
    server = spawn(command, options, { ...ids, cwd: '/', env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
    ended = once(server, 'exit')
    const words: string[] = []
    createInterface(server.stderr!).on('line', line => words.push(line))
    if (server.pid) stopWithThisProcess(server, console)
    for (const deadline = Date.now() + start_timeout_ms; !(await answers(url)); await setTimeout(50)) {
      if (server.exitCode === null && Date.now() < deadline) continue
      await stop()
      throw new Error(`PostgreSQL did not start: ${words.slice(-3).join('; ')}`)
    }
  }
  async function stop() {
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGINT')
    await ended
  }
  await start()
  return {
    url,
    stop,
    /** Again, on the same files. */
    start,
    pid: () => server.pid!,
  }
}

async function answers(connectionString: string) {
  const client = new pg.Client({ connectionString })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}
