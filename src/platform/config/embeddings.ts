import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findInstalledModel } from './installed-model.ts'
import type { Variables } from './variables.ts'

export type EmbeddingsConfig =
  | {
      provider: 'openai' | 'openai-compatible'
      model: string
      base_url: string
      api_key: string | undefined
      dimensions: number
      /** Some models make shorter vectors than their own on request. */
      asks_for_dimensions: boolean
    }
  /** A model on the disk, in the layout of Hugging Face, below `folder`. */
  | { provider: 'onnx'; model: string; folder: string; dimensions: number }

const embeddingsProviders = ['none', 'openai', 'openai-compatible', 'onnx'] as const

/** The dimensions of their vectors, unless EMBEDDINGS_DIMENSIONS asks for fewer. */
const openaiDimensions: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
}

/** Without EMBEDDINGS_PROVIDER, a model that `qms embeddings install` has put into the data folder is used. */
export function readEmbeddings(
  { text, oneOf, whole, endpoint, wrong }: Variables,
  data_dir: string,
): EmbeddingsConfig | undefined {
  const installed = text('EMBEDDINGS_PROVIDER') === undefined ? findInstalledModel(data_dir) : undefined
  if (installed) return { provider: 'onnx', ...installed }
  const provider = oneOf('EMBEDDINGS_PROVIDER', embeddingsProviders, 'none')
  const model = text('EMBEDDINGS_MODEL')
  const base_url = endpoint('EMBEDDINGS_BASE_URL')
  const api_key = text('EMBEDDINGS_API_KEY')
  const folder = text('EMBEDDINGS_FOLDER')
  const given = whole('EMBEDDINGS_DIMENSIONS', 0, [16, 4096])
  const need = <T>(name: string, value: T | undefined): T | undefined => {
    if (value === undefined) wrong.push(`${name} is not set: EMBEDDINGS_PROVIDER=${provider} needs it`)
    return value
  }
  const dimensions = given || openaiDimensions[model ?? ''] || undefined
  if (provider === 'onnx') {
    const found = {
      model: need('EMBEDDINGS_MODEL', model),
      folder: need('EMBEDDINGS_FOLDER', folder),
      dimensions: need('EMBEDDINGS_DIMENSIONS', dimensions),
    }
    if (folder && model && !existsSync(join(folder, model, 'config.json')))
      wrong.push('EMBEDDINGS_FOLDER has no folder of the name of EMBEDDINGS_MODEL with a config.json in it')
    return { provider, model: found.model ?? '', folder: found.folder ?? '', dimensions: found.dimensions ?? 0 }
  }
  if (provider === 'openai' || provider === 'openai-compatible') {
    if (provider === 'openai') need('EMBEDDINGS_API_KEY', api_key)
    else need('EMBEDDINGS_BASE_URL', base_url)
    return {
      provider,
      model: need('EMBEDDINGS_MODEL', model) ?? '',
      base_url: base_url ?? 'https://api.openai.com/v1',
      api_key,
      dimensions: need('EMBEDDINGS_DIMENSIONS', dimensions) ?? 0,
      asks_for_dimensions: provider === 'openai' && given > 0,
    }
  }
  return undefined
}
