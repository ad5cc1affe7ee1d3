import { AppError } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { announce, type Database, isDuplicate, type Tx } from '#platform/db/database.ts'
import { AnchorsUnreadable, contradiction, isLater } from '../anchors/anchor.ts'
import { type Known, knownOf, lookAtAnchors, rememberSealing, type Sealing } from '../anchors/memory.ts'
import { slugOf } from '../anchors/queries.ts'
import { heldKeys } from '../log/keys.ts'
import { Frontier, leafHash } from '../log/merkle.ts'
import { originOf, signNote, verifierKey, verifyNote } from '../log/note.ts'
import { type Checkpoint, type Log, latestCheckpoint, listOwnAuditKeys, lockLog, readFirstSeq } from '../log/queries.ts'
import { grow } from '../log/tiles.ts'
import { messages } from '../messages.ts'
import { addPlaces } from '../places/queries.ts'
import {
  insertCheckpoint,
  insertLeaves,
  insertTiles,
  selectTenantsToSeal,
  takeFirstOf,
  takePending,
  updateLog,
} from './queries.ts'

/** The most entries that one transaction seals. */
const entriesPerBatch = 5000

/** The name under which newly sealed entries are announced. */
export const sealedAs = 'sealed'

/** The log changed since it was last sealed, and a signature must not continue a falsified log. */
export class SealingStopped extends AppError {
  constructor(message: Message) {
    super(503, message)
  }
}
const stoppedBecause = (reason: string) => new SealingStopped(messages.audit_sealing_stopped({ reason }))

/** An anchor outside of the database has more entries, or others, and there must be no second signed history. */
export class BehindAnchor extends SealingStopped {}

export interface Sealed {
  epoch: number
  size: number
  seq: number
}

/** After the call, every entry that was committed before it has its place. Uses transactions of its own, so it must not be called within one. */
export async function sealNow(services: Sealing, tenantId: number): Promise<Sealed> {
  for (;;) {
    const { sealed, isAll } = (await sealSome(services, tenantId, { skip: false }))!
    if (isAll) return sealed
  }
}

export const tenantsToSeal = (database: Database) =>
  database.transaction({ tenantId: null, userId: null }, 'read only', selectTenantsToSeal)

/** Seals one batch. With `skip` it answers nothing if another process is sealing this log. */
export async function sealSome(services: Sealing, tenantId: number, { skip }: { skip: boolean }) {
  const binding = { tenantId, userId: null }
  for (;;) {
    const batch = await services.database
      .transaction(binding, 'read write', tx => sealBatch(tx, services, { skip }), { canRunAgain: true })
      .catch(error => {
        throw isDuplicate(error) ? stoppedBecause('a waiting entry already has a place') : error
      })
    if (!batch || 'sealed' in batch) {
      if (batch?.root) rememberSealing(services.anchors, batch.log_id, { ...batch.sealed, root: batch.root })
      return batch
    }
    await lookAtAnchors(services, batch.log_id).catch(error => {
      if (!(error instanceof AnchorsUnreadable)) throw error
      throw new BehindAnchor(messages.audit_anchors_unreadable({ failures: error.message }))
    })
  }
}

async function sealBatch(
  tx: Tx,
  held: Sealing,
  { skip }: { skip: boolean },
): Promise<{ log_id: string } | { sealed: Sealed; isAll: boolean; log_id: string; root?: Buffer } | undefined> {
  const log = await lockLog(tx, { skip })
  if (!log) return undefined
  const { log_id } = log
  const known = knownOf(held.anchors, log_id)
  if (!known) return { log_id }
  const { epoch } = log
  // Leaf 0 of a later epoch must be the entry that names the previous epoch.
  const isFirst = epoch > 1 && log.size === 0
  const [checkpoint, firstSeq, keys, entries] = await Promise.all([
    latestCheckpoint(tx, { epoch }),
    readFirstSeq(tx, epoch),
    listOwnAuditKeys(tx),
    isFirst ? takeFirstOf(tx, epoch) : takePending(tx, entriesPerBatch),
  ])
  if (entries.length === 0) return { sealed: { epoch, size: log.size, seq: log.seq }, isAll: true, log_id }

  const origin = originOf(log.log_id, epoch)
  const vkeys = keys.map(({ public_key }) => verifierKey(origin, Buffer.from(public_key, 'base64')))
  const frontier = frontierOf(log, checkpoint, firstSeq, vkeys)
  await refuseBehind(tx, log, known)
  for (const { id, leaf, leaf_hash } of entries)
    if (!leafHash(Buffer.from(leaf)).equals(leaf_hash))
      throw stoppedBecause(`the hash of entry ${id} does not match its content`)

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
    addPlaces(tx, log.seq + 1, sealed.seq),
    insertTiles(tx, epoch, tiles),
    updateLog(tx, { size: sealed.size, seq: sealed.seq, frontier: [...frontier.hashes] }),
    insertCheckpoint(tx, { epoch, size: frontier.size, root, note }),
  ])
  announce(tx, sealedAs)
  return { sealed, isAll: !isFirst && entries.length < entriesPerBatch, log_id, root }
}

/** Compares each newly found anchor once. */
async function refuseBehind(tx: Tx, log: Log, known: Known) {
  const { newest, isFollowed } = known
  if (!newest || (isFollowed && !isLater(newest, log))) return
  const reason = await contradiction(tx, log, newest)
  if (reason !== undefined) throw new BehindAnchor(messages.audit_behind_anchor({ reason, tenant: await slugOf(tx) }))
  known.isFollowed = true
}

/** The tree as it was last sealed; throws if the stored values contradict each other. */
function frontierOf(
  log: Log,
  checkpoint: Checkpoint | undefined,
  firstSeq: number | undefined,
  vkeys: readonly string[],
): Frontier {
  if (firstSeq === undefined || log.seq !== firstSeq - 1 + log.size)
    throw stoppedBecause(`its sequence numbers are not those of epoch ${log.epoch}`)
  let frontier: Frontier
  try {
    frontier = new Frontier(log.size, log.frontier)
  } catch {
    throw stoppedBecause(`its frontier is not that of a tree of ${log.size} leaves`)
  }
  if (!checkpoint) {
    if (log.size > 0) throw stoppedBecause('its last checkpoint is missing')
    return frontier
  }
  if (checkpoint.size !== log.size)
    throw stoppedBecause(`its last checkpoint is of ${checkpoint.size} leaves, and it has ${log.size}`)
  if (!checkpoint.root.equals(frontier.root))
    throw stoppedBecause('its frontier gives another root than its last checkpoint')
  const signed = verifyNote(checkpoint.note, vkeys)
  if (
    !(
      signed?.origin === originOf(log.log_id, log.epoch) &&
      signed.size === log.size &&
      signed.root.equals(frontier.root)
    )
  )
    throw stoppedBecause('its last checkpoint is not signed by a key of this installation')
  return frontier
}
