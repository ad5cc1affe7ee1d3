import { keepNewest } from '#kernel/keep-newest.ts'
import type { Config, EmbeddingsConfig } from '../config.ts'
import type { Embeddings } from './embeddings.ts'
import { openOnnx, refuseWithoutLibrary } from './embeddings-onnx.ts'
import { openWire, type WireTiming } from './embeddings-wire.ts'

/** Undefined if search is by words only. */
export async function openEmbeddings(
  { embeddings }: Pick<Config, 'embeddings'>,
  timing?: WireTiming,
): Promise<Embeddings | undefined> {
  return embeddings && open(embeddings, timing)
}

async function open(config: EmbeddingsConfig, timing: WireTiming | undefined): Promise<Embeddings> {
  if (config.provider === 'onnx') refuseWithoutLibrary()
  const others = new Map<string, Embeddings>()
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
      keepNewest(known, text, vector, maxCached)
      return [vector]
    },
  }
}
