import { createHash } from 'node:crypto'

/**
 * The tree of RFC 6962 (2.1) over leaf hashes of 32 bytes. A subtree is perfect if the number of its leaves is a power of two and it begins
 * at a multiple of it. The hash of a full one never changes, so proofs are made from perfect subtrees only.
 */
export type Hash = Buffer

export const leafHash = (leaf: Uint8Array): Hash => createHash('sha256').update(zero).update(leaf).digest()
export const nodeHash = (left: Uint8Array, right: Uint8Array): Hash =>
  createHash('sha256').update(one).update(left).update(right).digest()
const zero = Buffer.of(0)
const one = Buffer.of(1)

/** The root of the empty tree. */
export const emptyRoot: Hash = createHash('sha256').digest()

/** A perfect subtree: its 2^level leaves begin at index * 2^level. */
export interface Place {
  level: number
  index: number
}

/** The perfect subtrees of `size` leaves, the largest first: one for each bit that is set. */
function frontierPlaces(size: number): Place[] {
  const places: Place[] = []
  let from = 0
  for (let level = 52; level >= 0; level--) {
    const leaves = 2 ** level
    if (size - from < leaves) continue
    places.push({ level, index: from / leaves })
    from += leaves
  }
  return places
}

/** A growing tree that stores only the roots of its perfect subtrees: about twenty hashes for a million leaves. */
export class Frontier {
  #size: number
  readonly #hashes: Hash[]

  /** `hashes` are those of `frontierPlaces(size)`. */
  constructor(size = 0, hashes: readonly Uint8Array[] = []) {
    if (frontierPlaces(size).length !== hashes.length)
      throw new Error(`${hashes.length} hashes are not the frontier of ${size} leaves`)
    this.#size = size
    this.#hashes = hashes.map(hash => Buffer.from(hash))
  }

  get size(): number {
    return this.#size
  }
  get hashes(): readonly Hash[] {
    return this.#hashes
  }
  get root(): Hash {
    return this.#hashes.length === 0 ? emptyRoot : this.#hashes.reduceRight((right, left) => nodeHash(left, right))
  }

  /** `completed` is called for each perfect subtree that this leaf completes, the leaf itself first. */
  add(hash: Uint8Array, completed?: (place: Place, hash: Hash) => void): void {
    let whole: Hash = Buffer.from(hash)
    let place: Place = { level: 0, index: this.#size }
    completed?.(place, whole)
    while (place.index % 2 === 1) {
      whole = nodeHash(this.#hashes.pop()!, whole)
      place = { level: place.level + 1, index: (place.index - 1) / 2 }
      completed?.(place, whole)
    }
    this.#hashes.push(whole)
    this.#size += 1
  }
}

/** The perfect subtrees of the leaves from `from` until before `to`, in order; the range must be a subtree of RFC 6962. */
const placesOf = (from: number, to: number): Place[] =>
  frontierPlaces(to - from).map(({ level, index }) => ({ level, index: from / 2 ** level + index }))

/** One hash of a proof, made from one or several perfect subtrees. */
export type ProofPlaces = Place[][]

/** RFC 6962, 2.1.1: the audit path of leaf `index` in a tree of `size` leaves, from below. */
export function inclusionPlaces(index: number, size: number): ProofPlaces {
  requireWithin(index, size)
  const way: ProofPlaces = []
  for (let [from, to] = [0, size]; to - from > 1; ) {
    const middle = from + largestPowerBelow(to - from)
    if (index < middle) {
      way.push(placesOf(middle, to))
      to = middle
    } else {
      way.push(placesOf(from, middle))
      from = middle
    }
  }
  return way.reverse()
}

/** RFC 6962, 2.1.2: the consistency proof from `old` to `size` leaves. Empty if both are equal, or the old tree is empty. */
export function consistencyPlaces(old: number, size: number): ProofPlaces {
  if (old > size || old < 0) throw new RangeError(`a tree of ${old} leaves is not the beginning of one of ${size}`)
  if (old === 0) return []
  const places: ProofPlaces = []
  let [from, to] = [0, size]
  let isWhole = true
  while (to !== old) {
    const middle = from + largestPowerBelow(to - from)
    if (old <= middle) {
      places.push(placesOf(middle, to))
      to = middle
    } else {
      places.push(placesOf(from, middle))
      from = middle
      isWhole = false
    }
  }
  if (!isWhole) places.push(placesOf(from, to))
  return places.reverse()
}

function largestPowerBelow(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

function requireWithin(index: number, size: number) {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size)) || index < 0 || index >= size)
    throw new RangeError(`there is no leaf ${index} in a tree of ${size}`)
}

/** Computes the hashes of a proof from the perfect subtrees that `hashOf` answers. */
export const proofOf = (places: ProofPlaces, hashOf: (place: Place) => Hash): Hash[] =>
  places.map(each => each.map(hashOf).reduceRight((right, left) => nodeHash(left, right)))

/** RFC 9162, 2.1.3.2: verifies that the leaf is at this index of the tree with this root. */
export function verifyInclusion(
  { leaf, index, size, root }: { leaf: Hash; index: number; size: number; root: Hash },
  proof: readonly Hash[],
): boolean {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size)) || index < 0 || index >= size) return false
  let [fn, sn, hash] = [index, size - 1, leaf]
  for (const each of proof) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      hash = nodeHash(each, hash)
      while (fn % 2 === 0 && fn !== 0) {
        fn /= 2
        sn = Math.floor(sn / 2)
      }
    } else hash = nodeHash(hash, each)
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  return sn === 0 && hash.equals(root)
}

interface Tree {
  size: number
  root: Hash
}

/** RFC 9162, 2.1.4.2: verifies that the tree begins with the old one. */
export function verifyConsistency(old: Tree, tree: Tree, proof: readonly Hash[]): boolean {
  if (!(Number.isSafeInteger(old.size) && Number.isSafeInteger(tree.size))) return false
  if (old.size < 0 || old.size > tree.size) return false
  if (old.size === tree.size) return proof.length === 0 && old.root.equals(tree.root)
  if (old.size === 0) return proof.length === 0 && old.root.equals(emptyRoot)
  const [first, ...rest] = isPowerOfTwo(old.size) ? [old.root, ...proof] : proof
  if (!first) return false
  let [fn, sn] = [old.size - 1, tree.size - 1]
  while (fn % 2 === 1) {
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  let [before, after] = [first, first]
  for (const each of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      before = nodeHash(each, before)
      after = nodeHash(each, after)
      while (fn % 2 === 0 && fn !== 0) {
        fn /= 2
        sn = Math.floor(sn / 2)
      }
    } else after = nodeHash(after, each)
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  return sn === 0 && before.equals(old.root) && after.equals(tree.root)
}

const isPowerOfTwo = (size: number) => 2 ** Math.round(Math.log2(size)) === size
