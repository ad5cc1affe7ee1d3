import type { Flow } from '../markdown/flow.ts'

/** What is made of what, in words that know nothing of records: the thread that does it gets nothing else. */
export interface PdfJob {
  /** Whose pages come first. Files are read by the thread itself: they never pass through the memory of the service. */
  source: { kind: 'pdf' | 'picture' | 'text'; path: string } | { kind: 'sheets'; blocks: Block[]; bands?: Bands }
  /** Pages that follow. */
  sheets?: Block[]
  /** On every page, in bands that the page grows by: nothing of it is covered. */
  stamp?: Stamp
  attachment?: { path: string; name: string; content_type: string; description: string }
  info: PdfInfo
}

export interface PdfInfo {
  title: string
  subject: string
  author: string
  keywords?: string[]
  created_at: string
}

export interface Stamp {
  /** Above the page: first line left and right, second line. */
  head: { left: string; right: string; below: string }
  /** Below the page; its number stands at the end of the last line. */
  foot: { first: string; last: string }
  /** Large and across the page. */
  across?: string
}

/** In the margins of pages that are laid out here: what they are part of, and which of them each is. */
export interface Bands {
  head: { left: string; right: string }
  foot: string
}

/** A piece of a page that is laid out here: one below the other, over as many pages as it takes. */
export type Block =
  | { kind: 'title' | 'heading' | 'text' | 'note' | 'warning'; text: string }
  /** A name and what it is, a line each. What belongs together stays on a page. */
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'table'; columns: Column[]; rows: string[][] }
  | { kind: 'page' }
  | { kind: 'flow'; flow: Flow[] }

export type Fact = [name: string, value: string]
export interface Column {
  title: string
  /** Of the width of the page. */
  share: number
}

export interface MadePdf {
  bytes: Uint8Array
  pages: number
}
