// The tree of RFC 6962 and its proofs: known answers, small trees against the definition of the RFC, and invalid proofs. It takes a
// fraction of a second; merkle.test.ts goes on to trees of 130 leaves.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { spoilt } from '#test/builders/proofs.ts'
import {
  consistencyPlaces,
  emptyRoot,
  Frontier,
  type Hash,
  inclusionPlaces,
  leafHash,
  nodeHash,
  type Place,
  type ProofPlaces,
  proofOf,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'

/** The test vectors of Certificate Transparency: leaves and roots. */
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
/** The expected proofs by index (from 0) and size, and by two sizes. */
const inclusions: [index: number, size: number, proof: string[]][] = [
  [0, 1, []],
  [
    ...([0, 8] as const),
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    ...([5, 8] as const),
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    ...([1, 5] as const),
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
]
const consistencies: [old: number, size: number, proof: string[]][] = [
  [1, 1, []],
  [
    ...([1, 8] as const),
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    ...([6, 8] as const),
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    ...([2, 5] as const),
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
]

/** The definitions of RFC 6962, 2.1: tree hash, audit path and consistency proof, each from all leaves. */
const hash = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const powerBelow = (size: number) => 2 ** Math.ceil(Math.log2(size) - 1)
const rootOf = (leaves: readonly Hash[]): Hash => {
  if (leaves.length < 2) return leaves[0] ?? hash()
  const half = powerBelow(leaves.length)
  return hash(Buffer.of(1), rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)))
}
const pathOf = (index: number, leaves: readonly Hash[]): Hash[] => {
  if (leaves.length === 1) return []
  const half = powerBelow(leaves.length)
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)]
  return index < half ? [...pathOf(index, left), rootOf(right)] : [...pathOf(index - half, right), rootOf(left)]
}
const beginningOf = (old: number, leaves: readonly Hash[], isWhole = true): Hash[] => {
  if (old === leaves.length) return isWhole ? [] : [rootOf(leaves)]
  const half = powerBelow(leaves.length)
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)]
  return old <= half
    ? [...beginningOf(old, left, isWhole), rootOf(right)]
    : [...beginningOf(old - half, right, false), rootOf(left)]
}

const most = 17
const leaves = Array.from({ length: most }, (_, n) => leafHash(Buffer.from(`leaf ${n}`)))
const sizes = Array.from({ length: most + 1 }, (_, size) => size)
const treeOf = (size: number) => ({ size, root: rootOf(leaves.slice(0, size)) })
const forest = (hashes: readonly Hash[]) => {
  const [tree, known] = [new Frontier(), new Map<string, Hash>()]
  for (const each of hashes) tree.add(each, ({ level, index }, whole) => known.set(`${level}/${index}`, whole))
  return {
    tree,
    proof: (places: ProofPlaces) => proofOf(places, ({ level, index }) => known.get(`${level}/${index}`)!),
  }
}
const { proof } = forest(leaves)
const inclusion = (index: number, size: number) => proof(inclusionPlaces(index, size))
const consistency = (old: number, size: number) => proof(consistencyPlaces(old, size))
const hex = (hashes: readonly Hash[]) => hashes.map(each => each.toString('hex'))

