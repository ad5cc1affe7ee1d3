import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type EmbeddingsConfig } from '../config.ts'
import type { Embeddings } from './embeddings.ts'
import { ModelFailed } from './failure.ts'
import { NoModel, verifyModel } from './model-checksums.ts'
import { poolingOf, withPrefix } from './model-profiles.ts'
import { unit } from './unit.ts'

type OnnxConfig = Extract<EmbeddingsConfig, { provider: 'onnx' }>

/** The library is as large as everything else together, so operators who want it install it. */
const library: string = '@huggingface/transformers'

interface Tensor {
  dims: number[]
  data: Float32Array
}
type Extractor = (texts: string[], options: { pooling: string; normalize: boolean }) => Promise<Tensor>
interface Library {
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string }
  pipeline(task: 'feature-extraction', model: string, options: { dtype: string }): Promise<Extractor>
}

const atOnce = 16

export function refuseWithoutLibrary() {
  try {
    import.meta.resolve(library)
  } catch {
    throw new ConfigError([
      `EMBEDDINGS_PROVIDER is onnx, and what runs such models is not installed: npm install --no-save ${library}`,
    ])
  }
}

/** A model on the disk, loaded with the first text. Nothing is downloaded. Fails as ModelFailed. */
export function openOnnx({ model, folder, dimensions }: OnnxConfig): Omit<Embeddings, 'former'> {
  let opening: Promise<Extractor> | undefined
  let failure: ModelFailed | undefined
  // One text after the other, because each uses all cores.
  let turn: Promise<unknown> = Promise.resolve()

  async function load(): Promise<Extractor> {
    const { env, pipeline } = (await import(library)) as Library
    Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: folder })
    await verifyModel(join(folder, model))
    const isSmall = existsSync(join(folder, model, 'onnx', 'model_quantized.onnx'))
    return pipeline('feature-extraction', model, { dtype: isSmall ? 'q8' : 'fp32' })
  }

  async function run(texts: string[]): Promise<Float32Array[]> {
    try {
      opening ??= load()
      const { dims, data } = await (await opening)(texts, { pooling: poolingOf(model), normalize: true })
      if (dims[0] !== texts.length || dims[1] !== dimensions)
        throw new ModelFailed('malformed', `Its vectors do not have ${dimensions} dimensions`)
      const vectors = texts.map((_, index) => unit(data.slice(index * dimensions, (index + 1) * dimensions)))
      if (!vectors.every(vector => vector.every(Number.isFinite)))
        throw new ModelFailed('malformed', 'Its vectors have no direction')
      failure = undefined
      return vectors
    } catch (thrown) {
      if (!(thrown instanceof ModelFailed)) opening = undefined
      failure =
        thrown instanceof ModelFailed
          ? thrown
          : new ModelFailed(
              'malformed',
              thrown instanceof NoModel
                ? 'Its files are not those that were installed'
                : 'The model cannot be loaded or run',
            )
      throw failure
    }
  }

  return {
    id: `onnx:${model}:${dimensions}`,
    dimensions,
    isLocal: true,
    async embed(texts, kind, signal) {
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += atOnce) {
        signal?.throwIfAborted()
        const some = texts.slice(from, from + atOnce).map(text => withPrefix(model, kind, text))
        const running = turn.then(() => run(some))
        turn = running.catch(() => {})
        vectors.push(...(await running))
      }
      return vectors
    },
    state: () => (failure ? { status: 'Down', detail: failure.message } : { status: 'Operational' }),
    async reach() {
      if (!existsSync(join(folder, model, 'config.json')))
        throw new ModelFailed('unreachable', 'The model is not there')
    },
  }
}
