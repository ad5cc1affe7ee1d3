import type { TextKind } from './embeddings.ts'

interface Manner {
  model: RegExp
  before: Record<TextKind, string>
}

/** What models were trained with, by their makers' descriptions: without it they find less. */
const manners: Manner[] = [
  { model: /\be5-/i, before: { query: 'query: ', passage: 'passage: ' } },
  { model: /nomic-embed/i, before: { query: 'search_query: ', passage: 'search_document: ' } },
  {
    model: /bge-(small|base|large)-en/i,
    before: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  },
]
/** Their first token stands for the whole; of the others all tokens do, in equal parts. */
const byFirstToken = /\bbge-|arctic-embed|mxbai-embed/i

export const shownAs = (model: string, kind: TextKind, text: string): string =>
  `${manners.find(each => each.model.test(model))?.before[kind] ?? ''}${text}`

export const poolingOf = (model: string): 'cls' | 'mean' => (byFirstToken.test(model) ? 'cls' : 'mean')
