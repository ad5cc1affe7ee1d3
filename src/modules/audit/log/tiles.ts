import type { Tx } from '#platform/db/database.ts'
import type { Tile } from '../sealing/queries.ts'
import type { Frontier, Hash, Place } from './merkle.ts'
import { hashesOf, hashesPerTile, placeName, tileLevels } from './queries.ts'

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
