import type { Config, EmbeddingsConfig } from '../config.ts'
import { builtin } from './builtin-embeddings.ts'
import { openOnnx, refuseWithoutLibrary } from './embeddings-onnx.ts'
import { openWire, type WireTiming } from './embeddings-wire.ts'

/** Some models embed a query differently from a passage. */
export type TextKind = 'passage' | 'query'

/** Makes vectors of texts. Vectors of similar texts are near each other. */
export interface Embeddings {
  /** Provider, model and dimensions. Vectors of different ids are not comparable. */
  id: string
  dimensions: number
  /** True if the vectors reflect spelling only, and not meaning. */
  isLexical: boolean
  /** Vectors of unit length; all zero for a text without content. */
  embed(texts: readonly string[], kind: TextKind, signal?: AbortSignal): Promise<Float32Array[]>
  /** The state by the latest calls. */
  state(): { status: 'Operational' | 'Down'; detail?: string }
  /** Checks that the provider answers, without sending a text. Throws if it does not. */
  reach(signal: AbortSignal): Promise<void>
  /** The model of this id at the same provider, if available. Search uses it until the texts are indexed by the present one. */
  former(id: string): Embeddings | undefined
}

/** Undefined if search is by words only. */
export async function openEmbeddings(
  { embeddings }: Pick<Config, 'embeddings'>,
  timing?: WireTiming,
): Promise<Embeddings | undefined> {
  return embeddings && open(embeddings, timing)
}

async function open(config: EmbeddingsConfig, timing: WireTiming | undefined): Promise<Embeddings> {
  if (config.provider === 'builtin') return builtin
  if (config.provider === 'onnx') refuseWithoutLibrary()
  const others = new Map<string, Embeddings>([[builtin.id, builtin]])
  const make = (of: typeof config): Embeddings => {
    const made: Embeddings = {
      ...withCache(of.provider === 'onnx' ? openOnnx(of) : openWire(of, timing)),
      former: id => {
        const [, model, dimensions] = new RegExp(`^${of.provider}:(.+):(\\d+)$`).exec(id) ?? []
        if (!others.has(id) && model) others.set(id, make({ ...of, model, dimensions: Number(dimensions) }))
        return others.get(id)
      },
    }
    others.set(made.id, made)
    return made
  }
  return make(config)
}

const maxCached = 500

/** Keeps vectors of recent queries, so that the next page of a search sends nothing again. */
function withCache<E extends Pick<Embeddings, 'embed'>>(embeddings: E): E {
  const known = new Map<string, Float32Array>()
  return {
    ...embeddings,
    async embed(texts, kind, signal) {
      const [text] = texts
      if (kind === 'passage' || text === undefined || texts.length > 1) return embeddings.embed(texts, kind, signal)
      const vector = known.get(text) ?? (await embeddings.embed(texts, kind, signal))[0]!
      known.delete(text)
      known.set(text, vector)
      if (known.size > maxCached) known.delete(known.keys().next().value!)
      return [vector]
    },
  }
}
