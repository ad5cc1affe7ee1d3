import { messages } from '../messages.ts'
import type { Part } from './archive.ts'
import { refusal } from './bytes.ts'

const beginning = '<!DOCTYPE'
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16()
/** The beginning of a document type in the encodings that XML may have. */
const forms = [Buffer.from(beginning), Buffer.from(beginning, 'utf16le'), swapped(Buffer.from(beginning, 'utf16le'))]
const longest = 2 * beginning.length

/** Refuses XML with a document type, which can name files, addresses, and entities without end. */
export async function* withoutDtd(part: Part): AsyncGenerator<Buffer> {
  let before: Buffer = Buffer.alloc(0)
  for await (const piece of part.content()) {
    const seam = Buffer.concat([before, piece.subarray(0, longest)])
    if (forms.some(form => seam.includes(form) || piece.includes(form))) throw refusal(messages.file_has_dtd())
    before = Buffer.concat([before, piece.subarray(-longest)]).subarray(-longest)
    yield piece
  }
}
