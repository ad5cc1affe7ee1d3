import { createHash } from 'node:crypto'
import type { Actor, PrepareContext, Services } from '#action'
import { AppError, unavailable } from '#kernel/errors.ts'
import { type LanguageModel, ModelFailed } from '#platform/models/language-model.ts'
import { type Allowance, type AllowanceContext, costOf, requireRoom, takeAllowance } from './allowance.ts'
import { messages } from './messages.ts'
import { endCall, insertCall, labelsOf, readPolicy } from './queries.ts'
import type { AiCallKind } from './words.ts'

/** A request to a model; `version_ids` are the documents whose text it contains. */
interface AiCall {
  kind: AiCallKind
  prompt_version: string
  system: string
  prompt: string
  max_output_tokens: number
  version_ids: number[]
}

interface Given<T> {
  result: T
  /** The answer of the model, unchanged. */
  text: string
  input_tokens: number
  output_tokens: number
  isDeclined: boolean
  /** The outcome for the audit trail, without any text of the answer. */
  decided?: Record<string, string | number>
}

type CallContext = Pick<PrepareContext, 'services' | 'inSeparateTransaction'> & {
  actor: Actor
  signal?: AbortSignal | undefined
}

const requireModel = ({ languageModel }: Services): LanguageModel => {
  if (!languageModel) throw unavailable(messages.assistant_not_configured())
  return languageModel
}

/** Called before the search for sources, so that a switched-off assistant costs nothing. */
export async function requireAssistant({ services, read }: Pick<PrepareContext, 'services' | 'read'>) {
  const model = requireModel(services)
  if (!(await read(readPolicy)).is_enabled) throw unavailable(messages.assistant_switched_off())
  return model
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Called in `prepare`. The row `started` and its audit entry are committed before anything is sent, and reserve the most that the call
 * can use of the tenant's allowance. Refuses with a 503 if the assistant is switched off or the allowance used up. An error of `work`
 * is recorded with its reason and thrown again.
 */
export async function withAiCall<T>(
  context: CallContext,
  call: AiCall,
  work: (model: LanguageModel) => Promise<Given<T>>,
): Promise<T> {
  const model = requireModel(context.services)
  const { id, allowance } = await begin(context, model, call)
  const received = { text: '' }
  const began = performance.now()
  const duration_ms = () => Math.round(performance.now() - began)
  let given: Given<T>
  try {
    given = await work(listening(model, context.actor.tenantId, received))
  } catch (thrown) {
    const sent = wasSent(thrown)
    await end(context, { id, allowance, duration_ms: duration_ms() }, 'failed', {
      error: context.signal?.aborted ? 'The caller did not wait for the answer' : sentenceOf(thrown),
      // A failed call reports no usage, so it is estimated from the texts.
      input_tokens: sent ? model.countTokens(call.system) + model.countTokens(call.prompt) : 0,
      output_tokens: sent ? model.countTokens(received.text) : 0,
    })
    throw thrown
  }
  const { input_tokens, output_tokens, isDeclined, text, decided } = given
  await end(context, { id, allowance, duration_ms: duration_ms() }, isDeclined ? 'declined' : 'answered', {
    input_tokens,
    output_tokens,
    answer_sha256: sha256(text),
    decided,
  })
  return given.result
}

/** Keeps what has arrived of an answer, so that the usage of an interrupted one can be estimated. */
const listening = (model: LanguageModel, tenant_id: number, received: { text: string }): LanguageModel => ({
  ...model,
  structured: request => model.structured({ ...request, tenant_id }),
  answer: ({ onText, ...request }) =>
    model.answer({
      ...request,
      tenant_id,
      ...(onText && {
        onText(piece: string) {
          received.text += piece
          onText(piece)
        },
      }),
    }),
})

const wasSent = (thrown: unknown) =>
  !(thrown instanceof ModelFailed) || !['unreachable', 'refused', 'busy', 'resting'].includes(thrown.kind)

const sentenceOf = (thrown: unknown) =>
  thrown instanceof ModelFailed || thrown instanceof AppError ? thrown.message : 'An internal error'

async function begin({ services, actor, inSeparateTransaction }: CallContext, model: LanguageModel, call: AiCall) {
  const { userId } = actor
  if (userId === null) throw new Error('only a person asks a model')
  const input_tokens = model.countTokens(call.system) + model.countTokens(call.prompt)
  return inSeparateTransaction(async ({ tx, record }) => {
    const context: AllowanceContext = { tx, services }
    const allowance = await takeAllowance(context)
    const tokens = input_tokens + call.max_output_tokens
    const cost_micros = costOf(allowance.policy, { input_tokens, output_tokens: call.max_output_tokens })
    if (!allowance.policy.is_enabled) throw unavailable(messages.assistant_switched_off())
    requireRoom(allowance, { tokens, cost_micros }, services.clock.now())
    const { kind, prompt_version, version_ids } = call
    const { provider, model: name } = model
    const prompt_sha256 = sha256(JSON.stringify([call.system, call.prompt]))
    const said = { kind, provider, model: name, prompt_version, prompt_sha256 }
    const id = await insertCall(tx, {
      ...said,
      user_id: userId,
      version_ids,
      tokens,
      cost_micros,
      created_at: services.clock.now().toISOString(),
    })
    record('ai_call.started', id, {
      after: { ...said, status: 'started', versions: await labelsOf(tx, version_ids), most_tokens: tokens },
    })
    return { id, allowance }
  })
}

interface Ended {
  input_tokens: number
  output_tokens: number
  answer_sha256?: string
  decided?: Record<string, string | number> | undefined
  error?: string
}

async function end(
  { inSeparateTransaction, services }: CallContext,
  { id, allowance, duration_ms }: { id: number; allowance: Allowance; duration_ms: number },
  status: 'answered' | 'declined' | 'failed',
  { input_tokens, output_tokens, answer_sha256, decided, error }: Ended,
) {
  const after = {
    status,
    input_tokens,
    output_tokens,
    cost_micros: costOf(allowance.policy, { input_tokens, output_tokens }),
    duration_ms,
    ...(answer_sha256 !== undefined && { answer_sha256 }),
  }
  await inSeparateTransaction(async ({ tx, record }) => {
    const finished_at = services.clock.now().toISOString()
    const isEnded = await endCall(tx, id, {
      ...after,
      tokens: input_tokens + output_tokens,
      finished_at,
      error: error ?? null,
    })
    if (!isEnded) throw unavailable(messages.assistant_call_abandoned())
    record(`ai_call.${status}`, id, {
      before: { status: 'started' },
      after: { ...after, ...decided },
      ...(error !== undefined && { reason: error, outcome: 'failed' as const }),
    })
  })
}
