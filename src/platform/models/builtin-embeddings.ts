import type { Embeddings } from './embeddings.ts'
import { subword_dimensions, subword_version, subwordVector } from './subword.ts'
import { unit } from './unit.ts'

const batchSize = 16

/** Embeddings without a model, which are the same everywhere. */
export const builtin: Embeddings = {
  id: `builtin:subword-${subword_version}:${subword_dimensions}`,
  dimensions: subword_dimensions,
  isLexical: true,
  isLocal: true,
  async embed(texts, _kind, signal) {
    const vectors: Float32Array[] = []
    for (const [index, text] of texts.entries()) {
      signal?.throwIfAborted()
      vectors.push(unit(subwordVector(text)))
      // Lets other requests be answered in between.
      if (index % batchSize === batchSize - 1) await new Promise(setImmediate)
    }
    return vectors
  },
  state: () => ({ status: 'Operational' }),
  reach: async () => {},
  former: () => undefined,
}
