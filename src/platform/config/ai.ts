import type { Variables } from './variables.ts'

const aiProviders = ['none', 'openai', 'anthropic', 'openai-compatible'] as const

export interface AiConfig {
  provider: Exclude<(typeof aiProviders)[number], 'none'>
  model: string
  /** Undefined for the provider's own. */
  base_url: string | undefined
  api_key: string | undefined
  /** For one answer, including all retries. */
  timeout_ms: number
  /** Concurrent calls of a process. */
  most_at_once: number
  /** Tokens of one answer. */
  most_output_tokens: number
  /** Tokens of one question with its sources. */
  most_input_tokens: number
}

export function readAi(
  { text, oneOf, whole, endpoint, wrong }: Variables,
  limit_concurrency: number,
): AiConfig | undefined {
  const provider = oneOf('AI_PROVIDER', aiProviders, 'none')
  const model = text('AI_MODEL')
  const base_url = endpoint('AI_BASE_URL')?.replace(/\/+$/, '')
  const api_key = text('AI_API_KEY')
  const timeout_ms = whole('AI_TIMEOUT_SECONDS', 60, [1, 600]) * 1000
  // A model that hangs holds this many requests, so most of the server's capacity is left to everything else.
  const usual_at_once = Math.max(1, Math.min(8, Math.floor(limit_concurrency / 4)))
  const most_at_once = whole('AI_MAX_CONCURRENCY', usual_at_once, [1, 1000])
  const most_output_tokens = whole('AI_MAX_OUTPUT_TOKENS', 4000, [1, 100_000])
  const most_input_tokens = whole('AI_MAX_INPUT_TOKENS', 24_000, [2_000, 1_000_000])
  if (provider === 'none') {
    // An explicit `none` switches off the other variables.
    if (text('AI_PROVIDER')) return undefined
    for (const name of ['AI_MODEL', 'AI_BASE_URL', 'AI_API_KEY'])
      if (text(name)) wrong.push(`${name} is set without AI_PROVIDER`)
    return undefined
  }
  if (!aiProviders.includes(provider)) return undefined
  if (!model) wrong.push(`AI_MODEL is not set: AI_PROVIDER=${provider} needs it`)
  if (provider === 'openai-compatible' && !base_url)
    wrong.push(`AI_BASE_URL is not set: AI_PROVIDER=${provider} needs it`)
  if (provider !== 'openai-compatible' && !api_key)
    wrong.push(`AI_API_KEY is not set: AI_PROVIDER=${provider} needs it`)
  // The value is a key, so the line does not repeat it.
  if (api_key && !/^[\x21-\x7e]+$/.test(api_key)) wrong.push('AI_API_KEY has characters that a header cannot have')
  if (most_at_once >= limit_concurrency && limit_concurrency > 1)
    wrong.push(
      `AI_MAX_CONCURRENCY is ${most_at_once}: it must be less than SERVER_LIMIT_CONCURRENCY, or a model that hangs stops everything`,
    )
  return {
    provider,
    model: model ?? '',
    base_url,
    api_key,
    timeout_ms,
    most_at_once,
    most_output_tokens,
    most_input_tokens,
  }
}
