import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { listAuditKeys, readFirstSeq } from '../sealing/queries.ts'
import { consistencyPlaces, type Hash, inclusionPlaces, type ProofPlaces, proofOf } from './merkle.ts'
import { keyId, openNote, originOf, verifierKey } from './note.ts'
import { hashesOf, placeName } from './queries.ts'

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

/** The place of an entry, the hashed text, and the openings of its commitments. */
export const readProvable = (tx: Tx, id: number) =>
  tx
    .selectFrom('audit_entries as e')
    .innerJoin('audit_leaves as l', join =>
      join.onRef('l.tenant_id', '=', 'e.tenant_id').onRef('l.entry_id', '=', 'e.id'),
    )
    .innerJoin('audit_epochs as p', join =>
      join.onRef('p.tenant_id', '=', 'l.tenant_id').onRef('p.epoch', '=', 'l.epoch'),
    )
    .select(['e.id as entry_id', 'e.leaf', 'e.leaf_hash', 'l.seq', 'l.epoch'])
    .select([
      sql<number>`l.seq - p.first_seq`.as('index'),
      openingOf('person').as('person'),
      openingOf('detail').as('detail'),
    ])
    .where('e.id', '=', id)
    .executeTakeFirst()

const openingOf = (part: 'person' | 'detail') => {
  const [salt, opening] = [sql.ref(`e.${part}_salt`), sql.raw(`audit_${part}(e)`)]
  return sql<{
    salt: string
    opening: string
  } | null>`case when ${salt} is not null then json_build_object('salt', encode(${salt}, 'hex'), 'opening', ${opening}) end`
}

export const isWritten = async (tx: Tx, id: number) =>
  (await tx.selectFrom('audit_entries').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
