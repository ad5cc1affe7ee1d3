import type { Flow } from '../markdown/flow.ts'

/** A job for the PDF thread, in terms that know nothing of records. */
export interface PdfJob {
  /** The first pages. The thread reads files itself, so that they never pass through the memory of the service. */
  source: { kind: 'pdf' | 'picture' | 'text'; path: string } | { kind: 'sheets'; blocks: Block[]; bands?: Bands }
  /** Pages that follow. */
  sheets?: Block[]
  /** On every page, in bands that are added to the page, so that nothing of it is covered. */
  stamp?: Stamp
  attachment?: { path: string; name: string; content_type: string; description: string }
  info: PdfInfo
  /** What is said of characters that no font of ours has, where a page has some. */
  numbers?: string | undefined
}

export interface PdfInfo {
  title: string
  subject: string
  author: string
  keywords?: string[]
  created_at: string
}

export interface Stamp {
  /** Above the page: the first line left and right, and the second line. */
  head: { left: string; right: string; below: string }
  /** Below the page. The page number is at the end of the last line. */
  foot: { first: string; last: string }
  /** In large letters across the page. */
  across?: string
  page_of?: string
}

/** The margins of pages that we lay out: the name of the document, and the page number. */
export interface Bands {
  head: { left: string; right: string }
  foot: string
  page_of?: string
}

/** The number of a page, by words such as `Page {page} of {pages}`. */
export const pageOf = (words: string | undefined, page: number, pages: number) =>
  (words ?? 'Page {page} of {pages}').replace('{page}', String(page)).replace('{pages}', String(pages))

/** A block of a page that we lay out. Blocks follow each other over as many pages as they need. */
export type Block =
  | { kind: 'title' | 'heading' | 'text' | 'note' | 'warning'; text: string }
  /** Names with values, a line each, kept together on a page. */
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'table'; columns: Column[]; rows: string[][] }
  | { kind: 'page' }
  | { kind: 'flow'; flow: Flow[] }

export type Fact = [name: string, value: string]
export interface Column {
  title: string
  /** A share of the width of the page. */
  share: number
}

export interface MadePdf {
  bytes: Uint8Array
  pages: number
}
