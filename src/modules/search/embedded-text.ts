import type { Piece } from './vector-queries.ts'

/** The text of a passage for the model, with title and heading, because a piece alone does not show its subject. */
export const passageText = ({ title, heading, body }: Omit<Piece, 'position'>) =>
  [title, ...(heading ? [heading] : []), body].join('\n')
