/** A piece of a text with one place: on one page, below one heading. */
export interface Block {
  /** From 1; a slide counts as one. Null where the file has none, as in a Word file. */
  page: number | null
  /** The nearest above. */
  heading: string | null
  /** Plain, its blanks tidied; paragraphs by an empty line, rows and items by a line. */
  text: string
}

export interface Extraction {
  /** `no_text`: there is none to be read, as in a scan where no program reads pictures. */
  status: 'extracted' | 'no_text' | 'failed'
  /** Why there is no text, or not all of it: a sentence for whoever reads the document. */
  reason: string | null
  pages: number | null
  /** Read off pictures, all of it or some: letters may be wrong. */
  by_ocr: boolean
  blocks: Block[]
}

/** What the process that reads a file tells, one a line. */
export type Told =
  | { ready: true }
  | { block: Block }
  | { pages: number }
  /** A page without a letter on it. */
  | { blank: number }
  /** Why not all of it is read. */
  | { partly: string }
  /** It was read to its end; or it cannot be, for this reason. */
  | { end: { failed: string | null } }
