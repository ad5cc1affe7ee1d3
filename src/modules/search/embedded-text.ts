import type { Embeddings } from '#platform/models/embeddings.ts'
import { tradeSynonyms } from './synonyms.ts'
import type { Piece } from './vector-queries.ts'

type Model = Pick<Embeddings, 'isLexical'>

/** A model that knows only spelling gets the main names of synonyms as well. */
const withNames = (text: string, { isLexical }: Model) =>
  isLexical ? [text, ...tradeSynonyms.firstNames(text)].join('\n') : text

/** The text of a passage for the model, with title and heading, because a piece alone does not show its subject. */
export const passageText = ({ title, heading, body }: Omit<Piece, 'position'>, model: Model) =>
  withNames([title, ...(heading ? [heading] : []), body].join('\n'), model)

export const queryText = withNames
