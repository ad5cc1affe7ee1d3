import type { Tx } from '#platform/db/database.ts'
import { type Frontier, type Hash, nodeHash, type Place } from './merkle.ts'
import { readLeaves, readRoots, readTiles } from './tile-queries.ts'

/** A tile spans this many levels of the tree: it stores the 256 lowest hashes, and those above are computed. */
export const tileLevels = 8
export const hashesPerTile = 2 ** tileLevels
const hashLength = 32

export const placeName = ({ level, index }: Place): string => `${level}/${index}`

export interface Tile {
  level: number
  tile: number
  hashes: Buffer
  root: Hash
}

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

/** Adds leaves to the tree, and answers the tiles that they complete. */
export async function grow(tx: Tx, epoch: number, frontier: Frontier, leaves: readonly Hash[]): Promise<Tile[]> {
  const known = await hashesOf(tx, epoch, placesBefore(frontier.size, frontier.size + leaves.length))
  const tiles: Tile[] = []
  for (const leaf of leaves)
    frontier.add(leaf, (place, hash) => {
      if (place.level % tileLevels !== 0) return
      // The hash above a full tile is its root.
      if (place.level > 0) tiles.push({ ...tileBelow(place, known), root: hash })
      known.set(placeName(place), hash)
    })
  return tiles
}

function tileBelow({ level, index }: Place, known: Map<string, Hash>) {
  const hashes: Hash[] = []
  for (let each = index * hashesPerTile; each < (index + 1) * hashesPerTile; each++) {
    const name = placeName({ level: level - tileLevels, index: each })
    hashes.push(known.get(name)!)
    known.delete(name)
  }
  return { level: level / tileLevels - 1, tile: index, hashes: Buffer.concat(hashes) }
}

/** The existing parts of the tiles that become full when the tree grows from one size to the other. */
function placesBefore(size: number, to: number): Place[] {
  const places: Place[] = []
  for (let level = 0, leaves = 1; leaves <= to; level += tileLevels, leaves *= hashesPerTile) {
    const begun = Math.floor(size / leaves)
    const tile = Math.floor(begun / hashesPerTile)
    if (Math.floor(to / leaves / hashesPerTile) === tile) continue
    for (let index = tile * hashesPerTile; index < begun; index++) places.push({ level, index })
  }
  return places
}
