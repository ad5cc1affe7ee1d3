import type { LanguageModel as SdkModel } from 'ai'
import type { AiConfig } from '../config.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** The ways to ask for an answer by a schema. Not every endpoint supports each. */
export const structuredWays = ['schema', 'json', 'text'] as const
export type StructuredWay = (typeof structuredWays)[number]

const ownUrls = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' }
export const anthropic_version = '2023-06-01'

export const urlOf = ({ provider, base_url }: AiConfig) =>
  base_url ?? (provider === 'openai-compatible' ? '' : ownUrls[provider])

/** A stream has a few hundred bytes for each token, and includes the model's thinking. */
const bytesPerToken = 2000
const minAnswerBytes = 256 * 1024

/** The limit of silence: an answer that pauses for so long will not end in time. */
const silenceOf = (timeout_ms: number) => timeout_ms / 2

/** Loaded at the first question, because it takes some 20 MB. */
export async function openSdk(config: AiConfig) {
  const { streamText, Output, jsonSchema } = await import('ai')
  // Otherwise the library prints warnings about options that we do not use.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const fetch = boundedFetch({
    silence_ms: silenceOf(config.timeout_ms),
    most_bytes: minAnswerBytes + bytesPerToken * config.most_output_tokens,
  })
  return { streamText, Output, jsonSchema, modelOf: await openModel(config, fetch) }
}

/** Never a bare model name, which the SDK would send to a gateway of its maker. */
async function openModel(config: AiConfig, fetch: typeof globalThis.fetch): Promise<(way: StructuredWay) => SdkModel> {
  const { provider, model, api_key = '' } = config
  const baseURL = urlOf(config)
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const anthropic = createAnthropic({ baseURL, apiKey: api_key, fetch })(model)
    return () => anthropic
  }
  if (provider === 'openai') {
    const { createOpenAI } = await import('@ai-sdk/openai')
    // Not the newer protocol, which stores prompts by default.
    const openai = createOpenAI({ baseURL, apiKey: api_key, fetch }).chat(model)
    return () => openai
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const open = (supportsStructuredOutputs: boolean) =>
    createOpenAICompatible({
      name: 'compatible',
      baseURL,
      ...(api_key && { apiKey: api_key }),
      fetch,
      includeUsage: true,
      supportsStructuredOutputs,
    }).chatModel(model)
  const [withSchema, without] = [open(true), open(false)]
  return way => (way === 'schema' ? withSchema : without)
}
