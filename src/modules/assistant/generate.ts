import { command, type PrepareContext } from '#action'
import { conflict, forbidden, invalidField } from '#kernel/errors.ts'
import { requireAssistant } from '#modules/ai-calls'
import { addDocument, requireDepartment } from '#modules/documents'
import { passages } from '#modules/search'
import { keepMarkdown, requirePdf } from '#modules/templates'
import { answerOf } from './answer.ts'
import { type Answered, ask } from './ask.ts'
import { sourcesOf } from './chat.ts'
import type { Citation } from './citations.ts'
import { messages } from './messages.ts'
import { generatePrompt } from './prompts.ts'
import { findDocumentType } from './queries.ts'
import { Generated, GenerateRequest, Piece } from './schema.ts'

const maxPassages = 16

/** Checked before the model is called, so that nobody waits for a text that then cannot become a document. */
async function requireDraftable(
  context: PrepareContext,
  name: string,
  { title, department }: { title?: string | undefined; department?: string | undefined },
) {
  if (!context.actor.permissions.has('documents.create')) throw forbidden(messages.assistant_draft_permission_missing())
  if (title === undefined) throw invalidField('title', messages.assistant_title_required())
  return context.read(async tx => {
    await requirePdf(tx)
    const type = await findDocumentType(tx, name)
    if (!type) throw invalidField('document_type', messages.assistant_document_type_unknown())
    requireDepartment(type, { department })
    return { document_type: type.id, department, title }
  })
}

/** Escapes a quote, because its brackets would look like marks and its signs like formatting. */
const asMarkdown = (text: string) => text.replaceAll(/[\s]+/g, ' ').replaceAll(/[\\`*_{}[\]<>#|~&!]/g, '\\$&')

const lineOf = ({ mark, number, version, page, quote }: Citation) =>
  `- \\[${mark}\\] ${asMarkdown(number)}, version ${version}${page === null ? '' : `, page ${page}`}: “${asMarkdown(quote)}”`

/** A printed document has no links, so its sources are listed at the end. */
const withSources = ({ answer, citations }: Answered) =>
  citations.length === 0 ? answer : `${answer}\n\n---\n\n${citations.map(lineOf).join('\n')}\n`

/** AI-02. */
export const generate = command({
  summary: 'Have the assistant write a text',
  description:
    'A report, a summary, an SOP or the like as Markdown, from the documents that you may read, which it cites. A statement without a mark such as [2] is in no document. With `create_document` and a `title` it becomes a draft of the document type, whose audit entry says that the assistant wrote it; nothing else is stored.',
  permission: 'ai.use',
  input: { body: GenerateRequest },
  response: Generated,
  pieces: Piece,
  async prepare(context, { body: { prompt, document_type, create_document, ...draftOf } }) {
    const model = await requireAssistant(context)
    const draft = create_document ? await requireDraftable(context, document_type, draftOf) : undefined
    const found = await passages(context, { q: prompt, limit: maxPassages })
    const answered = await ask(context, model, {
      kind: 'generate',
      prompt: generatePrompt,
      asked: generatePrompt.user(document_type, prompt),
      found,
      textOf: ({ text }) => text,
      sourcesOf,
      mustBeGrounded: false,
    })
    const answer = answerOf(context, model, answered)
    if (!draft) return { answer, draft: undefined }
    if (answered.is_cut || answered.answer === '') throw conflict(messages.assistant_text_cut())
    const from = `Written by the assistant (${model.model})`
    const stored = await keepMarkdown(context, { ...draft, content: withSources(answered), from })
    return { answer, draft: { ...draft, stored } }
  },
  async run(context, _input) {
    const { answer, draft } = context.prepared
    if (!draft) return { ...answer, document: null }
    const { stored, ...fields } = draft
    const madeBy = { written_by: 'assistant', provider: answer.provider, model: answer.model }
    const { id, number, version, status } = await addDocument(context, fields, stored, madeBy)
    return { ...answer, document: { id, number, title: draft.title, version, status } }
  },
})
