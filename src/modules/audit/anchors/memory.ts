import type { Services } from '#action'
import type { AnchorStore } from '#platform/anchors/store.ts'
import { auditKeys, heldKeys, type PublicHalf } from '../log/keys.ts'
import { type Anchor, AnchorsUnreadable, laterOf, newestOf } from './anchor.ts'

export type Sealing = Pick<Services, 'database' | 'auditKey' | 'previousAuditKey' | 'anchors'>

/** The knowledge of this process about a log, from its anchors and its own sealing. */
export interface Known {
  newest: Anchor | undefined
  looked_at: number
  /** The database was found to continue from it. */
  isFollowed: boolean
}

/** The stores are read again after this time, because another process may have anchored more. */
const freshMs = 10_000
/** A log that was dropped from memory is read again. */
const maxKnown = 50_000

/** One memory for each set of stores. */
const memories = new WeakMap<readonly AnchorStore[], Memory>()
interface Memory {
  known: Map<string, Known>
  /** The doubtful files of each log. */
  doubts: Map<string, string>
}
export function memoryOf(anchors: readonly AnchorStore[]): Memory {
  const memory = memories.get(anchors) ?? { known: new Map<string, Known>(), doubts: new Map<string, string>() }
  memories.set(anchors, memory)
  return memory
}

const nothing: Known = { newest: undefined, looked_at: 0, isFollowed: true }

/** Answers undefined if the stores must be read first, which must not happen within a transaction. */
export function knownOf(anchors: readonly AnchorStore[], log_id: string): Known | undefined {
  if (anchors.length === 0) return nothing
  const known = memoryOf(anchors).known.get(log_id)
  return known && performance.now() - known.looked_at < freshMs ? known : undefined
}

/** Remembers the sealing of this process itself. */
export function rememberSealing(anchors: readonly AnchorStore[], log_id: string, sealed: Omit<Anchor, 'where'>) {
  const known = memoryOf(anchors).known.get(log_id)
  if (!known) return
  known.newest = { ...sealed, where: 'this process' }
  known.isFollowed = true
}

/** After an interruption the database may be another one, so the stores are read again. */
export function lookAnew(anchors: readonly AnchorStore[]) {
  for (const known of memoryOf(anchors).known.values()) known.looked_at = Number.NEGATIVE_INFINITY
}

/** A database that lost data may have lost the current key too, so the keys of the process count as well. */
export const believedKeys = async (services: Sealing): Promise<PublicHalf[]> => [
  ...(await auditKeys(services.database)),
  ...heldKeys(services),
]

/** Reads the stores. Earlier knowledge stays, also if its file is gone. */
export async function lookAtAnchors(services: Sealing, log_id: string): Promise<Known> {
  const { anchors } = services
  const { known, doubts } = memoryOf(anchors)
  const before = known.get(log_id)
  const { newest: found, doubtful, failures } = await newestOf(anchors, log_id, await believedKeys(services))
  if (failures.length > 0 && !before) throw new AnchorsUnreadable(failures.join('; '))
  const doubt = doubtOf(doubtful)
  if (doubt !== undefined) doubts.set(log_id, doubt)
  const newest = laterOf(before?.newest, found)
  const looked: Known = { newest, looked_at: performance.now(), isFollowed: newest === undefined }
  if (known.size >= maxKnown) known.clear()
  known.set(log_id, looked)
  return looked
}

/** A foreign file among the anchors is reported, but stops nothing: otherwise everyone who can write there could stop every log. */
export function doubtOf([file, ...more]: readonly string[]): string | undefined {
  if (file === undefined) return undefined
  const others = more.length > 0 ? ` and ${more.length} more` : ''
  return `${file}${others} is not signed by a key of this installation, and counts for nothing: look who put it there`
}
