import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { type Hash, nodeHash, type Place } from './merkle.ts'

/** The sealed state of the log of the tenant. */
export const readLog = (tx: Tx) =>
  tx.selectFrom('audit_logs').select(['log_id', 'epoch', 'size', 'seq', 'frontier']).executeTakeFirstOrThrow()
export type Log = Awaited<ReturnType<typeof readLog>>

/** The newest checkpoint of an epoch, by default of the last one; or the checkpoint of exactly this size. */
export const latestCheckpoint = (tx: Tx, { epoch, size }: { epoch?: number; size?: number } = {}) =>
  tx
    .selectFrom('audit_checkpoints')
    .select(['epoch', 'size', 'root', 'note', 'created_at'])
    .$if(epoch !== undefined, query => query.where('epoch', '=', epoch!))
    .$if(size !== undefined, query => query.where('size', '=', size!))
    .orderBy('epoch', 'desc')
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()
export type Checkpoint = NonNullable<Awaited<ReturnType<typeof latestCheckpoint>>>

/** A tile spans this many levels of the tree: it stores the 256 lowest hashes, and those above are computed. */
export const tileLevels = 8
export const hashesPerTile = 2 ** tileLevels
const hashLength = 32

export const placeName = ({ level, index }: Place): string => `${level}/${index}`

/** The root of the perfect tree over these hashes. */
function rootOver(hashes: readonly Hash[]): Hash {
  let row = hashes
  while (row.length > 1) {
    const above: Hash[] = []
    for (let index = 0; index < row.length; index += 2) above.push(nodeHash(row[index]!, row[index + 1]!))
    row = above
  }
  return row[0]!
}

/** The hashes of perfect subtrees by `placeName`, in three statements, however many they are. Each subtree must be full. */
export async function hashesOf(tx: Tx, epoch: number, places: readonly Place[]): Promise<Map<string, Hash>> {
  const wanted = places.map(place => {
    const height = place.level % tileLevels
    const first = place.index * 2 ** height
    return {
      name: placeName(place),
      level: (place.level - height) / tileLevels,
      tile: Math.floor(first / hashesPerTile),
      first,
      count: 2 ** height,
    }
  })
  const tiles = new Map(wanted.map(each => [`${each.level}/${each.tile}`, each]))
  const full = new Map<string, Buffer>()
  if (tiles.size > 0)
    for (const { level, tile, hashes } of await readTiles(tx, epoch, [...tiles.values()]))
      full.set(`${level}/${tile}`, hashes)

  const found = new Map<string, Hash>()
  const rest: typeof wanted = []
  for (const each of wanted) {
    const hashes = full.get(`${each.level}/${each.tile}`)
    if (hashes) found.set(each.name, rootOver(split(hashes, each.first % hashesPerTile, each.count)))
    else rest.push(each)
  }
  const [leaves, roots] = await Promise.all([
    readLeaves(
      tx,
      epoch,
      rest.filter(({ level }) => level === 0),
    ),
    readRoots(
      tx,
      epoch,
      rest.filter(({ level }) => level > 0),
    ),
  ])
  for (const { name, level, first, count } of rest) {
    const below = level === 0 ? leaves : roots
    const hashes: Hash[] = []
    for (let index = first; index < first + count; index++) {
      const hash = below.get(`${level}/${index}`)
      if (!hash) throw new RangeError(`epoch ${epoch} has no hash at ${name}`)
      hashes.push(hash)
    }
    found.set(name, rootOver(hashes))
  }
  return found
}

const split = (hashes: Buffer, first: number, count: number): Hash[] =>
  Array.from({ length: count }, (_, index) =>
    hashes.subarray((first + index) * hashLength, (first + index + 1) * hashLength),
  )

const readTiles = (tx: Tx, epoch: number, wanted: readonly { level: number; tile: number }[]) =>
  tx
    .selectFrom('audit_tiles')
    .select(['level', 'tile', 'hashes'])
    .where('epoch', '=', epoch)
    .where(
      sql<boolean>`(level, tile) in (select * from unnest(${wanted.map(({ level }) => level)}::int[], ${wanted.map(({ tile }) => tile)}::bigint[]))`,
    )
    .execute()

interface Run {
  level: number
  first: number
  count: number
}
const indexesOf = (runs: readonly Run[]) => {
  const all = new Map<string, { level: number; index: number }>()
  for (const { level, first, count } of runs)
    for (let index = first; index < first + count; index++) all.set(`${level}/${index}`, { level, index })
  return [...all.values()]
}

/** The hashes of leaves that are in no full tile: at most 255 in each epoch. */
async function readLeaves(tx: Tx, epoch: number, runs: readonly Run[]): Promise<Map<string, Hash>> {
  if (runs.length === 0) return new Map()
  const rows = await tx
    .selectFrom('audit_leaves as l')
    .innerJoin('audit_epochs as p', join =>
      join.onRef('p.tenant_id', '=', 'l.tenant_id').onRef('p.epoch', '=', 'l.epoch'),
    )
    .innerJoin('audit_entries as e', join =>
      join.onRef('e.tenant_id', '=', 'l.tenant_id').onRef('e.id', '=', 'l.entry_id'),
    )
    .select([sql<number>`l.seq - p.first_seq`.as('index'), 'e.leaf_hash'])
    .where('l.epoch', '=', epoch)
    .where(
      sql<boolean>`l.seq = any (select first_seq + i from audit_epochs, unnest(${indexesOf(runs).map(({ index }) => index)}::bigint[]) i where epoch = ${epoch})`,
    )
    .execute()
  return new Map(rows.map(({ index, leaf_hash }) => [`0/${index}`, leaf_hash]))
}

/** A hash above the first level is the root of a full tile below. */
async function readRoots(tx: Tx, epoch: number, runs: readonly Run[]): Promise<Map<string, Hash>> {
  if (runs.length === 0) return new Map()
  const all = indexesOf(runs)
  const rows = await tx
    .selectFrom('audit_tiles')
    .select(['level', 'tile', 'root'])
    .where('epoch', '=', epoch)
    .where(
      sql<boolean>`(level, tile) in (select * from unnest(${all.map(({ level }) => level - 1)}::int[], ${all.map(({ index }) => index)}::bigint[]))`,
    )
    .execute()
  return new Map(rows.map(({ level, tile, root }) => [`${level + 1}/${tile}`, root]))
}
