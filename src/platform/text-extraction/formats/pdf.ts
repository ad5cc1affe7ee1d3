import { getResolvedPDFJS } from 'unpdf'
import type { PDFDocumentProxy } from 'unpdf/pdfjs'
import { limits } from '../limits.ts'
import { reasons, sentences, Unreadable, type Writer } from '../writer.ts'
import { bytesOf } from './bytes.ts'
import { openBands } from './pdf-bands.ts'
import { type Line, linesOf, type Piece } from './pdf-lines.ts'
import { openLook, writePage } from './pdf-paragraphs.ts'

/** Headers and footers are recognized over this many pages. */
const pagesAtOnce = 20
/** The interval at which pdf.js frees its memory of pages. */
const pagesBetweenCleanups = 50
/** After this many unreadable pages in a row reading ends, because a file may claim any number of pages. */
const maxBrokenPages = 10

/** Reads page by page, in reading order. */
export async function readPdf(file: number, writer: Writer, { maxPdfPages }: { maxPdfPages: number }) {
  const document = await open(bytesOf(file))
  const count = document.numPages
  writer.pages(count)
  if (count > maxPdfPages) throw new Unreadable(reasons.tooManyPages(count, maxPdfPages))
  const last = Math.min(count, limits.most_pages)
  if (last < count) writer.partly(sentences.tooManyPages(count))
  const bands = openBands()
  const look = openLook()
  let broken = 0
  for (let from = 1; from <= last && broken < maxBrokenPages; from += pagesAtOnce) {
    const pages: { number: number; lines: Line[] }[] = []
    for (let number = from; number <= last && number < from + pagesAtOnce; number += 1) {
      try {
        const pieces = await piecesOf(document, number)
        pages.push({ number, lines: linesOf(pieces) })
        broken = 0
      } catch {
        writer.partly(sentences.somePages)
        broken += 1
        if (broken === maxBrokenPages) break
      }
    }
    bands.learn(pages.map(({ lines }) => lines))
    const divided = pages.map(({ number, lines }) => ({ number, isBlank: lines.length === 0, ...bands.divide(lines) }))
    for (const { body } of divided) look.learn(body)
    for (const { number, isBlank, body, around } of divided) {
      writer.page(number)
      if (isBlank) writer.blank(number)
      for (const { text } of around) writer.paragraph(text)
      writePage(body, look, writer)
    }
    if ((from - 1) % pagesBetweenCleanups < pagesAtOnce) await document.cleanup()
  }
  if (broken === last || broken >= maxBrokenPages) throw new Unreadable(reasons.damaged)
}

async function open(bytes: Buffer<ArrayBuffer>): Promise<PDFDocumentProxy> {
  const { getDocument } = await getResolvedPDFJS()
  try {
    return await getDocument({
      data: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
      disableFontFace: true,
      useSystemFonts: false,
      enableXfa: false,
      verbosity: 0,
    }).promise
  } catch (error) {
    throw new Unreadable((error as Error).name === 'PasswordException' ? reasons.locked : reasons.damaged)
  }
}

async function piecesOf(document: PDFDocumentProxy, number: number): Promise<Piece[]> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  page.cleanup()
  return items.flatMap(item =>
    'str' in item
      ? [
          {
            text: item.str,
            transform: item.transform as number[],
            width: item.width,
            font: item.fontName,
            isRightToLeft: item.dir === 'rtl',
            endsLine: item.hasEOL,
          },
        ]
      : [],
  )
}
