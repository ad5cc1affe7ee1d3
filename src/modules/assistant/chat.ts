import { command } from '#action'
import { requireAssistant } from '#modules/ai-calls'
import { type Passage, passages } from '#modules/search'
import { answerOf } from './answer.ts'
import { ask } from './ask.ts'
import { requireKnown } from './known.ts'
import { chatPrompt } from './prompts.ts'
import { Answer, ChatRequest, Piece } from './schema.ts'
import type { Source } from './sources.ts'

const maxPassages = 12

export const sourcesOf = (found: readonly Passage[]): Source[] =>
  found.map(({ score: _score, position: _position, status: _status, ...each }, index) => ({ mark: index + 1, ...each }))

/** AI-01. */
export const chat = command({
  summary: 'Ask the assistant',
  description:
    'Answers from the documents that you may read, or from `context_documents` alone, and cites them: each mark such as [2] is a citation with the words of the document. If they do not say it, the answer says so and `grounded` is false. Question and answer are not stored; the audit trail has the person, the time and the documents.',
  permission: 'ai.use',
  input: { body: ChatRequest },
  response: Answer,
  pieces: Piece,
  async prepare(context, { body: { message, context_documents } }) {
    const model = await requireAssistant(context)
    if (context_documents) await requireKnown(context, context_documents)
    const found = await passages(context, {
      q: message,
      ...(context_documents && context_documents.length > 0 && { documents: context_documents }),
      limit: maxPassages,
    })
    const answered = await ask(context, model, {
      kind: 'chat',
      prompt: chatPrompt,
      asked: chatPrompt.user(message),
      found,
      textOf: ({ text }) => text,
      sourcesOf,
      mustBeGrounded: true,
    })
    return answerOf(context, model, answered)
  },
  run: async ({ prepared }) => prepared,
})
