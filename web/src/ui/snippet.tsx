import styles from './snippet.module.css'
import { piecesOf } from './snippet-pieces.ts'

/** A piece of a document's text, with what was looked for marked. */
export const Snippet = ({ of: snippet }: { of: string }) =>
  piecesOf(snippet).map(({ text, isMarked }, index) =>
    isMarked ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
      <mark key={index} className={styles.mark}>
        {text}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
      <span key={index}>{text}</span>
    ),
  )
