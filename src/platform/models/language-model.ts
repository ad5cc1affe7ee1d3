import { setTimeout } from 'node:timers/promises'
import type { Static, TSchema } from 'typebox'
import { type CircuitTiming, openCircuit } from '../circuit.ts'
import type { AiConfig, Config } from '../config.ts'
import type { Log } from '../log/log.ts'
import { failureOf, failureOfStatus, ModelFailed } from './failure.ts'
import { anthropic_version, openSdk, type StructuredWay, structuredWays, urlOf } from './provider.ts'
import { type Asked, askOnce, type Told } from './stream.ts'
import { readStructured, wireSchema, withSchema } from './structured.ts'
import { countTokens } from './tokens.ts'

export { ModelFailed } from './failure.ts'

interface Request {
  system: string
  prompt: string
  max_output_tokens: number
  /** In less than the installation allows: `too_slow` after it. */
  timeout_ms?: number
  /** Who asks has gone: what it is aborted with is thrown. */
  signal?: AbortSignal | undefined
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

/** What answers questions. Fails as ModelFailed. */
export interface LanguageModel {
  provider: string
  model: string
  /** `onText` is told each piece as it comes, and does not throw; after the first, nothing is tried again. */
  answer(request: Request & { onText?: (piece: string) => void }): Promise<{ text: string; is_cut: boolean } & Used>
  /** A value that is valid by the schema. */
  structured<S extends TSchema>(request: Request & { schema: S }): Promise<{ value: Static<S> } & Used>
  /** More than it is likely to be: for limits, before anything is sent. */
  countTokens(text: string): number
  /** By how the latest calls went. */
  state(): ModelState
  /** Asks the provider whether it is there and takes the key, and no question. Throws where it is not there, as `fetch` does. */
  reach(signal: AbortSignal): Promise<ModelState>
}

interface ModelTiming {
  circuit: CircuitTiming
  /** Before the second try and, doubled, before the third. */
  retry_ms: number
}
const usualTiming: ModelTiming = {
  circuit: { first_wait_ms: 1_000, longest_wait_ms: 60_000, patience_ms: 0 },
  retry_ms: 500,
}
const most_tries = 3
/** What asks us to come later than this is not waited for. */
const longest_retry_ms = 5_000

/** Undefined where the installation has none. */
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
  // What is too slow for those who have little time may do for the others.
  const circuits = { usual: circuitOf(), hasty: circuitOf() }
  let sdk: ReturnType<typeof openSdk> | undefined
  let inFlight = 0
  let refusal: ModelFailed | undefined
  /** In which structured answers were had so far. */
  let wayKnown: StructuredWay = 'schema'
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

  /** One at a time where the latest failed; no more than so many; each as often as it is worth it. */
  async function call(request: Request, asked: Asked): Promise<Told> {
    const loaded = await load()
    const circuit = circuits[request.timeout_ms === undefined ? 'usual' : 'hasty']
    let hasBegun = false
    try {
      return await circuit.pass(async answers => {
        hasBegun = true
        if (inFlight >= config.most_at_once)
          throw new ModelFailed('busy', `${config.most_at_once} questions are being answered`, { retry_after_s: 5 })
        inFlight += 1
        try {
          const told = await tryAgain(loaded, request, asked, answers)
          note(undefined)
          return told
        } finally {
          inFlight -= 1
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
    asked: Asked,
    answers: () => void,
  ) {
    const late = new AbortController()
    const timer = globalThis.setTimeout(
      () => late.abort(new ModelFailed('too_slow', `It did not answer within ${timeOf(request) / 1000} s`)),
      Math.max(0, asked.until - performance.now()),
    )
    const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal
    const max_output_tokens = Math.min(request.max_output_tokens, config.most_output_tokens)
    try {
      for (let tries = 1; ; tries++) {
        let isPassedOn = false
        try {
          return await askOnce(sdk, { ...request, max_output_tokens, signal }, asked, piece => {
            answers()
            if (asked.onText) isPassedOn = true
            asked.onText?.(piece)
          })
        } catch (thrown) {
          signal.throwIfAborted()
          const failure = failureOf(thrown)
          const wait_ms = Math.max(
            timing.retry_ms * 2 ** (tries - 1) * (0.5 + Math.random()),
            1000 * (failure.retry_after_s ?? 0),
          )
          const isWorthIt = failure.kind === 'unreachable' || failure.kind === 'busy'
          const isInTime = wait_ms <= longest_retry_ms && performance.now() + wait_ms < asked.until
          if (isPassedOn || !isWorthIt || !isInTime || tries === most_tries) throw failure
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
      let way = wayKnown
      let hasRepeated = false
      for (;;) {
        const system = way === 'schema' ? request.system : withSchema(request.system, schema)
        try {
          const told = await call({ ...request, system }, { way, schema: wireSchema(schema), until, onText: undefined })
          wayKnown = way
          used.input_tokens += told.input_tokens
          used.output_tokens += told.output_tokens
          const value = readStructured(told.text, schema)
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
      // Many that answer questions do not say which models they have.
      if (status < 300 || status === 404 || status === 405) return state()
      const { message } = failureOfStatus(status, null)
      return { status: status === 401 || status === 403 ? 'Down' : 'Degraded', detail: message }
    },
  }
}

/** Whether others would fail as well. Who gave up, or did not even ask because too many do, has found out nothing. */
function isOutage(thrown: unknown): boolean | undefined {
  if (!(thrown instanceof ModelFailed) || (thrown.kind === 'busy' && !thrown.status)) return undefined
  return ['unreachable', 'too_slow', 'busy'].includes(thrown.kind)
}

const resting = (failure: ModelFailed, wait_ms: number) =>
  new ModelFailed('resting', `It is not asked for a moment, because it failed: ${failure.message}`, {
    retry_after_s: Math.max(1, Math.ceil(wait_ms / 1000)),
  })

const headersOf = ({ provider, api_key }: AiConfig): Record<string, string> =>
  provider === 'anthropic'
    ? { 'x-api-key': api_key ?? '', 'anthropic-version': anthropic_version }
    : api_key
      ? { authorization: `Bearer ${api_key}` }
      : {}
