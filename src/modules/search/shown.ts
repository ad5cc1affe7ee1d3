import type { Embeddings } from '#platform/models/embeddings.ts'
import { firstNames } from './synonyms.ts'
import type { Piece } from './vector-queries.ts'

type Model = Pick<Embeddings, 'isLexical'>

/** A model that knows spelling alone is told what is the same thing by another name. */
const withNames = (text: string, { isLexical }: Model) => (isLexical ? [text, ...firstNames(text)].join('\n') : text)

/** What the model is shown of a passage: a piece alone does not say what it is about. */
export const shownPassage = ({ title, heading, body }: Omit<Piece, 'position'>, model: Model) =>
  withNames([title, ...(heading ? [heading] : []), body].join('\n'), model)

export const shownQuery = withNames
