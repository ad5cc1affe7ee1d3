import { fileTypeFromBuffer } from 'file-type'
import { invalidField, unsupportedMedia } from '#kernel/errors.ts'

/** What may be uploaded, by the ending of its name. The rest is refused: what is not on the list has nobody who has thought about it. */
const types: Record<string, { content_type: string; is_text?: true }> = {
  pdf: { content_type: 'application/pdf' },
  docx: { content_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  xlsx: { content_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  pptx: { content_type: 'application/vnd.openxmlformats-officedocument.presentationml.presentation' },
  txt: { content_type: 'text/plain', is_text: true },
  csv: { content_type: 'text/csv', is_text: true },
  md: { content_type: 'text/markdown', is_text: true },
  png: { content_type: 'image/png' },
  jpg: { content_type: 'image/jpeg' },
}
const otherEndings: Record<string, string> = { jpeg: 'jpg' }

/** Text that a browser or a program would take for something else, whatever it is called. A comment may well open a Markdown file. */
const disguised = /^\uFEFF?\s*(<\?xml|<!doctype|<(html|svg|head|body|script|iframe|object|embed)\b|%PDF-|%!PS|\{\\rtf)/i

/** How the first entry of every Office file is called, in the order that one program or another writes them. */
const officeEntry = /^(\[Content_Types\]\.xml|_rels\/|docProps\/|customXml\/)/
/** The name of a ZIP archive's first entry stands behind a header of this length. */
const zip_header_bytes = 30

export interface MediaType {
  content_type: string
  /** As it is on the list: `jpg` for a file called `Photo.JPEG`. */
  extension: string
}

/**
 * DOC-07: what a file is, from its name and its first 4,100 bytes, which must agree.
 *
 * A kind of file that is not accepted is a 415; a file that is empty, or is not what its name says, is a 422. A text is
 * judged by these bytes alone: one that stops being UTF-8 further on is not noticed here.
 */
export async function sniff(head: Uint8Array, filename: string): Promise<MediaType> {
  const ending = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''
  const extension = otherEndings[ending] ?? ending
  const type = Object.hasOwn(types, extension) ? types[extension] : undefined
  if (!type) {
    const what = ending ? `Files that end in .${ending}` : 'Files whose name has no ending'
    throw unsupportedMedia(`${what} are not accepted; these are: ${Object.keys(types).join(', ')}`)
  }
  if (head.length === 0) throw invalidField('file', 'The file is empty', 'empty_file')
  if (type.is_text) requireText(head, extension)
  else await requireMagic(head, extension)
  return { content_type: type.content_type, extension }
}

function requireText(head: Uint8Array, extension: string) {
  const refuse = (why: string) =>
    invalidField('file', `The name of the file ends in .${extension}, but ${why}`, 'file_mismatch')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(head, { stream: true }) // the last character may be cut
  } catch {
    throw refuse('its content is not text in UTF-8')
  }
  if (text.includes('\0')) throw refuse('its content is not text in UTF-8')
  if (disguised.test(text)) throw refuse('its content is of another kind')
}

async function requireMagic(head: Uint8Array, extension: string) {
  const found = (await fileTypeFromBuffer(head))?.ext
  if (found === extension) return
  // The list of parts of a long presentation does not fit into the first bytes, and leaves only that it is an Office file.
  if (
    found === 'zip' &&
    extension.endsWith('x') &&
    officeEntry.test(Buffer.from(head.subarray(zip_header_bytes)).toString('latin1'))
  )
    return
  const what = found ? `that of a .${found} file` : `not that of a .${extension} file`
  throw invalidField('file', `The name of the file ends in .${extension}, but its content is ${what}`, 'file_mismatch')
}
