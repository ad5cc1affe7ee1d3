import { AppError } from '#kernel/errors.ts'
import { type Database, isDuplicate, type Tx } from '#platform/db/database.ts'
import { AnchorsUnreadable, contradiction, isLater, slugOf } from './anchor.ts'
import { type Known, knownOf, lookAtAnchors, remember, type SealingKeys } from './anchor-memory.ts'
import { heldKeys } from './keys.ts'
import { type Checkpoint, type Log, latestCheckpoint } from './log-queries.ts'
import { Frontier, leafHash } from './merkle.ts'
import { originOf, signNote, verifierKey, verifyNote } from './note.ts'
import {
  insertCheckpoint,
  insertLeaves,
  insertTiles,
  listAuditKeys,
  lockLog,
  readFirstSeq,
  selectTenantsToSeal,
  takeFirstOf,
  takePending,
  updateLog,
} from './sealing-queries.ts'
import { grow } from './tiles.ts'

/** What one transaction seals. */
const batch_entries = 5000

/** The log is not what it was when it was last sealed: nobody signs what would go on from there. */
export class SealingStopped extends AppError {
  constructor(why: string) {
    super(503, `The audit trail is sealed no more: ${why}`)
  }
}

/** What is kept outside of the database says that there was more, or something else: nobody signs a second history. */
export class BehindAnchor extends SealingStopped {}

export interface Sealed {
  epoch: number
  size: number
  seq: number
}

/** All that was committed before the call has its place after it. A transaction of its own, or several: never inside another. */
export async function sealNow(database: Database, services: SealingKeys, tenantId: number): Promise<Sealed> {
  for (;;) {
    const { sealed, isAll } = (await sealSome(database, services, tenantId, { skip: false }))!
    if (isAll) return sealed
  }
}

export const tenantsToSeal = (database: Database) =>
  database.transaction({ tenantId: null, userId: null }, 'read only', selectTenantsToSeal)

/** One batch. With `skip` nothing is done, and nothing answered, where another process is at it. */
export async function sealSome(database: Database, keys: SealingKeys, tenantId: number, { skip }: { skip: boolean }) {
  const binding = { tenantId, userId: null }
  for (;;) {
    const batch = await database
      .transaction(binding, 'read write', tx => sealBatch(tx, keys, { skip }), { canRunAgain: true })
      .catch(error => {
        throw isDuplicate(error) ? new SealingStopped('what waits for a place has one already') : error
      })
    if (!batch || 'sealed' in batch) {
      if (batch?.root) remember(keys.anchors, batch.log_id, { ...batch.sealed, root: batch.root })
      return batch
    }
    await lookAtAnchors(database, keys, batch.log_id).catch(error => {
      throw error instanceof AnchorsUnreadable ? new BehindAnchor(unreadable(error)) : error
    })
  }
}

const unreadable = ({ message }: AnchorsUnreadable) =>
  `nobody can say whether the database has forgotten something. ${message}`

async function sealBatch(
  tx: Tx,
  held: SealingKeys,
  { skip }: { skip: boolean },
): Promise<{ log_id: string } | { sealed: Sealed; isAll: boolean; log_id: string; root?: Buffer } | undefined> {
  const log = await lockLog(tx, { skip })
  if (!log) return undefined
  const { log_id } = log
  const known = knownOf(held.anchors, log_id)
  if (!known) return { log_id }
  const { epoch } = log
  // Leaf 0 of a later epoch says what it follows, whatever else waits.
  const isFirst = epoch > 1 && log.size === 0
  const [checkpoint, firstSeq, keys, entries] = await Promise.all([
    latestCheckpoint(tx, { epoch }),
    readFirstSeq(tx, epoch),
    listAuditKeys(tx),
    isFirst ? takeFirstOf(tx, epoch) : takePending(tx, batch_entries),
  ])
  if (entries.length === 0) return { sealed: { epoch, size: log.size, seq: log.seq }, isAll: true, log_id }

  const origin = originOf(log.log_id, epoch)
  const vkeys = keys.map(({ public_key }) => verifierKey(origin, Buffer.from(public_key, 'base64')))
  const frontier = frontierOf(log, checkpoint, firstSeq, vkeys)
  await refuseBehind(tx, log, known)
  for (const { id, leaf, leaf_hash } of entries)
    if (!leafHash(Buffer.from(leaf)).equals(leaf_hash))
      throw new SealingStopped(`the hash of entry ${id} is of other bytes`)

  const tiles = await grow(
    tx,
    epoch,
    frontier,
    entries.map(({ leaf_hash }) => leaf_hash),
  )
  const sealed = { epoch, size: frontier.size, seq: log.seq + entries.length }
  const { root } = frontier
  const note = signNote(
    { origin, size: frontier.size, root },
    heldKeys(held).map(key => ({ name: origin, key })),
  )
  await Promise.all([
    insertLeaves(
      tx,
      epoch,
      log.seq,
      entries.map(({ id }) => id),
    ),
    insertTiles(tx, epoch, tiles),
    updateLog(tx, { size: sealed.size, seq: sealed.seq, frontier: [...frontier.hashes] }),
    insertCheckpoint(tx, { epoch, size: frontier.size, root, note }),
  ])
  return { sealed, isAll: !isFirst && entries.length < batch_entries, log_id, root }
}

/** Once for what was newly heard of. */
async function refuseBehind(tx: Tx, log: Log, known: Known) {
  const { newest, isFollowed } = known
  if (!newest || (isFollowed && !isLater(newest, log))) return
  const why = await contradiction(tx, log, newest)
  if (why !== undefined)
    throw new BehindAnchor(
      `${why}. Look what happened to the database; then run: qms audit new-epoch --tenant ${await slugOf(tx)} --reason TEXT`,
    )
  known.isFollowed = true
}

/** The tree as it was last sealed, where all that is stored of it says the same. */
function frontierOf(
  log: Log,
  checkpoint: Checkpoint | undefined,
  firstSeq: number | undefined,
  vkeys: readonly string[],
): Frontier {
  if (firstSeq === undefined || log.seq !== firstSeq - 1 + log.size)
    throw new SealingStopped(`its sequence numbers are not those of epoch ${log.epoch}`)
  let frontier: Frontier
  try {
    frontier = new Frontier(log.size, log.frontier)
  } catch {
    throw new SealingStopped(`its frontier is not that of a tree of ${log.size} leaves`)
  }
  if (!checkpoint) {
    if (log.size > 0) throw new SealingStopped('its last checkpoint is missing')
    return frontier
  }
  if (checkpoint.size !== log.size)
    throw new SealingStopped(`its last checkpoint is of ${checkpoint.size} leaves, and it has ${log.size}`)
  if (!checkpoint.root.equals(frontier.root))
    throw new SealingStopped('its frontier gives another root than its last checkpoint')
  const signed = verifyNote(checkpoint.note, vkeys)
  if (
    !(
      signed?.origin === originOf(log.log_id, log.epoch) &&
      signed.size === log.size &&
      signed.root.equals(frontier.root)
    )
  )
    throw new SealingStopped('its last checkpoint is not signed by a key of this installation')
  return frontier
}
