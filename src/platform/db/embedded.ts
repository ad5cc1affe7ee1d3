import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import { type Account, findAccount } from './embedded-account.ts'
import { type Binaries, findBinaries } from './embedded-binaries.ts'
import { clearLeftover, readPidFile, removeSocketFolder, socketFolderPrefix, stopServer } from './embedded-leftover.ts'
import { lockFolder } from './folder-lock.ts'

const major = '18'
const port = 5432
// Recovery after a crash may take long, and after giving up it would start over.
const startTimeoutMs = 600_000
const poll_ms = 10
// The server gets none of our environment, because that holds secrets, and PG* variables would change its behaviour.
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export interface Embedded {
  /** Every role logs in without a password, because only this user can reach the socket. */
  connection: { host: string; port: number }
  /** Resolves when the server ends unexpectedly. Then this process must end, and its supervisor starts both again. */
  died: Promise<void>
  /** Rolls open transactions back, writes the rest, and releases the folder. */
  close(): Promise<void>
}

interface ForTests {
  /** Environment of the server's process, such as another clock. */
  environment?: Record<string, string>
  /** Settings that override the server's own. */
  settings?: Record<string, string>
}

/** Starts the PostgreSQL that comes with this program on `dataDir`/postgres, which it makes first if necessary. */
export async function openEmbedded(dataDir: string, log: Log, forTests: ForTests = {}): Promise<Embedded> {
  mkdirSync(dataDir, { recursive: true })
  const home = realpathSync(dataDir)
  const lock = lockFolder(home)
  try {
    const data = join(home, 'postgres')
    const binaries = await findBinaries()
    if (!existsSync(data)) initialise(data, binaries, log)
    refuseOtherMajor(data)
    const account = findAccount(data, binaries.postgres)
    await clearLeftover(data, log)
    const { server, host } = await start(account, binaries, data, log, forTests)
    let closing: Promise<void> | undefined
    const close = async () => {
      await stopServer(server.pid!, data)
      removeSocketFolder(data)
      lock.release()
    }
    return {
      connection: { host, port },
      died: new Promise(resolve => {
        server.once('exit', () => {
          if (!closing) resolve()
        })
      }),
      close: () => (closing ??= close()),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Makes the folder under another name and renames it, so that one that a kill left unfinished is made again. */
function initialise(data: string, binaries: Binaries, log: Log) {
  log.info(`making a new PostgreSQL ${major} in ${data}`)
  const draft = `${data}.new`
  const home = dirname(data)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  if (process.getuid?.() === 0) chownSync(draft, statSync(home).uid, statSync(home).gid)
  const { prefix, ids } = findAccount(draft, binaries.postgres, { isNew: true })
  // Text is sorted by code point: the order of the C library or of ICU changes with upgrades and would corrupt indexes.
  const [command, ...options] = [
    ...prefix,
    binaries.initdb,
    '-D',
    draft,
    '--username=postgres',
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
  ]
  const { status, stderr, error } = spawnSync(command!, options, { ...ids, cwd: '/', env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`PostgreSQL could not be made in ${data}: ${error?.message ?? stderr.trim()}`)
  renameSync(draft, data)
  // If a loss of power undid the new name, the next start would take the records for an unfinished draft.
  for (const folder of [home, dirname(home)]) syncFolder(folder)
}

function refuseOtherMajor(data: string) {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (found !== major)
    throw new Error(
      `${data} was made by PostgreSQL ${found}, this program brings ${major}: export the records with the program that made it`,
    )
}

async function start(account: Account, binaries: Binaries, data: string, log: Log, forTests: ForTests) {
  for (const deadline = Date.now() + startTimeoutMs; ; ) {
    const host = makeSocketFolder(account)
    const { server, lastWords } = launch(account, binaries, data, { host, ...forTests }, log)
    try {
      await untilReady(server, lastWords, data, deadline)
      return { server, host }
    } catch (error) {
      if (server.pid) await stopServer(server.pid, data)
      rmSync(host, { recursive: true, force: true })
      // After a kill of the main process a running statement goes on to its end, and uses the files until then.
      if (!(error as Error).message.includes('is still in use') || Date.now() > deadline) throw error
      await setTimeout(200)
    }
  }
}

function launch(
  account: Account,
  binaries: Binaries,
  data: string,
  { host, environment, settings: others }: { host: string } & ForTests,
  log: Log,
) {
  const settings = {
    listen_addresses: '',
    port,
    unix_socket_directories: host,
    unix_socket_permissions: '0700',
    fsync: 'on',
    full_page_writes: 'on',
    // The caller gets the errors of statements. The log gets none of them, because they quote values of rows.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_line_prefix: '',
    log_checkpoints: 'off',
    ...others,
  }
  const [command, ...options] = [
    ...account.prefix,
    binaries.postgres,
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  // In a session of its own, because Ctrl-C in a terminal would otherwise stop it while requests are being answered.
  const server = spawn(command!, options, {
    ...account.ids,
    cwd: '/',
    env: { ...env, ...environment },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const words: string[] = []
  server.on('error', error => words.push(error.message))
  createInterface(server.stderr).on('line', line => {
    words.splice(0, words.length - 4)
    words.push(line)
    if (line.startsWith('LOG:')) log.info(`PostgreSQL: ${line}`)
    else log.warn(`PostgreSQL: ${line}`)
  })
  if (server.pid) stopWithThisProcess(server, log)
  return {
    server,
    lastWords: new Promise<string>(resolve => {
      server.once('close', () => resolve(words.join('\n')))
    }),
  }
}

/**
 * Stops the server however this process ends: the pipe ends with it, and the shell that reads it stops the server. Otherwise a folder could
 * be copied while it is in use.
 */
export function stopWithThisProcess(server: ChildProcess, log: Log) {
  const guard = spawn('sh', ['-c', 'read _; kill -INT "$0"', String(server.pid)], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.on('error', error => log.warn(`PostgreSQL will outlive a killed run: ${error.message}`))
  server.once('exit', () => guard.kill('SIGKILL'))
}

async function untilReady(server: ChildProcess, lastWords: Promise<string>, data: string, deadline: number) {
  while (server.exitCode === null && server.signalCode === null) {
    const file = readPidFile(data)
    if (file?.isReady && file.pid === server.pid) return
    if (Date.now() > deadline) throw new Error(`PostgreSQL is not ready after ${startTimeoutMs / 1000} s`)
    await setTimeout(poll_ms)
  }
  throw new Error(`PostgreSQL did not start: ${await lastWords}`)
}

/**
 * Makes a folder with a short, new path on a local file system, because a socket's path has 107 bytes at most and DATA_DIR may be deeper.
 */
function makeSocketFolder({ ids }: Account) {
  const folder = mkdtempSync(join(tmpdir().length < 60 ? tmpdir() : '/tmp', socketFolderPrefix))
  if (ids.uid) chownSync(folder, ids.uid, ids.gid!)
  return folder
}

function syncFolder(folder: string) {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
