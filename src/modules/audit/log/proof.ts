import type { Tx } from '#platform/db/database.ts'
import { consistencyPlaces, type Hash, inclusionPlaces, type ProofPlaces, proofOf } from './merkle.ts'
import { keyId, openNote, originOf, verifierKey } from './note.ts'
import { listAuditKeys, readFirstSeq } from './queries.ts'
import { hashesOf, placeName } from './tiles.ts'

/** Proofs in trees of one epoch, whose hashes are read together. */
async function readProofs(tx: Tx, epoch: number, all: readonly ProofPlaces[]): Promise<Hash[][]> {
  const places = new Map(all.flat(2).map(place => [placeName(place), place]))
  const hashes = await hashesOf(tx, epoch, [...places.values()])
  return all.map(each => proofOf(each, place => hashes.get(placeName(place))!))
}

/** Inclusion proofs of these leaves in the trees of the given sizes, in the order of the leaves. */
export async function inclusionProofs(
  tx: Tx,
  sizes: ReadonlyMap<number, number>,
  leaves: readonly { epoch: number; leaf_index: number }[],
): Promise<Hash[][]> {
  const found = new Map<(typeof leaves)[number], Hash[]>()
  for (const [epoch, those] of Map.groupBy(leaves, leaf => leaf.epoch)) {
    const size = sizes.get(epoch)
    if (size === undefined) throw new Error(`no tree of epoch ${epoch}`)
    const proofs = await readProofs(
      tx,
      epoch,
      those.map(leaf => inclusionPlaces(leaf.leaf_index, size)),
    )
    for (const [n, leaf] of those.entries()) found.set(leaf, proofs[n]!)
  }
  return leaves.map(leaf => found.get(leaf)!)
}

/** The consistency proof between two sizes of a tree. */
export const consistencyProof = async (tx: Tx, epoch: number, old: number, size: number): Promise<Hash[]> =>
  (await readProofs(tx, epoch, [consistencyPlaces(old, size)]))[0]!

/** The keys that may sign a checkpoint of this epoch. */
export const verifierKeys = async (tx: Tx, origin: string) =>
  (await listAuditKeys(tx)).map(({ public_key }) => verifierKey(origin, Buffer.from(public_key, 'base64')))

interface StoredCheckpoint {
  epoch: number
  size: number
  root: Buffer
  note: string
  created_at: string
}

export async function describeCheckpoint(
  tx: Tx,
  log_id: string,
  { epoch, size, root, note, created_at }: StoredCheckpoint,
) {
  const origin = originOf(log_id, epoch)
  const [firstSeq, keys] = await Promise.all([readFirstSeq(tx, epoch), listAuditKeys(tx)])
  const signers = openNote(note)?.signatures ?? []
  const vkeys = keys
    .map(({ public_key }) => Buffer.from(public_key, 'base64'))
    .filter(key => signers.some(each => each.keyId.equals(keyId(origin, key))))
    .map(key => verifierKey(origin, key))
  return { origin, epoch, size, seq: firstSeq! + size - 1, root: root.toString('base64'), note, vkeys, created_at }
}
