import { piecesOf } from './snippet-pieces.ts'

/** A piece of a document's text, with what was looked for marked. */
export const Snippet = ({ of: snippet }: { of: string }) =>
  piecesOf(snippet).map(({ text, isMarked }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
    isMarked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
  )
