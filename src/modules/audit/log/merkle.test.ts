// Every proof of every tree up to 130 leaves proves what it should and nothing else; merkle.answers.test.ts has the known answers.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { spoilt } from '#test/builders/proofs.ts'
import {
  consistencyPlaces,
  emptyRoot,
  Frontier,
  type Hash,
  inclusionPlaces,
  leafHash,
  type Place,
  proofOf,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'

const most = 130
/** The perfect subtrees of a log, and the root of each size. */
const places = new Map<string, Hash>()
const rootOf: Hash[] = [emptyRoot]
const leaves = Array.from({ length: most }, (_, n) => leafHash(Buffer.from(`leaf ${n}`)))
const nameOf = ({ level, index }: Place) => `${level}/${index}`
const tree = new Frontier()
for (const leaf of leaves) {
  tree.add(leaf, (place, hash) => places.set(nameOf(place), hash))
  rootOf.push(tree.root)
}
const hashOf = (place: Place) => places.get(nameOf(place))!
const inclusion = (index: number, size: number) => proofOf(inclusionPlaces(index, size), hashOf)
const consistency = (old: number, size: number) => proofOf(consistencyPlaces(old, size), hashOf)

describe('the tree (proves: AUD-04)', () => {
  it('proves each leaf of each size up to 130, and no other place, leaf or root by the same proof', () => {
    for (let size = 1; size <= most; size++)
      for (let index = 0; index < size; index++) {
        const proof = inclusion(index, size)
        const claim = { leaf: leaves[index]!, index, size, root: rootOf[size]! }
        assert.ok(verifyInclusion(claim, proof))
        // Only some of the large trees are tried, because each is tried in many ways.
        if (size > 40 && (index * 31 + size) % 97 !== 0) continue
        const wrong = [
          { ...claim, leaf: leaves[(index + 1) % most]! },
          { ...claim, index: index === 0 ? size : index - 1 },
          { ...claim, root: rootOf[size - 1]! },
        ]
        for (const each of wrong) assert.equal(verifyInclusion(each, proof), false)
        for (const each of spoilt(proof)) assert.equal(verifyInclusion(claim, each), false)
      }
  })

  it('proves each smaller size up to 130 to be its beginning, and nothing else by the same proof', () => {
    for (let size = 1; size <= most; size++)
      for (let old = 1; old <= size; old++) {
        const proof = consistency(old, size)
        const [from, to] = [
          { size: old, root: rootOf[old]! },
          { size, root: rootOf[size]! },
        ]
        assert.ok(verifyConsistency(from, to, proof))
        if (size > 40 && (old * 31 + size) % 97 !== 0) continue
        assert.equal(verifyConsistency({ ...from, root: rootOf[old - 1]! }, to, proof), false)
        assert.equal(verifyConsistency(from, { ...to, root: rootOf[size - 1]! }, proof), false)
        for (const each of spoilt(proof)) assert.equal(verifyConsistency(from, to, each), false)
      }
  })
})