describe('the tree and its proofs (proves: AUD-04)', () => {
  it('are those that the tests of Certificate Transparency expect', () => {
    const known = vector.map(leaf => leafHash(Buffer.from(leaf, 'hex')))
    const { proof } = forest(known)
    assert.equal(new Frontier().root.toString('hex'), hash().toString('hex'))
    const rootAt = (size: number) => Buffer.from(roots[size - 1]!, 'hex')
    for (const [n, root] of roots.entries()) assert.equal(forest(known.slice(0, n + 1)).tree.root.toString('hex'), root)
    for (const [index, size, expected] of inclusions) {
      const found = proof(inclusionPlaces(index, size))
      assert.deepEqual(hex(found), expected)
      assert.ok(verifyInclusion({ leaf: known[index]!, index, size, root: rootAt(size) }, found))
    }
    for (const [old, size, expected] of consistencies) {
      const found = proof(consistencyPlaces(old, size))
      assert.deepEqual(hex(found), expected)
      assert.ok(verifyConsistency({ size: old, root: rootAt(old) }, { size, root: rootAt(size) }, found))
    }
  })

  it('have the root of three leaves that C2SP gives as its example', () => {
    const { tree } = forest(
      [
        'a7fd2587960258764944bb88591b6a547dd4938b1a07f73643fc23d19de5d752',
        '29535de016586bea70a8c17bc8ae99c30cd2c5ac398bca627e88228a113821f0',
        '36774513694f51444e42f323ea7e7bec2da335aa98f715ebafa619edc37b48f1',
      ].map(each => Buffer.from(each, 'hex')),
    )
    assert.equal(tree.root.toString('hex'), '7696bd9c16d00ed933b63de480cd490b895689f63a2918ccbd52ce9360bcb117')
  })

  it('are those of the words of the RFC, of each tree of 0 to 17 leaves', () => {
    const growing = new Frontier()
    for (const size of sizes) {
      const all = leaves.slice(0, size)
      assert.equal(growing.size, size)
      assert.deepEqual(growing.root, rootOf(all))
      for (let index = 0; index < size; index++) {
        const found = inclusion(index, size)
        assert.deepEqual(found, pathOf(index, all))
        assert.ok(verifyInclusion({ leaf: leaves[index]!, index, ...treeOf(size) }, found))
      }
      for (let old = 0; old <= size; old++) {
        const found = consistency(old, size)
        assert.deepEqual(found, old === 0 ? [] : beginningOf(old, all))
        assert.ok(verifyConsistency(treeOf(old), treeOf(size), found))
      }
      if (size < most) growing.add(leaves[size]!)
    }
  })

  it('go on from the hashes that were kept of a tree, as if all its leaves were there', () => {
    for (const size of sizes.slice(0, -1)) {
      const { tree } = forest(leaves.slice(0, size))
      const kept = new Frontier(tree.size, tree.hashes)
      for (const leaf of leaves.slice(size)) kept.add(leaf)
      assert.deepEqual([kept.size, kept.root], [most, rootOf(leaves)])
    }
    assert.throws(() => new Frontier(3, [leaves[0]!]), { message: '1 hashes are not the frontier of 3 leaves' })
    assert.throws(() => new Frontier(0, [leaves[0]!]), { message: '1 hashes are not the frontier of 0 leaves' })
  })

  it('are told of each perfect subtree as it becomes full, from below', () => {
    const told: [Place, Hash][] = []
    const tree = new Frontier()
    for (const leaf of leaves.slice(0, 4)) tree.add(leaf, (place, whole) => told.push([place, whole]))
    const pair = nodeHash(leaves[0]!, leaves[1]!)
    const other = nodeHash(leaves[2]!, leaves[3]!)
    assert.deepEqual(told, [
      [{ level: 0, index: 0 }, leaves[0]],
      [{ level: 0, index: 1 }, leaves[1]],
      [{ level: 1, index: 0 }, pair],
      [{ level: 0, index: 2 }, leaves[2]],
      [{ level: 0, index: 3 }, leaves[3]],
      [{ level: 1, index: 1 }, other],
      [{ level: 2, index: 0 }, nodeHash(pair, other)],
    ])
    assert.deepEqual(tree.hashes, [nodeHash(pair, other)])
  })

  it('are there of trees that no machine holds', () => {
    const size = 2 ** 52 + 1
    assert.deepEqual(inclusionPlaces(size - 1, size), [[{ level: 52, index: 0 }]])
    assert.deepEqual(consistencyPlaces(size - 1, size), [[{ level: 0, index: size - 1 }]])
  })
})

