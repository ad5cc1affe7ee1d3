import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '../log/log.ts'

const fastShutdownTimeoutMs = 60_000
const poll_ms = 20

/** The beginning of the name of a socket folder, which may be removed when its server is gone. */
export const socketFolderPrefix = 'attest-postgres-'

/**
 * The file that the server of `data` writes at its start; undefined after an orderly stop. It is read without looking for it first, because
 * a server that ends may remove it in between.
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
 * Makes way for a new server on `data`. The caller holds its lock, so a server that still runs has lost its parent. It is stopped and not
 * adopted, because its log has no reader any more.
 */
export async function clearLeftover(data: string, log: Log) {
  const left = readPidFile(data)
  if (left && isServerOf(left.pid, data)) {
    log.warn(`stopping the PostgreSQL (process ${left.pid}) that an earlier run left behind`)
    await stopServer(left.pid, data)
  } else if (left) {
    // The id belongs to another program by now, as happens in a container, or to an ended server that is still listed. PostgreSQL only
    // looks at the id and would not start while it is listed. Without the file it still refuses while a process of the old server has its
    // shared memory open.
    rmSync(join(data, 'postmaster.pid'), { force: true })
  }
  removeSocketFolder(data)
}

/** Fast shutdown: rolls open transactions back and writes the rest. After its time limit the next start recovers the rest. */
export async function stopServer(pid: number, data: string) {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (isServerOf(pid, data)) process.kill(pid, signal)
    for (let waited_ms = 0; waited_ms < fastShutdownTimeoutMs; waited_ms += poll_ms) {
      if (!isServerOf(pid, data)) return
      await setTimeout(poll_ms)
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) on ${data} does not stop`)
}

/** Reads the folder from the command line of the last start, which PostgreSQL keeps, so that no socket folder stays after a kill. */
export function removeSocketFolder(data: string) {
  const options = join(data, 'postmaster.opts')
  if (!existsSync(options)) return
  const folder = new RegExp(`"unix_socket_directories=(/[^"]*/${socketFolderPrefix}\\w+)"`).exec(
    readFileSync(options, 'utf8'),
  )?.[1]
  if (folder) rmSync(folder, { recursive: true, force: true })
}

/** True if that process is alive and is the server of `data`: the id may belong to another program by now. */
export const isServerOf = (pid: number, data: string) => commandOf(pid).includes(data)

/** Empty if no process has that id, and for one that has ended but is still listed. */
function commandOf(pid: number) {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
