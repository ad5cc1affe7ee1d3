/** A piece of a text on one page below one heading. */
export interface Block {
  /** Counted from 1; a slide is a page. Null for a file without pages, such as a Word file. */
  page: number | null
  /** The nearest heading above. */
  heading: string | null
  /** Plain text with normalized blanks. An empty line separates paragraphs, a line end rows and items. */
  text: string
}

export interface Extraction {
  /** `no_text`: nothing to read, as in a scan without a program for OCR. */
  status: 'extracted' | 'no_text' | 'failed'
  /** The reason why text is missing, a sentence for readers of the document. */
  reason: string | null
  pages: number | null
  /** Some or all of the text comes from OCR and may have wrong letters. */
  by_ocr: boolean
  blocks: Block[]
}

/** A cell of a table: its text, or a real date as `YYYY-MM-DD` or `YYYY-MM-DD HH:MM`. */
export type Cell = string | { date: string }

/** A sheet of a workbook with the rows that are not empty. */
export interface SheetOfCells {
  name: string
  rows: { line: number; cells: Cell[] }[]
}

/** The output of the process that reads a file, one JSON value per line. */
export type ReaderOutput =
  | { ready: true }
  | { block: Block }
  | { sheet: string }
  | { row: { line: number; cells: Cell[] } }
  | { pages: number }
  /** A page without letters. */
  | { blank: number }
  /** The reason why only a part is read. */
  | { partly: string }
  /** The end of the file, or the reason why it cannot be read. */
  | { end: { failed: string | null } }
