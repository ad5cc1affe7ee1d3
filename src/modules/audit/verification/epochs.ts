import { Frontier, type Hash } from '../log/merkle.ts'
import { hashesPerTile, type Tile, tileLevels } from '../log/tiles.ts'
import type { StoredCheckpoints } from './checkpoints.ts'
import type { Findings } from './findings.ts'
import { findTiles, type LeafToVerify, type Read, type StoredLog } from './queries.ts'

/** A tree that is rebuilt leaf by leaf, with the tiles that should be stored. */
class RebuiltTree {
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

/** Rebuilds the trees of the epochs from their entries, one after the other. */
export class RebuiltEpochs {
  /** The tree of the current epoch. */
  tree: RebuiltTree | undefined
  readonly #read: Read
  readonly #log: StoredLog
  readonly #checkpoints: StoredCheckpoints
  readonly #findings: Findings

  constructor(read: Read, log: StoredLog, checkpoints: StoredCheckpoints, findings: Findings) {
    this.#read = read
    this.#log = log
    this.#checkpoints = checkpoints
    this.#findings = findings
    for (const { epoch, is_told } of log.epochs)
      if (!is_told) findings.fail('epoch', `Epoch ${epoch} does not match its first entry`)
  }

  /** The tree that an entry belongs to. */
  async treeOf(row: LeafToVerify): Promise<RebuiltTree> {
    if (this.tree?.epoch === row.epoch) return this.tree
    await this.compareTiles()
    this.endEpoch()
    this.#compareBeginning(row)
    this.#findings.checked.epochs += 1
    this.tree = new RebuiltTree(row.epoch)
    return this.tree
  }

  endEpoch() {
    const { last } = this.#checkpoints
    const { tree } = this
    if (tree && (last?.epoch !== tree.epoch || last.size !== tree.frontier.size))
      this.#findings.fail(
        'epoch',
        `Epoch ${tree.epoch} has ${tree.frontier.size} entries, but no checkpoint covers all of them`,
      )
  }

  #compareBeginning({ epoch, seq, entry_id, action, changes }: LeafToVerify) {
    const stored = this.#log.epochs.find(each => each.epoch === epoch)
    if (stored?.first_seq !== seq || (epoch > 1 && stored.first_entry_id !== entry_id))
      this.#findings.fail('epoch', `Epoch ${epoch} does not begin at its recorded place`, { seq, entry_id })
    if (!this.tree) return
    const { last } = this.#checkpoints
    const said = changes?.last_checkpoint?.to as { epoch: number; size: number; root: string } | undefined
    const isLinked =
      !last || (said?.epoch === last.epoch && said.size === last.size && said.root === last.root.toString('base64'))
    if (action !== 'audit.epoch_started' || !isLinked)
      this.#findings.fail('epoch', `Epoch ${epoch} does not begin with the end of the previous one`, { seq, entry_id })
  }

  /** Compares the tiles that were completed since the last call. */
  async compareTiles() {
    if (!this.tree) return
    const { epoch } = this.tree
    const full = this.tree.takeTiles()
    if (full.length === 0) return
    const stored = await this.#read(tx => findTiles(tx, epoch, full))
    const found = new Map(stored.map(each => [`${each.level}/${each.tile}`, each]))
    for (const { level, tile, hashes, root } of full) {
      const one = found.get(`${level}/${tile}`)
      this.#findings.checked.tiles += 1
      if (!one?.hashes.equals(hashes) || !one.root.equals(root))
        this.#findings.fail('tile', `Tile ${level}/${tile} of epoch ${epoch} does not match its entries`)
    }
  }
}
