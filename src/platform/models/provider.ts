import type { LanguageModel as SdkModel } from 'ai'
import type { AiConfig } from '../config.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** How an answer by a schema is asked for: not every endpoint knows each way. */
export const structuredWays = ['schema', 'json', 'text'] as const
export type StructuredWay = (typeof structuredWays)[number]

const own_urls = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' }
export const anthropic_version = '2023-06-01'

export const urlOf = ({ provider, base_url }: AiConfig) =>
  base_url ?? (provider === 'openai-compatible' ? '' : own_urls[provider])

/** A stream says a few hundred bytes about each token; thinking is streamed as well. */
const bytes_per_token = 2000
const bytes_of_any_answer = 256 * 1024

/** Of the whole time that there is: what says nothing for so long will not come to an end in it. */
const silenceOf = (timeout_ms: number) => timeout_ms / 2

/** Loaded when the first question is asked: it takes some 20 MB. */
export async function openSdk(config: AiConfig) {
  const { streamText, Output, jsonSchema } = await import('ai')
  // It would print what a provider does not support, of which nothing is asked.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const fetch = boundedFetch({
    silence_ms: silenceOf(config.timeout_ms),
    most_bytes: bytes_of_any_answer + bytes_per_token * config.most_output_tokens,
  })
  return { streamText, Output, jsonSchema, modelOf: await openModel(config, fetch) }
}

/** Never a bare name: the SDK would take it to a gateway of its maker. */
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
    // Not its newer protocol, which keeps what it was asked unless it is told otherwise.
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
