import { Frontier, type Hash } from '../log/merkle.ts'
import { hashesPerTile, type Tile, tileLevels } from '../log/tiles.ts'

/** A tree that is rebuilt leaf by leaf, with the tiles that should be stored. */
export class RebuiltTree {
  readonly frontier = new Frontier()
  readonly epoch: number
  readonly #rows: Hash[][] = []
  #full: Tile[] = []

  constructor(epoch: number) {
    this.epoch = epoch
  }

  add(leaf: Hash) {
    this.frontier.add(leaf, ({ level, index }, hash) => {
      if (level % tileLevels !== 0) return
      const row = level / tileLevels
      const below = row > 0 ? this.#rows[row - 1] : undefined
      if (below) {
        this.#full.push({ level: row - 1, tile: index, hashes: Buffer.concat(below.slice(-hashesPerTile)), root: hash })
        below.length = 0
      }
      this.#rows[row] ??= []
      this.#rows[row].push(hash)
    })
  }

  /** The tiles that were completed since the last call. */
  takeTiles(): Tile[] {
    const full = this.#full
    this.#full = []
    return full
  }
}
