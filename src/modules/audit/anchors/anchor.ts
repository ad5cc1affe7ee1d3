import { anchorFailure } from '#platform/anchors/failure.ts'
import type { AnchorStore } from '#platform/anchors/store.ts'
import type { Tx } from '#platform/db/database.ts'
import type { PublicHalf } from '../log/keys.ts'
import { verifyConsistency } from '../log/merkle.ts'
import { openNote, originOf, verifierKey, verifyNote } from '../log/note.ts'
import { consistencyProof } from '../log/proof.ts'
import { type KnownCheckpoint, latestCheckpoint } from '../log/queries.ts'
import { type Head, isAnchorRecorded, listHeads } from './queries.ts'

/** A signed checkpoint that is kept outside of the database, and was signed by a key of the installation. */
export interface Anchor {
  epoch: number
  size: number
  root: Buffer
  /** The location, for messages. */
  where: string
}

/** Answers the anchor if one of these keys signed the note for this log. */
export function anchorOf(note: string, log_id: string, keys: readonly PublicHalf[], where: string): Anchor | undefined {
  const { body } = openNote(note) ?? {}
  const epoch = Number(/\/e([1-9]\d{0,9})$/.exec(body?.origin ?? '')?.[1])
  const origin = originOf(log_id, epoch)
  if (!body || body.origin !== origin || epoch > 2_147_483_647) return undefined
  const vkeys = keys.map(({ public_key }) => verifierKey(origin, Buffer.from(public_key, 'base64')))
  return verifyNote(note, vkeys) && { epoch, size: body.size, root: body.root, where }
}

/** The newest anchor of a log in a store. `doubtful` are newer files that no known key has signed. */
export async function newestAnchor(store: AnchorStore, log_id: string, keys: readonly PublicHalf[]) {
  const doubtful: string[] = []
  for (const name of await store.list(log_id)) {
    const kept = await store.read(log_id, name)
    if (!kept) continue
    const anchor = anchorOf(kept.note, log_id, keys, kept.where)
    if (anchor?.epoch === name.epoch && anchor.size === name.size) return { anchor, doubtful }
    doubtful.push(kept.where)
  }
  return { anchor: undefined, doubtful }
}

/** A store cannot be read, so it may have a newer anchor. */
export class AnchorsUnreadable extends Error {}

/** The newest anchor in any store, with the failures of stores that cannot be read. */
export async function newestOf(stores: readonly AnchorStore[], log_id: string, keys: readonly PublicHalf[]) {
  let newest: Anchor | undefined
  const doubtful: string[] = []
  const failures: string[] = []
  for (const store of stores) {
    try {
      const found = await newestAnchor(store, log_id, keys)
      newest = laterOf(newest, found.anchor)
      doubtful.push(...found.doubtful)
    } catch (error) {
      failures.push(anchorFailure(store.name, error))
    }
  }
  return { newest, doubtful, failures }
}

/** The newest anchor, for the entry that begins the next epoch, which must not name an older one. */
export async function knownOutside(
  stores: readonly AnchorStore[],
  log_id: string,
  keys: readonly PublicHalf[],
  notes: readonly string[] = [],
): Promise<{ where: string; checkpoint: KnownCheckpoint } | undefined> {
  const { newest, failures } = await newestOf(stores, log_id, keys)
  if (failures.length > 0) throw new AnchorsUnreadable(failures.join('; '))
  const anchor = notes.map(note => anchorOf(note, log_id, keys, 'the file')).reduce(laterOf, newest)
  if (!anchor) return undefined
  const { where, epoch, size, root } = anchor
  return { where, checkpoint: { epoch, size, root: root.toString('base64') } }
}

export const laterOf = (one: Anchor | undefined, other: Anchor | undefined) =>
  other && (!one || isLater(other, one)) ? other : one

export const isLater = (one: Pick<Anchor, 'epoch' | 'size'>, other: Pick<Anchor, 'epoch' | 'size'>) =>
  one.epoch > other.epoch || (one.epoch === other.epoch && one.size > other.size)

export const entries = (count: number) => (count === 1 ? '1 entry' : `${count} entries`)

/**
 * The reason why the log must not be continued: the anchor has more entries, or others. Undefined if the hashes prove that the newest
 * checkpoint extends the anchor. Anchors of earlier epochs are not checked here, because the first entry of the newer epoch records what
 * was lost.
 */
export async function contradiction(
  tx: Tx,
  log: { epoch: number; size: number },
  anchor: Anchor,
): Promise<string | undefined> {
  if (anchor.epoch < log.epoch) return undefined
  const anchored = `${anchor.where} has it with ${entries(anchor.size)} in epoch ${anchor.epoch}`
  if (isLater(anchor, log)) return `${anchored}, and the database with ${entries(log.size)} in epoch ${log.epoch}`
  return (await follows(tx, anchor)) ? undefined : `${anchored}, which are others than those of the database`
}

/** Checks by hashes that the newest checkpoint of the anchor's epoch extends it. */
async function follows(tx: Tx, anchor: Anchor): Promise<boolean> {
  const checkpoint = await latestCheckpoint(tx, { epoch: anchor.epoch })
  if (!checkpoint || checkpoint.size < anchor.size) return false
  try {
    return verifyConsistency(anchor, checkpoint, await consistencyProof(tx, anchor.epoch, anchor.size, checkpoint.size))
  } catch (error) {
    if (error instanceof RangeError) return false // a hash of the tree is missing
    throw error
  }
}

/** As `contradiction`, also for earlier epochs: if the anchor has more than the database, a later epoch must have recorded it. */
export async function discrepancy(
  tx: Tx,
  log: { epoch: number; size: number },
  anchor: Anchor,
): Promise<string | undefined> {
  if (anchor.epoch >= log.epoch) return contradiction(tx, log, anchor)
  if ((await follows(tx, anchor)) || (await isAnchorRecorded(tx, anchor))) return undefined
  return `${anchor.where} has it with ${entries(anchor.size)} in epoch ${anchor.epoch}, which the database has not, and no later epoch tells of it`
}

const headsPerPage = 1000

/** The sealed size of every log of all tenants. */
export async function* heads(read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>): AsyncGenerator<Head> {
  for (let after = 0; ; ) {
    const page = await read(tx => listHeads(tx, after, headsPerPage))
    yield* page
    if (page.length < headsPerPage) return
    after = page.at(-1)!.tenant_id
  }
}
