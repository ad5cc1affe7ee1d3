import type { Config, EmbeddingsConfig } from '../config.ts'
import { builtin } from './builtin-embeddings.ts'
import { openOnnx, refuseWithoutLibrary } from './embeddings-onnx.ts'
import { openWire, type WireTiming } from './embeddings-wire.ts'

/** A query is not embedded like a passage by every model. */
export type TextKind = 'passage' | 'query'

/** What makes vectors of texts: near to each other are those that are alike. */
export interface Embeddings {
  /** Provider, model and dimensions: another id is another model, whose vectors are not comparable. */
  id: string
  dimensions: number
  /** Knows spelling alone, and nothing of what words mean. */
  isLexical: boolean
  /** Of unit length each; all zero where nothing can be said of a text. */
  embed(texts: readonly string[], kind: TextKind, signal?: AbortSignal): Promise<Float32Array[]>
  /** As the latest calls went. */
  state(): { status: 'Operational' | 'Down'; detail?: string }
  /** Whether it is there, without a text. Throws where it is not. */
  reach(signal: AbortSignal): Promise<void>
  /** The model of this id at the same provider, where it can be had: what was indexed by it is searched until another has taken over. */
  former(id: string): Embeddings | undefined
}

/** Undefined where search is by words alone. */
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
      ...remembering(of.provider === 'onnx' ? openOnnx(of) : openWire(of, timing)),
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

const most_remembered = 500

/** What is asked again a moment later, as by the next page of a search, is not sent again. */
function remembering<E extends Pick<Embeddings, 'embed'>>(embeddings: E): E {
  const known = new Map<string, Float32Array>()
  return {
    ...embeddings,
    async embed(texts, kind, signal) {
      const [text] = texts
      if (kind === 'passage' || text === undefined || texts.length > 1) return embeddings.embed(texts, kind, signal)
      const vector = known.get(text) ?? (await embeddings.embed(texts, kind, signal))[0]!
      known.delete(text)
      known.set(text, vector)
      if (known.size > most_remembered) known.delete(known.keys().next().value!)
      return [vector]
    },
  }
}
