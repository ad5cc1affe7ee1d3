import type { Cell, ReaderOutput } from './extraction.ts'
import { limits } from './limits.ts'
import { oneLine, tidy } from './tidy.ts'

/** Receives the findings of a reader in reading order. Throws `Enough` at a limit. */
export interface Writer {
  /** The heading of the following text. */
  heading(text: string): void
  /** The page of the following text. */
  page(number: number): void
  /** Collected in blocks below one heading on one page. */
  paragraph(text: string): void
  /** A line of a paragraph: a row of a table, or an item of a list. */
  line(text: string): void
  pages(count: number): void
  /** A page without letters, in page order. */
  blank(page: number): void
  /** The sheet of the following rows. */
  sheet(name: string): void
  /** A row of a table that is read for its values. */
  row(line: number, cells: Cell[]): void
  /** The reason why only a part is read. The first one counts. */
  partly(sentence: string): void
}

/** A limit is reached, and reading ends. */
export class Enough extends Error {}

/** The file cannot be read, or not to its end. The message is ours, because a library's error may quote the file. */
export class Unreadable extends Error {}

export const reasons = {
  damaged: 'it is damaged or cut off',
  locked: 'it is protected by a password',
  tooLarge: `it is larger than the ${limits.most_file_bytes / 1024 / 1024} MB that text is read from`,
  inflated: 'it inflates to more than text is read from',
  tooManyColumns: `it has more than ${limits.most_columns} columns`,
  rowTooLong: `it has a row with more than ${limits.most_row_characters.toLocaleString('en')} characters`,
  tooManyRows: `it has more than ${limits.most_rows.toLocaleString('en')} rows`,
  tooManyPages: (pages: number, maximum: number) =>
    `it has ${pages.toLocaleString('en')} pages, and text is read from PDFs of at most ${maximum.toLocaleString('en')}`,
} as const

/** Sentences for the reader of the document. */
export const sentences = {
  unread: (why: string) => `The file cannot be read: ${why}.`,
  partly: (why: string, page: number | null) =>
    `Only a part of the file was read${page === null ? '' : `, to page ${page}`}: ${why}.`,
  empty: 'There is no text in the file.',
  notRead: 'No text is read from files of this kind.',
  somePages: 'Some of its pages could not be read.',
  tooLong: `Only the first ${limits.most_characters.toLocaleString('en')} characters were read.`,
  tooManyPages: (pages: number) =>
    `Only the first ${limits.most_pages.toLocaleString('en')} of its ${pages.toLocaleString('en')} pages were read.`,
} as const

export function openWriter(emit: (output: ReaderOutput) => void): Writer & { end(): void } {
  let page: number | null = null
  let heading: string | null = null
  /** True while nothing is written below the heading. */
  let isBare = false
  let text = ''
  let last: 'paragraph' | 'line' = 'paragraph'
  let characters = 0
  let blocks = 0
  let rows = 0

  const flush = () => {
    const tidied = tidy(text)
    text = ''
    if (tidied === '') return
    isBare = false
    for (const piece of piecesOf(tidied)) put(piece)
  }
  const put = (piece: string) => {
    const left = limits.most_characters - characters
    const taken = piece.length > left ? piece.slice(0, left).toWellFormed().trim() : piece
    characters += piece.length
    blocks += 1
    if (taken !== '') emit({ block: { page, heading, text: taken } })
    if (piece.length > left || blocks >= limits.most_blocks) {
      emit({ partly: sentences.tooLong })
      throw new Enough()
    }
  }
  const add = (more: string, as: 'paragraph' | 'line') => {
    const between = as === 'line' && last === 'line' ? '\n' : '\n\n'
    last = as
    text = text === '' ? more : text + between + more
    if (text.length >= limits.most_block_characters) flush()
  }
  /** A heading without text becomes a block of its own, so that search finds it. */
  const leaveHeading = () => {
    flush()
    if (isBare && heading !== null) {
      isBare = false
      put(heading)
    }
  }

  return {
    heading(found) {
      const tidied = oneLine(found)
      if (tidied === '') return
      if (tidied.length > limits.most_heading_characters) return add(tidied, 'paragraph')
      leaveHeading()
      heading = tidied
      isBare = true
    },
    page(number) {
      if (number === page) return
      flush()
      page = number
    },
    paragraph: found => add(found, 'paragraph'),
    line: found => add(found, 'line'),
    pages: pages => emit({ pages }),
    blank: blank => emit({ blank }),
    sheet: sheet => emit({ sheet: sheet.slice(0, limits.most_heading_characters) }),
    row(line, cells) {
      rows += 1
      if (rows > limits.most_rows) throw new Unreadable(reasons.tooManyRows)
      const length = cells.reduce((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0)
      if (length > limits.most_row_characters) throw new Unreadable(reasons.rowTooLong)
      emit({ row: { line, cells } })
    },
    partly: partly => emit({ partly }),
    end: leaveHeading,
  }
}

/** Splits a text into pieces of at most the length of a block, between paragraphs if possible, otherwise between words. */
function* piecesOf(text: string): Generator<string> {
  const most = limits.most_block_characters
  let rest = text
  while (rest.length > most) {
    const head = rest.slice(0, most)
    const least = most / 2
    const cut = [head.lastIndexOf('\n\n'), head.lastIndexOf('\n'), head.lastIndexOf(' ')].find(at => at > least) ?? most
    const isSplit = cut === most && /[\ud800-\udbff]$/.test(head)
    const end = isSplit ? cut - 1 : cut
    yield rest.slice(0, end).trim()
    rest = rest.slice(end).trim()
  }
  if (rest !== '') yield rest
}
