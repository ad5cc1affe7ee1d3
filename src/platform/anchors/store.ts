import { within } from '../within.ts'

interface NoteName {
  epoch: number
  size: number
}

/** Keeps signed notes of logs out of reach of anybody who can change the database. The reader verifies them. */
export interface AnchorStore {
  /** Its name in AUDIT_ANCHOR. */
  name: string
  /** The logs that have notes. */
  logs(): Promise<string[]>
  /** The notes of a log, newest first. Rejects if the store cannot be read. */
  list(log_id: string): Promise<NoteName[]>
  /** The note and, for people, its place. Undefined if a newer one has replaced it meanwhile. */
  read(log_id: string, name: NoteName): Promise<{ note: string; where: string } | undefined>
  /** Resolves when the note is on the disk. A partial note is never visible. */
  keep(log_id: string, note: NoteName & { note: string }): Promise<void>
  /** Writes and removes a few bytes. */
  check(): Promise<void>
}

const maxCallMs = 5_000

/**
 * A disk of another machine may hang, and each call that waits for it holds one of few threads. After a call that did not return in time
 * no other begins before it does.
 */
export function inTime(store: AnchorStore, longest_ms = maxCallMs): AnchorStore {
  let isHanging = false
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    const silent = Object.assign(new Error(`${store.name} does not answer`), { code: 'ETIMEDOUT' })
    if (isHanging) throw silent
    const working = work()
    const late = Symbol('late')
    const result = await within<T, symbol>(working, longest_ms, late)
    if (result !== late) return result as T
    isHanging = true
    const back = () => {
      isHanging = false
    }
    working.then(back, back)
    throw silent
  }
  return {
    name: store.name,
    logs: () => call(() => store.logs()),
    list: log_id => call(() => store.list(log_id)),
    read: (log_id, name) => call(() => store.read(log_id, name)),
    keep: (log_id, note) => call(() => store.keep(log_id, note)),
    check: () => call(() => store.check()),
  }
}
