import { setTimeout } from 'node:timers/promises'
import { type Circuit, type CircuitTiming, openCircuit } from '../circuit.ts'
import type { EmbeddingsConfig } from '../config.ts'
import { boundedFetch } from './bounded-fetch.ts'
import type { Embeddings, TextKind } from './embeddings.ts'
import { failureOf, failureOfStatus, ModelFailed } from './failure.ts'
import { withPrefix } from './model-profiles.ts'
import { unit } from './unit.ts'

type WireConfig = Extract<EmbeddingsConfig, { base_url: string }>

export interface WireTiming {
  circuit: CircuitTiming
  query_ms: number
  passage_ms: number
  retry_ms: number
}
export const usualTiming: WireTiming = {
  circuit: { first_wait_ms: 1_000, longest_wait_ms: 60_000, patience_ms: 0 },
  // A person waits for a query.
  query_ms: 900,
  passage_ms: 60_000,
  retry_ms: 500,
}
const atOnce = 64
const tries = { query: 1, passage: 3 } satisfies Record<TextKind, number>
/** A longer wait that the provider asks for counts as a failure. */
const maxRetryMs = 5_000
const bytesOfNumber = 32
const minAnswerBytes = 64 * 1024

/** Embeddings by OpenAI's protocol. Fails as ModelFailed. */
export function openWire(config: WireConfig, timing: WireTiming = usualTiming): Omit<Embeddings, 'former'> {
  const { model, dimensions, provider, api_key } = config
  const base_url = config.base_url.replace(/\/+$/, '')
  const headers = { 'content-type': 'application/json', ...(api_key && { authorization: `Bearer ${api_key}` }) }
  // Separate circuits, because slow batches of passages must not block queries, and the other way round.
  const circuits: Record<TextKind, Circuit> = { query: circuitOf(timing), passage: circuitOf(timing) }

  async function ask(texts: readonly string[], kind: TextKind, signal: AbortSignal | undefined) {
    const late = AbortSignal.timeout(timing[`${kind}_ms`])
    const fetch = boundedFetch({
      silence_ms: timing[`${kind}_ms`],
      most_bytes: minAnswerBytes + texts.length * dimensions * bytesOfNumber,
    })
    const body = JSON.stringify({
      ...{ model, input: texts.map(text => withPrefix(model, kind, text)), encoding_format: 'float' },
      ...(config.asks_for_dimensions && { dimensions }),
    })
    try {
      const response = await fetch(`${base_url}/embeddings`, {
        ...{ method: 'POST', headers, body },
        signal: signal ? AbortSignal.any([signal, late]) : late,
      })
      return readVectors(await response.json(), texts.length, dimensions)
    } catch (thrown) {
      signal?.throwIfAborted()
      throw late.aborted ? new ModelFailed('too_slow', 'It did not answer in time') : failureOf(thrown)
    }
  }

  async function askAgain(texts: readonly string[], kind: TextKind, signal: AbortSignal | undefined) {
    for (let number = 1; ; number++) {
      try {
        return await ask(texts, kind, signal)
      } catch (thrown) {
        if (!(thrown instanceof ModelFailed)) throw thrown
        const wait_ms = Math.max(timing.retry_ms * 2 ** (number - 1), 1000 * (thrown.retry_after_s ?? 0))
        const isWorthIt = thrown.kind === 'unreachable' || thrown.kind === 'busy'
        if (!isWorthIt || number >= tries[kind] || wait_ms > maxRetryMs) throw thrown
        await setTimeout(wait_ms, undefined, signal && { signal })
      }
    }
  }

  const pass = (texts: readonly string[], kind: TextKind, signal: AbortSignal | undefined) =>
    circuits[kind].pass(() => askAgain(texts, kind, signal))

  /** Embeds passages one by one after a refusal, so that one that is too long does not fail the others. */
  async function embedSome(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    try {
      return await pass(texts, 'passage', signal)
    } catch (thrown) {
      if (!isOfText(thrown)) throw thrown
      if (texts.length === 1) {
        // If it refuses this text too, it refuses every text.
        await pass(['quality'], 'passage', signal)
        return [new Float32Array(dimensions)]
      }
      const half = Math.ceil(texts.length / 2)
      return [...(await embedSome(texts.slice(0, half), signal)), ...(await embedSome(texts.slice(half), signal))]
    }
  }

  return {
    id: `${provider}:${model}:${dimensions}`,
    dimensions,
    isLocal: false,
    async embed(texts, kind, signal) {
      if (kind === 'query') return pass(texts, kind, signal)
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += atOnce)
        vectors.push(...(await embedSome(texts.slice(from, from + atOnce), signal)))
      return vectors
    },
    state() {
      const outage = circuits.query.outage() ?? circuits.passage.outage()
      return outage ? { status: 'Down', detail: failureOf(outage.thrown).message } : { status: 'Operational' }
    },
    async reach(signal) {
      const response = await fetch(`${base_url}/models`, { headers, redirect: 'manual', signal })
      await response.body?.cancel()
      const { status } = response
      // Many embedding servers have no list of models.
      if (status >= 300 && status !== 404 && status !== 405) throw failureOfStatus(status, null)
    },
  }
}

const circuitOf = ({ circuit }: WireTiming) =>
  openCircuit(isOutage, circuit, thrown =>
    Math.min(1000 * (failureOf(thrown).retry_after_s ?? 0), circuit.longest_wait_ms),
  )

/** A refusal that the text did not cause is an outage. An abort tells nothing. */
const isOutage = (thrown: unknown) => (thrown instanceof ModelFailed ? !isOfText(thrown) : undefined)

const isOfText = (thrown: unknown) => thrown instanceof ModelFailed && [400, 413, 422].includes(thrown.status ?? 0)

/** Reads one vector of unit length for each text, and refuses anything else. */
function readVectors(answer: unknown, count: number, dimensions: number): Float32Array[] {
  const data = (answer as { data?: unknown } | null)?.data
  if (!Array.isArray(data) || data.length !== count)
    throw new ModelFailed('malformed', 'It does not answer with a vector for each text')
  const vectors = new Map<number, Float32Array>()
  for (const [place, each] of data.entries()) {
    const { index = place, embedding } = (each ?? {}) as { index?: unknown; embedding?: unknown }
    if (!Array.isArray(embedding) || embedding.length !== dimensions)
      throw new ModelFailed('malformed', `Its vectors do not have ${dimensions} dimensions`)
    if (!embedding.every(value => typeof value === 'number'))
      throw new ModelFailed('malformed', 'Its vectors are not made of numbers')
    const vector = Float32Array.from(embedding as number[])
    if (!vector.every(Number.isFinite) || vector.every(value => value === 0))
      throw new ModelFailed('malformed', 'Its vectors have no direction')
    vectors.set(Number(index), unit(vector))
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index))
  if (!ordered.every(vector => vector !== undefined))
    throw new ModelFailed('malformed', 'It does not answer with a vector for each text')
  return ordered
}
