import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes a folder for this process alone, until `release` or the end of the process, however it ends.
 *
 * The lock is the operating system's own on an open file; SQLite is only the way that Node has to ask for one. A kill leaves
 * nothing of it behind, and it holds between containers that share a volume. Those do not see each other's process ids, so
 * PostgreSQL by itself takes the other's live postmaster.pid for a dead one and runs a second server on the same files.
 */
export function lockFolder(folder: string): { release(): void } {
  const lock = new DatabaseSync(join(folder, 'lock'))
  const holder = join(folder, 'lock.pid')
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errstr?: string }).errstr !== 'database is locked') throw error
    const who = existsSync(holder) ? `process ${readFileSync(holder, 'utf8')}` : 'another process'
    throw new Error(`${folder} is in use by ${who}: stop that one, or set another DATA_DIR`, { cause: error })
  }
  writeFileSync(holder, String(process.pid))
  return { release: () => lock.close() }
}
