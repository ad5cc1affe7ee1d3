import { messages } from '../messages.ts'
import { type Bytes, piecesOf, refusal } from './bytes.ts'

const tail_bytes = 64 * 1024
/** The encryption entry of a trailer: a reference, or the dictionary itself. */
const encryption = /^\/Encrypt\s*(\d{1,10}\s+\d{1,5}\s+R|<<)/
const maxMatchBytes = 64

/**
 * Checks that the file begins and ends as a PDF, and needs no password, because it must stay readable. Scripts and attachments are
 * accepted: a download never runs with the rights of the service's pages, and a search would miss those in compressed objects.
 */
export async function inspectPdf(bytes: Bytes) {
  if (bytes.size < 5 || (await bytes.at(0, 5)).toString('latin1', 0, 5) !== '%PDF-')
    throw refusal(messages.pdf_has_leading_data())
  const begin = Math.max(0, bytes.size - tail_bytes)
  const tail = (await bytes.at(begin, bytes.size - begin)).toString('latin1')
  // NUL is a blank in a PDF, and some programs fill the last block of the file with it.
  if (!/%%EOF[\0\s]*$/.test(tail)) throw refusal(messages.pdf_incomplete())
  for await (const piece of piecesOf(bytes, maxMatchBytes)) {
    for (let at = piece.indexOf('/Encrypt'); at >= 0; at = piece.indexOf('/Encrypt', at + 1)) {
      if (encryption.test(piece.toString('latin1', at, at + maxMatchBytes))) throw refusal(messages.pdf_encrypted())
    }
  }
}
