import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { requireAssistant } from '#modules/ai-calls'
import { passages } from '#modules/search'
import { answerOf } from './answer.ts'
import { ask } from './ask.ts'
import { requireKnown } from './known.ts'
import { messages, printed } from './messages.ts'
import { analyzePrompt } from './prompts.ts'
import { type Piece as Chunk, readVersion } from './queries.ts'
import { Analysis, AnalyzeRequest, Piece } from './schema.ts'

/** In a long document, so many pieces at most are ranked by the instructions. */
const maxRelevant = 100
/** Pieces seldom have fewer tokens, so no more are read than can fit. */
const minPieceTokens = 60

/** Relevant pieces first, then the others in the order of the document. */
function byRelevance(chunks: readonly Chunk[], relevant: readonly number[]): Chunk[] {
  const place = new Map(relevant.map((position, index) => [position, index]))
  const rank = ({ position }: Chunk) => place.get(position) ?? relevant.length + position
  return [...chunks].sort((a, b) => rank(a) - rank(b))
}

function leftOut(read: number, all: number, reason: string | null): Message | null {
  if (read < all) return printed.assistant_pieces_left_out({ left: all - read, all, reason })
  return reason === null ? null : printed.assistant_text_incomplete({ reason })
}

/** AI-03. */
export const analyze = command({
  summary: 'Have the assistant examine a document',
  description:
    'Follows the instructions on the text of one document, in the version that its readers are shown. Of a document that is too long to be read at once, the most relevant pieces are read, and `left_out` says so.',
  permission: 'ai.use',
  input: { body: AnalyzeRequest },
  response: Analysis,
  pieces: Piece,
  async prepare(context, { body: { document_id, instructions } }) {
    const model = await requireAssistant(context)
    const [known] = await requireKnown(context, [document_id])
    const { number, version_id } = known!
    const maxPieces = Math.ceil(context.services.config.ai!.most_input_tokens / minPieceTokens)
    const text = await context.read(tx => readVersion(tx, version_id, maxPieces))
    if (text.status !== 'extracted' || text.chunks.length === 0)
      throw conflict(
        text.status === 'waiting'
          ? messages.assistant_text_not_ready({ number })
          : messages.assistant_text_missing({ number, reason: text.reason }),
      )
    const relevant = await passages(context, { q: instructions, documents: [document_id], limit: maxRelevant })
    let read = 0
    const answered = await ask(context, model, {
      kind: 'analyze',
      prompt: analyzePrompt,
      asked: analyzePrompt.user(instructions),
      found: byRelevance(
        text.chunks,
        relevant.filter(each => each.version_id === version_id).map(({ position }) => position),
      ),
      textOf: chunk => chunk.text,
      sourcesOf(found) {
        read = found.length
        const inOrder = [...found].sort((a, b) => a.position - b.position)
        return inOrder.map(({ position: _position, ...chunk }, index) => ({
          mark: index + 1,
          document_id,
          number,
          version_id,
          title: text.title,
          version: text.version,
          ...chunk,
        }))
      },
      mustBeGrounded: true,
    })
    return { ...answerOf(context, model, answered), left_out: leftOut(read, text.count, text.reason) }
  },
  run: async ({ prepared }) => prepared,
})
