import type { TextKind } from './embeddings.ts'

interface Profile {
  model: RegExp
  prefix: Record<TextKind, string>
}

/** Prefixes that models were trained with, by their makers' descriptions. Without them they find less. */
const profiles: Profile[] = [
  { model: /\be5-/i, prefix: { query: 'query: ', passage: 'passage: ' } },
  { model: /nomic-embed/i, prefix: { query: 'search_query: ', passage: 'search_document: ' } },
  {
    model: /bge-(small|base|large)-en/i,
    prefix: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  },
]
/** Models whose vector is that of the first token. For the others it is the mean of all tokens. */
const byFirstToken = /\bbge-|arctic-embed|mxbai-embed/i

export const withPrefix = (model: string, kind: TextKind, text: string): string =>
  `${profiles.find(each => each.model.test(model))?.prefix[kind] ?? ''}${text}`

export const poolingOf = (model: string): 'cls' | 'mean' => (byFirstToken.test(model) ? 'cls' : 'mean')
