import type { Hash } from '../log/merkle.ts'
import { originOf, verifyNote } from '../log/note.ts'
import type { Findings } from './findings.ts'
import { listCheckpoints, type Read, type StoredLog } from './queries.ts'
import type { Trust } from './trust.ts'

const checkpointsPerPage = 500

interface Size {
  epoch: number
  size: number
}

const isBefore = (a: Size, b: Size) => a.epoch < b.epoch || (a.epoch === b.epoch && a.size < b.size)

/** Compares the stored checkpoints in order with the rebuilt trees of the same size. */
export class StoredCheckpoints {
  /** The last checkpoint, with the root that it should have. */
  last: (Size & { root: Hash }) | undefined
  readonly #read: Read
  readonly #log: StoredLog
  readonly #trust: Trust
  readonly #findings: Findings
  #page: Awaited<ReturnType<typeof listCheckpoints>> = []
  #listed: Size = { epoch: 0, size: 0 }
  #isAll = false

  constructor(read: Read, log: StoredLog, trust: Trust, findings: Findings) {
    this.#read = read
    this.#log = log
    this.#trust = trust
    this.#findings = findings
  }

  /** Called with each size of each epoch, in ascending order. */
  async compare(epoch: number, size: number, root: () => Hash) {
    await this.#skipTo({ epoch, size })
    const next = await this.#next()
    if (next?.epoch !== epoch || next.size !== size) return
    this.#page.shift()
    this.#findings.checked.checkpoints += 1
    this.last = { epoch, size, root: root() }
    if (!next.root.equals(this.last.root))
      this.#findings.fail(
        'root',
        `The first ${size} entries of epoch ${epoch} do not hash to the root of their checkpoint`,
      )
    const origin = originOf(this.#log.log_id, epoch)
    const body = verifyNote(next.note, this.#trust.vkeys(origin))
    if (body?.origin !== origin || body.size !== size || !body.root.equals(next.root))
      this.#findings.fail(
        'signature',
        `The checkpoint of ${size} entries of epoch ${epoch} is not signed by a key of this trail`,
      )
  }

  /** Called after all entries; checkpoints that are left match none. */
  end() {
    return this.#skipTo({ epoch: this.#log.epoch + 1, size: 0 })
  }

  async #skipTo(size: Size) {
    for (let next = await this.#next(); next && isBefore(next, size); next = await this.#next()) {
      this.#findings.fail(
        'root',
        `The checkpoint of ${next.size} entries of epoch ${next.epoch} belongs to a tree that is missing`,
      )
      this.#page.shift()
    }
  }

  async #next() {
    if (this.#page.length === 0 && !this.#isAll) {
      this.#page = await this.#read(tx => listCheckpoints(tx, this.#listed, this.#log, checkpointsPerPage))
      this.#isAll = this.#page.length < checkpointsPerPage
      this.#listed = this.#page.at(-1) ?? this.#listed
    }
    return this.#page[0]
  }
}
