import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a folder for this process, until `release` or any end of the process.
 *
 * It is the operating system's lock on an open file, which Node offers only through SQLite. A kill releases it, and it holds between
 * containers that share a volume. These do not see each other's process ids, so PostgreSQL alone would take the other's live
 * postmaster.pid for a dead one and run a second server on the same files.
 */
export function lockFolder(folder: string): { release(): void } {
  const lock = new DatabaseSync(join(folder, 'lock'))
  const holder = join(folder, 'lock.pid')
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errstr?: string }).errstr !== 'database is locked') throw error
    const owner = existsSync(holder) ? `process ${readFileSync(holder, 'utf8')}` : 'another process'
    throw new Error(`${folder} is in use by ${owner}: stop that one, or set another DATA_DIR`, { cause: error })
  }
  writeFileSync(holder, String(process.pid))
  return { release: () => lock.close() }
}
