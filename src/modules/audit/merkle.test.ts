// The tree of RFC 6962, against known answers, and each proof of each small tree against what it must and must not prove.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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

/** The leaves that the tests of Certificate Transparency use, and their roots. */
const vector = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const most = 300
/** Of a log of so many leaves: every perfect subtree, and the root of each size. */
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
  it('has the roots that RFC 6962 gives it', () => {
    const known = new Frontier()
    vector.forEach((leaf, n) => {
      known.add(leafHash(Buffer.from(leaf, 'hex')))
      assert.equal(known.root.toString('hex'), roots[n])
    })
    const three = new Frontier()
    for (const hash of [
      'a7fd2587960258764944bb88591b6a547dd4938b1a07f73643fc23d19de5d752',
      '29535de016586bea70a8c17bc8ae99c30cd2c5ac398bca627e88228a113821f0',
      '36774513694f51444e42f323ea7e7bec2da335aa98f715ebafa619edc37b48f1',
    ])
      three.add(Buffer.from(hash, 'hex'))
    assert.equal(three.root.toString('hex'), '7696bd9c16d00ed933b63de480cd490b895689f63a2918ccbd52ce9360bcb117')
  })

  it('proves each leaf of each size up to 300, and no other place, leaf or root by the same proof', () => {
    for (let size = 1; size <= most; size++)
      for (let index = 0; index < size; index++) {
        const proof = inclusion(index, size)
        const claim = { leaf: leaves[index]!, index, size, root: rootOf[size]! }
        assert.ok(verifyInclusion(claim, proof))
        // In order that all of it takes a second, of the large trees only some are tried.
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

  it('proves each smaller size up to 300 to be its beginning, and nothing else by the same proof', () => {
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

  it('proves no beginning that is longer than it is', () => {
    assert.equal(verifyConsistency({ size: 5, root: rootOf[5]! }, { size: 4, root: rootOf[4]! }, []), false)
    assert.throws(() => consistencyPlaces(5, 4), RangeError)
    assert.throws(() => inclusionPlaces(4, 4), RangeError)
  })
})

/** One hash too many, one too few, each with a bit turned, and any two that are not in their order. */
function* spoilt(proof: readonly Hash[]) {
  yield [...proof, emptyRoot]
  for (let n = 0; n < proof.length; n++) {
    yield proof.toSpliced(n, 1)
    const turned = Buffer.from(proof[n]!)
    turned[n % 32]! ^= 1 << (n % 8)
    yield proof.with(n, turned)
    if (n > 0) yield proof.with(n, proof[n - 1]!).with(n - 1, proof[n]!)
  }
}
