import { type Static, Type } from 'typebox'
import { Body, Id, Nullable, Ref, Words } from '#kernel/schema.ts'

const most_documents = 20

export const ChatRequest = Body({
  message: Words(4000),
  context_documents: Type.Optional(
    Type.Array(Ref('document'), {
      maxItems: most_documents,
      uniqueItems: true,
      description: 'Answers from these alone; without, from all that you may read',
    }),
  ),
})

export const GenerateRequest = Body({
  prompt: Words(8000),
  document_type: Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'words',
    description: 'What is to be written: SOP, report, summary, …; with `create_document` the name of a document type',
  }),
  create_document: Type.Optional(
    Type.Boolean({ description: 'Makes a draft of the text, as a PDF; needs `documents.create` too' }),
  ),
  title: Type.Optional(Words(500)),
})

export const AnalyzeRequest = Body({ document_id: Ref('document'), instructions: Words(4000) })

const Citation = Type.Object({
  mark: Type.Integer({ description: 'The number in brackets by which the answer names it' }),
  document_id: Id,
  number: Type.String(),
  title: Type.String(),
  version: Type.String(),
  page: Nullable(Type.Integer()),
  heading: Nullable(Type.String()),
  quote: Type.String({ description: 'Words of the document, letter by letter' }),
})

const answered = {
  answer: Type.String({ description: 'Markdown without links, pictures and HTML' }),
  citations: Type.Array(Citation),
  grounded: Type.Boolean({ description: 'Whether documents that were read support it: false, and it cites nothing' }),
  is_cut: Type.Boolean({ description: 'It became longer than an answer may be, and ends where it was cut' }),
  provider: Type.String(),
  model: Type.String(),
  request_id: Type.String(),
  disclaimer: Type.String(),
}

export const Answer = Type.Object(answered)
export type Answer = Static<typeof Answer>

export const Analysis = Type.Object({
  ...answered,
  left_out: Nullable(Type.String({ description: 'What of the document was not read: a sentence' })),
})

export const Generated = Type.Object({
  ...answered,
  document: Nullable(
    Type.Object({
      id: Id,
      number: Type.String(),
      title: Type.String(),
      version: Type.String(),
      status: Type.String(),
    }),
  ),
})

/** A piece of an answer while it is made. */
export const Piece = Type.Object({ text: Type.String() })
