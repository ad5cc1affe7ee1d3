import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '../log/log.ts'

const fast_shutdown_timeout_ms = 60_000
const poll_ms = 20

/** Start of the name of a socket folder: what carries it may be removed when its server is gone. */
export const socketFolderPrefix = 'attest-postgres-'

/**
 * What the server of `data` wrote of itself when it started; undefined when it stopped in order. To look whether the file is there
 * before it is read would fail the start where a server that ends removes it in between.
 */
export function readPidFile(data: string) {
  const lines = readIfThere(join(data, 'postmaster.pid'))?.split('\n')
  return lines && { pid: Number(lines[0]), isReady: lines[7]?.trim() === 'ready' }
}

function readIfThere(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Makes way for a new server on `data`, whose lock the caller holds: so one that still runs has lost its parent. It is
 * stopped rather than adopted: its log has no reader any more, and one kind of running server is easier to trust than two.
 */
export async function clearLeftover(data: string, log: Log) {
  const left = readPidFile(data)
  if (left && isServerOf(left.pid, data)) {
    log.warn(`stopping the PostgreSQL (process ${left.pid}) that an earlier run left behind`)
    await stopServer(left.pid, data)
  } else if (left) {
    // The id is some other program's by now, as happens in a container, or the server has ended and nobody has asked how. PostgreSQL
    // looks no further than the id, and would not start for as long as the system lists it. Without the file it still refuses
    // while any process of the old server has its shared memory open.
    rmSync(join(data, 'postmaster.pid'), { force: true })
  }
  removeSocketFolder(data)
}

/** Fast shutdown: rolls back what is open and writes out the rest. Past its time, the writing is left to the recovery at the next start. */
export async function stopServer(pid: number, data: string) {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (isServerOf(pid, data)) process.kill(pid, signal)
    for (let waited_ms = 0; waited_ms < fast_shutdown_timeout_ms; waited_ms += poll_ms) {
      if (!isServerOf(pid, data)) return
      await setTimeout(poll_ms)
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) on ${data} does not stop`)
}

/** PostgreSQL keeps the command line of its last start, also after a clean stop: so no kill leaves a socket folder for ever. */
export function removeSocketFolder(data: string) {
  const options = join(data, 'postmaster.opts')
  if (!existsSync(options)) return
  const folder = new RegExp(`"unix_socket_directories=(/[^"]*/${socketFolderPrefix}\\w+)"`).exec(
    readFileSync(options, 'utf8'),
  )?.[1]
  if (folder) rmSync(folder, { recursive: true, force: true })
}

/** Whether that process is alive and is the server of `data`; the id alone may be another program's by now. */
export const isServerOf = (pid: number, data: string) => commandOf(pid).includes(data)

/** Empty when no process has that id, and for one that has ended but is still listed. */
function commandOf(pid: number) {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