describe('what is no proof (proves: AUD-04)', () => {
  it('is refused: of another leaf, place, size or root, and with a hash too many, too few, changed or misplaced', () => {
    for (const size of sizes.slice(1))
      for (let index = 0; index < size; index++) {
        const found = inclusion(index, size)
        const claim = { leaf: leaves[index]!, index, ...treeOf(size) }
        for (const wrong of [
          { ...claim, leaf: leaves[(index + 1) % most]! },
          { ...claim, root: rootOf(leaves.slice(0, size - 1)) },
          ...sizes.filter(other => other !== index).map(other => ({ ...claim, index: other })),
        ])
          assert.equal(verifyInclusion(wrong, found), false, `${index} of ${size}`)
        for (const each of spoilt(found)) assert.equal(verifyInclusion(claim, each), false, `${index} of ${size}`)
      }
    for (const size of sizes.slice(1))
      for (let old = 1; old <= size; old++) {
        const [from, to, found] = [treeOf(old), treeOf(size), consistency(old, size)]
        const refused = (...[one, other, proof]: Parameters<typeof verifyConsistency>) =>
          assert.equal(verifyConsistency(one, other, proof), false, `${old} of ${size}`)
        refused({ ...from, root: rootOf(leaves.slice(0, old - 1)) }, to, found)
        refused(from, { ...to, root: rootOf(leaves.slice(0, size - 1)) }, found)
        for (const each of spoilt(found)) refused(from, to, each)
        for (const other of sizes) if (other > old && other < size) refused({ ...from, size: other }, to, found)
      }
  })

  it('is refused where the hash too many is already part of the root', () => {
    const [leaf, more] = [leaves[0]!, leaves[1]!]
    const claim = { leaf, index: 0, size: 1 }
    for (const root of [nodeHash(leaf, more), nodeHash(more, leaf)])
      assert.equal(verifyInclusion({ ...claim, root }, [more]), false)
    const proof = consistency(3, 4)
    const longer = (root: Hash) => nodeHash(more, root)
    const [old, tree] = [treeOf(3), treeOf(4)]
    assert.equal(
      verifyConsistency({ ...old, root: longer(old.root) }, { ...tree, root: longer(tree.root) }, [...proof, more]),
      false,
    )
  })

  it('is refused where it ends below the root, though what it comes to is called the root', () => {
    const [first] = inclusion(0, 4)
    const root = nodeHash(leaves[0]!, first!)
    assert.equal(verifyInclusion({ leaf: leaves[0]!, index: 0, size: 4, root }, [first!]), false)
    assert.equal(verifyConsistency(treeOf(2), { size: 4, root: treeOf(2).root }, []), false)
  })

  it('is refused of a place that no tree has, whatever the leaf and the root', () => {
    const leaf = leaves[0]!
    for (const [index, size] of [
      [-1, 1],
      [1, 1],
      [0.5, 1],
      [0, 0],
      [Number.NaN, 1],
      [0, Number.NaN],
      [0, Number.POSITIVE_INFINITY],
    ] as const) {
      assert.equal(verifyInclusion({ leaf, index, size, root: leaf }, []), false, `${index} of ${size}`)
      assert.throws(() => inclusionPlaces(index, size), {
        name: 'RangeError',
        message: `there is no leaf ${index} in a tree of ${size}`,
      })
    }
    const root = nodeHash(leaf, leaves[1]!)
    assert.equal(verifyInclusion({ leaf, index: 0, size: 1.5, root }, [leaves[1]!]), false)
  })

  it('is refused of a beginning that is longer than its tree, or as long and another', () => {
    const tree = treeOf(4)
    assert.equal(verifyConsistency({ ...tree, size: 5 }, tree, []), false)
    assert.equal(verifyConsistency({ size: 2, root: leaves[0]! }, { size: 1, root: leaves[0]! }, []), false)
    assert.equal(verifyConsistency({ ...tree, root: emptyRoot }, tree, []), false)
    assert.equal(verifyConsistency(tree, tree, [emptyRoot]), false)
    for (const old of [5, -1])
      assert.throws(() => consistencyPlaces(old, 4), {
        name: 'RangeError',
        message: `a tree of ${old} leaves is not the beginning of one of 4`,
      })
  })

  it('is refused of a beginning of a size that no tree has, whatever the roots', () => {
    const [root, other] = [leaves[0]!, leaves[1]!]
    for (const size of [-1, Number.NaN])
      assert.equal(verifyConsistency({ size, root }, { size: 1, root }, [root]), false, `${size}`)
    const tree = { size: 2.5, root: nodeHash(root, other) }
    assert.equal(verifyConsistency({ size: 1, root }, tree, [other]), false)
  })

  it('is refused of an empty beginning with a root or a proof', () => {
    const tree = treeOf(4)
    assert.equal(verifyConsistency({ size: 0, root: leaves[0]! }, tree, []), false)
    assert.equal(verifyConsistency({ size: 0, root: emptyRoot }, tree, [leaves[0]!]), false)
  })

  it('is refused where nothing is given', () => {
    assert.equal(verifyConsistency(treeOf(3), treeOf(5), []), false)
    assert.equal(verifyInclusion({ leaf: leaves[0]!, index: 0, ...treeOf(2) }, []), false)
  })
})
