import { setTimeout } from 'node:timers/promises'
import type { Static, TSchema } from 'typebox'
import { type CircuitTiming, openCircuit } from '../circuit.ts'
import type { AiConfig, Config } from '../config.ts'
import type { Log } from '../log/log.ts'
import { failureOf, failureOfStatus, ModelFailed } from './failure.ts'
import { anthropic_version, openSdk, type StructuredWay, structuredWays, urlOf } from './provider.ts'
import { askOnce, type ModelQuestion, type ModelReply } from './stream.ts'
import { readStructured, wireSchema, withSchema } from './structured.ts'
import { countTokens } from './tokens.ts'

export { ModelFailed } from './failure.ts'

interface Request {
  system: string
  prompt: string
  max_output_tokens: number
  /** A shorter limit than that of the installation. The failure after it is `too_slow`. */
  timeout_ms?: number
  /** Aborted when the caller has gone; its reason is thrown. */
  signal?: AbortSignal | undefined
  /** Whose question it is. The last places are for tenants that have no question under way. */
  tenant_id?: number | undefined
}
interface Used {
  input_tokens: number
  output_tokens: number
  duration_ms: number
}
interface ModelState {
  status: 'Operational' | 'Degraded' | 'Down'
  detail?: string
}

/** A language model. Fails as ModelFailed. */
export interface LanguageModel {
  provider: string
  model: string
  /** `onText` receives each piece as it arrives, and must not throw. After the first piece there is no retry. */
  answer(request: Request & { onText?: (piece: string) => void }): Promise<{ text: string; is_cut: boolean } & Used>
  /** Answers with a value that is valid by the schema. */
  structured<S extends TSchema>(request: Request & { schema: S }): Promise<{ value: Static<S> } & Used>
  /** An upper estimate, for limits before anything is sent. */
  countTokens(text: string): number
  /** The state by the latest calls. */
  state(): ModelState
  /** Checks that the provider answers and accepts the key, without a question. Throws as `fetch` does if it cannot be reached. */
  reach(signal: AbortSignal): Promise<ModelState>
}

interface ModelTiming {
  circuit: CircuitTiming
  /** The wait before the second try, doubled before the third. */
  retry_ms: number
}
const usualTiming: ModelTiming = {
  circuit: { first_wait_ms: 1_000, longest_wait_ms: 60_000, patience_ms: 0 },
  retry_ms: 500,
}
const maxTries = 3
/** A longer wait that the provider asks for counts as a failure. */
const maxRetryMs = 5_000

/** Undefined if the installation has none. */
export function openLanguageModel(
  { ai }: Pick<Config, 'ai'>,
  log: Log,
  timing: ModelTiming = usualTiming,
): LanguageModel | undefined {
  return ai && open(ai, log, timing)
}

