import type { PrepareContext } from '#action'
import { AppError } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { type AiCallKind, withAiCall } from '#modules/ai-calls'
import { type LanguageModel, ModelFailed } from '#platform/models/language-model.ts'
import { type Citation, cite } from './citations.ts'
import { addressesOf, clean, cleaner } from './clean.ts'
import { messages } from './messages.ts'
import { nothingSaid } from './prompts.ts'
import { enclose, newBoundary, type Source, takeFitting } from './sources.ts'

export interface Question<T> {
  kind: AiCallKind
  prompt: { version: string; system: string }
  /** The request of the person, as the prompt contains it. */
  asked: string
  /** The best first. */
  found: readonly T[]
  /** Numbers the pieces that fit, in the order in which the model reads them. */
  sourcesOf: (found: readonly T[]) => Source[]
  textOf: (each: T) => string
  /** An answer without a citation is discarded. */
  mustBeGrounded: boolean
}

export interface Answered {
  answer: string
  citations: Citation[]
  grounded: boolean
  is_cut: boolean
}

const nothingFound = 'The documents that you may read do not say this.'
export const disclaimer =
  'Written by a language model from the documents that it cites. Check it against them before you rely on it.'

/** The only place that calls the model, so that every prompt and every answer passes the same checks. */
export async function ask<T>(context: PrepareContext, model: LanguageModel, question: Question<T>): Promise<Answered> {
  const { system, version: prompt_version } = question.prompt
  const ai = context.services.config.ai!
  const taken = model.countTokens(system) + model.countTokens(question.asked)
  const count = (text: string) => model.countTokens(text)
  const room = ai.most_input_tokens - taken
  const sources = question.sourcesOf(takeFitting(question.found, question.textOf, room, count))
  const boundary = newBoundary()
  const prompt = [
    `Each source stands between two lines with the word ${boundary}.`,
    ...(sources.length > 0 ? [enclose(sources, boundary)] : ['There are no sources.']),
    question.asked,
  ].join('\n\n')
  const call = {
    kind: question.kind,
    prompt_version,
    system,
    prompt,
    max_output_tokens: ai.most_output_tokens,
    version_ids: [...new Set(sources.map(({ version_id }) => version_id))],
  }
  const { signal, sendPiece } = context
  return withAiCall(context, call, async model => {
    if (sources.length === 0 && question.mustBeGrounded) return declined
    const known = new Set(sources.flatMap(({ text }) => addressesOf(text)))
    const send = sendPiece && ((text: string) => sendPiece({ text }))
    const shown = send && cleaner(known, nothingSaid, question.mustBeGrounded ? holdUntilGrounded(sources, send) : send)
    const given = await model.answer({
      system,
      prompt,
      max_output_tokens: call.max_output_tokens,
      signal,
      ...(shown && { onText: (piece: string) => shown.add(piece) }),
    })
    shown?.end()
    const result = answeredOf(given, sources, known, question.mustBeGrounded)
    return { ...given, result, isDeclined: question.mustBeGrounded && !result.grounded }
  }).catch(thrown => {
    throw thrown instanceof ModelFailed ? refusalOf(thrown) : thrown
  })
}

/**
 * Sends nothing before the first statement that a source supports: an answer without one is discarded, and a reader would have read it by
 * then.
 */
function holdUntilGrounded(sources: readonly Source[], send: (text: string) => void) {
  let held: string | undefined = ''
  return (text: string) => {
    if (held === undefined) return send(text)
    held += text
    // A mark ends with a bracket, and only a whole one can name a source.
    if (!text.includes(']') || cite(held, sources).citations.length === 0) return
    send(held)
    held = undefined
  }
}

const ungrounded: Answered = { answer: nothingFound, citations: [], grounded: false, is_cut: false }
/** Without sources the model could only invent an answer, so it is not called. */
const declined = { result: ungrounded, text: '', input_tokens: 0, output_tokens: 0, isDeclined: true }

function answeredOf(
  { text, is_cut }: { text: string; is_cut: boolean },
  sources: readonly Source[],
  known: ReadonlySet<string>,
  mustBeGrounded: boolean,
): Answered {
  const { text: cited, citations } = cite(clean(text.replaceAll(nothingSaid, ''), known), sources)
  // Removing a mark can join the text around it to an address.
  const answer = clean(cited, known)
  const grounded = citations.length > 0
  if (mustBeGrounded && !grounded) return ungrounded
  return { answer, citations, grounded, is_cut }
}

const failures: Record<ModelFailed['kind'], Message> = {
  unreachable: messages.assistant_unreachable(),
  too_slow: messages.assistant_too_slow(),
  refused: messages.assistant_request_rejected(),
  malformed: messages.assistant_answer_unusable(),
  busy: messages.assistant_busy(),
  resting: messages.assistant_paused(),
}

const refusalOf = ({ kind, retry_after_s }: ModelFailed) =>
  new AppError(503, failures[kind], retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) })
