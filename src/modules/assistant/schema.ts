import { type Static, Type } from 'typebox'
import { Body, Id, Nullable, Ref, Said, Words } from '#kernel/schema.ts'
import { Department } from '#modules/documents'

const maxDocuments = 20

export const ChatRequest = Body({
  message: Words(4000),
  context_documents: Type.Optional(
    Type.Array(Ref('document'), {
      maxItems: maxDocuments,
      uniqueItems: true,
      description: 'Answers from these documents only; without them, from all that you may read',
    }),
  ),
})

export const GenerateRequest = Body({
  prompt: Words(8000),
  document_type: Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'words',
    description: 'The kind of text: SOP, report, summary, …; with `create_document` the name of a document type',
  }),
  create_document: Type.Optional(
    Type.Boolean({ description: 'Makes a draft of the text, as a PDF; needs `documents.create` too' }),
  ),
  title: Type.Optional(Words(500)),
  department: Type.Optional(Department),
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
  quote: Type.String({ description: 'A literal quote of the document' }),
})

const answered = {
  answer: Type.String({ description: 'Markdown without links, pictures and HTML' }),
  citations: Type.Array(Citation),
  grounded: Type.Boolean({ description: 'False if no document supports the answer; it then cites nothing' }),
  is_cut: Type.Boolean({ description: 'The answer exceeded the longest possible one and was cut' }),
  provider: Type.String(),
  model: Type.String(),
  request_id: Type.String(),
  disclaimer: Type.String(),
}

export const Answer = Type.Object(answered)
export type Answer = Static<typeof Answer>

export const Analysis = Type.Object({
  ...answered,
  left_out: Type.Union([Said, Type.Null()], {
    description: 'A sentence on the parts of the document that were not read',
  }),
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

/** A part of an answer that is still being written. */
export const Piece = Type.Object({ text: Type.String() })
