import { ModelFailed } from './failure.ts'
import type { openSdk, StructuredWay } from './provider.ts'
import { believable, countTokens } from './tokens.ts'

export interface ModelQuestion {
  way: StructuredWay
  schema?: Record<string, unknown>
  /** The deadline by `performance.now()`. */
  until: number
  onText: ((piece: string) => void) | undefined
}

export interface ModelReply {
  text: string
  is_cut: boolean
  input_tokens: number
  output_tokens: number
}

/** Above our estimate: the provider's own words around the question. */
const maxOverheadTokens = 10_000

/** Sends one request and reads its answer in pieces. */
export async function askOnce(
  { streamText, Output, jsonSchema, modelOf }: Awaited<ReturnType<typeof openSdk>>,
  {
    system,
    prompt,
    max_output_tokens,
    signal,
  }: { system: string; prompt: string; max_output_tokens: number; signal: AbortSignal },
  { way, schema }: ModelQuestion,
  onText: (piece: string) => void,
): Promise<ModelReply> {
  let failure: unknown
  const { stream } = streamText({
    model: modelOf(way),
    instructions: system,
    prompt,
    maxOutputTokens: max_output_tokens,
    maxRetries: 0,
    abortSignal: signal,
    telemetry: { isEnabled: false },
    // By default the library prints the error, and with it the question.
    onError: ({ error }) => {
      failure ??= error
    },
    ...(schema && way === 'schema' && { output: Output.object({ schema: jsonSchema(schema) }) }),
    ...(schema && way === 'json' && { output: Output.json() }),
  })
  const pieces = wholeCharacters()
  let text = ''
  let reason: string | undefined
  let usage: { inputTokens: number | undefined; outputTokens: number | undefined } | undefined
  const take = (piece: string) => {
    if (piece === '') return
    text += piece
    onText(piece)
  }
  for await (const part of stream) {
    if (part.type === 'text-delta') take(pieces.next(part.text))
    else if (part.type === 'error') failure ??= part.error
    else if (part.type === 'finish') {
      reason = part.finishReason
      usage = part.totalUsage
    }
  }
  signal.throwIfAborted()
  if (failure !== undefined) throw failure
  take(pieces.end())
  if (reason === 'content-filter') throw new ModelFailed('refused', 'It declines to answer this')
  if (reason !== 'stop' && reason !== 'length')
    throw new ModelFailed('malformed', 'Its answer ends before it is complete')
  if (text.trim() === '') throw new ModelFailed('malformed', 'Its answer is empty')
  const asked = countTokens(system) + countTokens(prompt)
  return {
    text,
    is_cut: reason === 'length',
    input_tokens: believable(usage?.inputTokens, asked, 2 * asked + maxOverheadTokens),
    output_tokens: believable(
      usage?.outputTokens,
      countTokens(text),
      Math.max(2 * max_output_tokens, countTokens(text)),
    ),
  }
}

/** Joins halves of a character from two pieces, and replaces invalid ones, which cannot be stored or sent. */
function wholeCharacters() {
  let half = ''
  const clean = (text: string) => text.toWellFormed().replaceAll('\0', '')
  return {
    next(piece: string) {
      const all = half + piece
      half = /[\ud800-\udbff]$/.exec(all)?.[0] ?? ''
      return clean(all.slice(0, all.length - half.length))
    },
    end: () => clean(half),
  }
}
