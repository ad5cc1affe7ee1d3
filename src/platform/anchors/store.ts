import type { Config } from '../config.ts'
import { within } from '../within.ts'
import { openAnchorFolder } from './folder.ts'

interface NoteName {
  epoch: number
  size: number
}

/** Keeps signed notes of logs where who changes the database does not reach. What they say is for the reader to verify. */
export interface AnchorStore {
  /** As in AUDIT_ANCHOR. */
  name: string
  /** The logs that notes are kept of. */
  logs(): Promise<string[]>
  /** What is kept of a log, the newest first; nothing where there is nothing. Rejects where nobody can know. */
  list(log_id: string): Promise<NoteName[]>
  /** With where it is, for people. Undefined where a newer one has taken its place meanwhile. */
  read(log_id: string, name: NoteName): Promise<{ note: string; where: string } | undefined>
  /** On the disk when it resolves; a note that was cut off is never there. */
  keep(log_id: string, note: NoteName & { note: string }): Promise<void>
  /** Writes and removes a few bytes. */
  check(): Promise<void>
}

const longest_call_ms = 5_000

export const openAnchorStores = ({ audit_anchors }: Pick<Config, 'audit_anchors'>): AnchorStore[] =>
  audit_anchors.folders.map(folder => inTime(openAnchorFolder(folder)))

/**
 * A disk of another machine may hang, and each call that waits for it holds one of few threads: after the first that did not come back in time
 * nobody begins another before it does.
 */
export function inTime(store: AnchorStore, longest_ms = longest_call_ms): AnchorStore {
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