function open(config: AiConfig, log: Log, timing: ModelTiming): LanguageModel {
  const circuitOf = () =>
    openCircuit(isOutage, timing.circuit, thrown =>
      Math.min(1000 * (failureOf(thrown).retry_after_s ?? 0), timing.circuit.longest_wait_ms),
    )
  // Separate circuits: a model that is too slow for a short limit may still do for the usual one.
  const circuits = { usual: circuitOf(), hasty: circuitOf() }
  let sdk: ReturnType<typeof openSdk> | undefined
  let inFlight = 0
  const inFlightOf = new Map<number | undefined, number>()
  const kept = Math.floor(config.most_at_once / 4)
  let refusal: ModelFailed | undefined
  /** The way by which structured answers worked so far. */
  let knownWay: StructuredWay = 'schema'
  let isFailing = false

  const timeOf = ({ timeout_ms }: Request) => Math.min(timeout_ms ?? config.timeout_ms, config.timeout_ms)
  const load = () => {
    sdk ??= openSdk(config).catch(error => {
      sdk = undefined
      throw error
    })
    return sdk
  }
  const note = (failure: ModelFailed | undefined) => {
    refusal = failure?.status === 401 || failure?.status === 403 ? failure : undefined
    if (failure && !isFailing) log.warn(`the language model fails: ${failure.message}`)
    if (!failure && isFailing) log.info('the language model answers again')
    isFailing = failure !== undefined
  }

  /** Calls the model within its circuit and the limit of concurrent calls, with retries. */
  async function call(request: Request, question: ModelQuestion): Promise<ModelReply> {
    const loaded = await load()
    const circuit = circuits[request.timeout_ms === undefined ? 'usual' : 'hasty']
    let hasBegun = false
    try {
      return await circuit.pass(async answers => {
        hasBegun = true
        const own = inFlightOf.get(request.tenant_id) ?? 0
        if (inFlight >= config.most_at_once - (own > 0 && request.tenant_id !== undefined ? kept : 0))
          throw new ModelFailed('busy', `${inFlight} questions are being answered`, { retry_after_s: 5 })
        inFlight += 1
        inFlightOf.set(request.tenant_id, own + 1)
        try {
          const reply = await tryAgain(loaded, request, question, answers)
          note(undefined)
          return reply
        } finally {
          inFlight -= 1
          const left = inFlightOf.get(request.tenant_id)! - 1
          if (left > 0) inFlightOf.set(request.tenant_id, left)
          else inFlightOf.delete(request.tenant_id)
        }
      })
    } catch (thrown) {
      if (request.signal?.aborted) throw request.signal.reason
      const failure = failureOf(thrown)
      if (!hasBegun) throw resting(failure, circuit.outage()?.wait_ms ?? 0)
      if (isOutage(failure) !== undefined) note(failure)
      throw failure
    }
  }

  async function tryAgain(
    sdk: Awaited<ReturnType<typeof openSdk>>,
    request: Request,
    question: ModelQuestion,
    answers: () => void,
  ) {
    const late = new AbortController()
    const timer = globalThis.setTimeout(
      () => late.abort(new ModelFailed('too_slow', `It did not answer within ${timeOf(request) / 1000} s`)),
      Math.max(0, question.until - performance.now()),
    )
    const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal
    const max_output_tokens = Math.min(request.max_output_tokens, config.most_output_tokens)
    try {
      for (let tries = 1; ; tries++) {
        let isPassedOn = false
        try {
          return await askOnce(sdk, { ...request, max_output_tokens, signal }, question, piece => {
            answers()
            if (question.onText) isPassedOn = true
            question.onText?.(piece)
          })
        } catch (thrown) {
          signal.throwIfAborted()
          const failure = failureOf(thrown)
          const wait_ms = Math.max(
            timing.retry_ms * 2 ** (tries - 1) * (0.5 + Math.random()),
            1000 * (failure.retry_after_s ?? 0),
          )
          const isWorthIt = failure.kind === 'unreachable' || failure.kind === 'busy'
          const isInTime = wait_ms <= maxRetryMs && performance.now() + wait_ms < question.until
          if (isPassedOn || !isWorthIt || !isInTime || tries === maxTries) throw failure
          await setTimeout(wait_ms, undefined, { signal }).catch(() => signal.throwIfAborted())
        }
      }
    } finally {
      clearTimeout(timer)
    }
  }

  function state(): ModelState {
    if (refusal) return { status: 'Down', detail: refusal.message }
    const outage = circuits.usual.outage() ?? circuits.hasty.outage()
    return outage
      ? { status: 'Degraded', detail: `Questions are not answered: ${failureOf(outage.thrown).message}` }
      : { status: 'Operational' }
  }

  return {
    provider: config.provider,
    model: config.model,
    countTokens,
    async answer({ onText, ...request }) {
      const begun = performance.now()
      const { text, is_cut, input_tokens, output_tokens } = await call(request, {
        way: 'text',
        until: begun + timeOf(request),
        onText,
      })
      return { text, is_cut, input_tokens, output_tokens, duration_ms: Math.round(performance.now() - begun) }
    },
    async structured({ schema, ...request }) {
      const begun = performance.now()
      const used = { input_tokens: 0, output_tokens: 0 }
      const until = begun + timeOf(request)
      let way = knownWay
      let hasRepeated = false
      for (;;) {
        const system = way === 'schema' ? request.system : withSchema(request.system, schema)
        try {
          const reply = await call(
            { ...request, system },
            { way, schema: wireSchema(schema), until, onText: undefined },
          )
          knownWay = way
          used.input_tokens += reply.input_tokens
          used.output_tokens += reply.output_tokens
          const value = readStructured(reply.text, schema)
          return { value, ...used, duration_ms: Math.round(performance.now() - begun) }
        } catch (thrown) {
          if (!(thrown instanceof ModelFailed)) throw thrown
          const next = structuredWays[structuredWays.indexOf(way) + 1]
          const isOfWay = thrown.status === 400 || thrown.status === 422
          if (config.provider === 'openai-compatible' && isOfWay && next) way = next
          else if (thrown.kind === 'malformed' && !hasRepeated) hasRepeated = true
          else throw thrown
        }
      }
    },
    state,
    async reach(signal) {
      const response = await fetch(`${urlOf(config)}/models`, {
        redirect: 'manual',
        signal,
        headers: headersOf(config),
      })
      await response.body?.cancel()
      const { status } = response
      if (status < 300) return state()
      // Many servers have no list of models, and answer so whatever the key is.
      if (status === 404 || status === 405)
        return { detail: 'It answers, and has no list of models to try the key with', ...state() }
      const { message } = failureOfStatus(status, null)
      return { status: status === 401 || status === 403 ? 'Down' : 'Degraded', detail: message }
    },
  }
}

/** True if other calls would fail as well. An abort, or a call refused by our own limit, tells nothing. */
function isOutage(thrown: unknown): boolean | undefined {
  if (!(thrown instanceof ModelFailed) || (thrown.kind === 'busy' && !thrown.status)) return undefined
  return ['unreachable', 'too_slow', 'busy'].includes(thrown.kind)
}

const resting = (failure: ModelFailed, wait_ms: number) =>
  new ModelFailed('resting', `It failed and is given a pause: ${failure.message}`, {
    retry_after_s: Math.max(1, Math.ceil(wait_ms / 1000)),
  })

const headersOf = ({ provider, api_key }: AiConfig): Record<string, string> =>
  provider === 'anthropic'
    ? { 'x-api-key': api_key ?? '', 'anthropic-version': anthropic_version }
    : api_key
      ? { authorization: `Bearer ${api_key}` }
      : {}
