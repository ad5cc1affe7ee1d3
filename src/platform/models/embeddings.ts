import type { Config, EmbeddingsConfig } from '../config.ts'
import { subword_dimensions, subword_version, subwordVector } from './subword.ts'

/** A query is not embedded like a passage by every model. */
export type TextKind = 'passage' | 'query'

/** What makes vectors of texts: near to each other are those that are alike. */
export interface Embeddings {
  /** Provider, model and dimensions: another id is another model, whose vectors are not comparable. */
  id: string
  dimensions: number
  /** Knows spelling alone, and nothing of what words mean. */
  isLexical: boolean
  /** Of unit length each. */
  embed(texts: readonly string[], kind: TextKind, signal?: AbortSignal): Promise<Float32Array[]>
  /** As the latest calls went. */
  state(): { status: 'Operational' | 'Down'; detail?: string }
  /** The model of this id at the same provider, where it can be had: what was indexed by it is searched until another has taken over. */
  former(id: string): Embeddings | undefined
}

/** Undefined where search is by words alone. */
export async function openEmbeddings({ embeddings }: Pick<Config, 'embeddings'>): Promise<Embeddings | undefined> {
  return embeddings && open(embeddings)
}

async function open(_config: EmbeddingsConfig): Promise<Embeddings> {
  return builtin
}

const at_a_time = 16

export const builtin: Embeddings = {
  id: `builtin:subword-${subword_version}:${subword_dimensions}`,
  dimensions: subword_dimensions,
  isLexical: true,
  async embed(texts, _kind, signal) {
    const vectors: Float32Array[] = []
    for (const [index, text] of texts.entries()) {
      signal?.throwIfAborted()
      vectors.push(unit(subwordVector(text)))
      // Others are answered in between.
      if (index % at_a_time === at_a_time - 1) await new Promise(setImmediate)
    }
    return vectors
  },
  state: () => ({ status: 'Operational' }),
  former: () => undefined,
}

/** Of a text that says nothing, all places are zero. */
export function unit(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return length > 0 ? vector.map(value => value / length) : vector
}
