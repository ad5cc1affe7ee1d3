import { messages } from '../messages.ts'
import { type Bytes, piecesOf, refusal } from './bytes.ts'

const tail_bytes = 64 * 1024
/** The encryption entry of a trailer: a reference, or the dictionary itself. */
const encryption = /^\/Encrypt\s*(\d{1,10}\s+\d{1,5}\s+R|<<)/
const maxMatchBytes = 64
/** The largest distance between the entries of a page tree that are looked at. */
const nodeBytes = 64

/**
 * Checks that the file begins and ends as a PDF, and needs no password, because it must stay readable. Scripts and attachments are
 * accepted: a download never runs with the rights of the service's pages, and a search would miss those in compressed objects.
 * For the same reason the number of pages is only known of usual files; the reading of the text counts the pages of the others.
 */
export async function inspectPdf(bytes: Bytes, maxPages: number) {
  if (bytes.size < 5 || (await bytes.at(0, 5)).toString('latin1', 0, 5) !== '%PDF-')
    throw refusal(messages.pdf_has_leading_data())
  const begin = Math.max(0, bytes.size - tail_bytes)
  const tail = (await bytes.at(begin, bytes.size - begin)).toString('latin1')
  // NUL is a blank in a PDF, and some programs fill the last block of the file with it.
  if (!/%%EOF[\0\s]*$/.test(tail)) throw refusal(messages.pdf_incomplete())
  for await (const piece of piecesOf(bytes, maxMatchBytes + nodeBytes)) {
    for (let at = piece.indexOf('/Encrypt'); at >= 0; at = piece.indexOf('/Encrypt', at + 1)) {
      if (encryption.test(piece.toString('latin1', at, at + maxMatchBytes))) throw refusal(messages.pdf_encrypted())
    }
    for (let at = piece.indexOf('/Count'); at >= 0; at = piece.indexOf('/Count', at + 1)) {
      const pages = countedPages(piece, at)
      if (pages > maxPages) throw refusal(messages.pdf_has_too_many_pages({ pages, maximum: maxPages }))
    }
  }
}

/** The pages below a node of the page tree whose count stands there. Bookmarks are counted as well, in a dictionary of another kind. */
function countedPages(piece: Buffer, at: number): number {
  const [, count] =
    /^\/Count\s*(\d{1,12})(?!\d|\s+\d{1,5}\s+R)/.exec(piece.toString('latin1', at, at + maxMatchBytes)) ?? []
  if (count === undefined) return 0
  const before = piece.toString('latin1', Math.max(0, at - nodeBytes), at).replace(/^.*(<<|>>)/s, '')
  const after = piece.toString('latin1', at, at + maxMatchBytes).replace(/(<<|>>).*$/s, '')
  const isPageTree = /\d\s+R\s*\]\s*$/.test(before) || /\/Type\s*\/Pages\b|\/Kids\b/.test(before + after)
  return isPageTree ? Number(count) : 0
}
