import { emptyRoot, type Hash } from '../../../src/modules/audit/log/merkle.ts'

/** Invalid variants of a proof: one hash too many, one too few, each with a bit turned, and any two that are not in their order. */
export function* spoilt(proof: readonly Hash[]) {
  yield [...proof, emptyRoot]
  for (let n = 0; n < proof.length; n++) {
    yield proof.toSpliced(n, 1)
    const turned = Buffer.from(proof[n]!)
    turned[n % 32]! ^= 1 << (n % 8)
    yield proof.with(n, turned)
    if (n > 0) yield proof.with(n, proof[n - 1]!).with(n - 1, proof[n]!)
  }
}
