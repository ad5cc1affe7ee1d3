import { fileTypeFromBuffer } from 'file-type'
import { invalidField, unsupportedMedia } from '#kernel/errors.ts'
import { messages } from './messages.ts'

interface Type {
  content_type: string
  is_text?: true
}

/**
 * What can be uploaded, by the ending of its name: kinds of files whose content somebody has thought about, and `inspect` can
 * check to the end. Of these a tenant has a list of its own. Nothing that a browser would run is among them (no svg, no xml; of html what runs
 * nothing), no program, and no container that cannot be looked into (doc, msg, rtf with its objects, 7z).
 */
const types = {
  pdf: { content_type: 'application/pdf' },
  docx: { content_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  xlsx: { content_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  pptx: { content_type: 'application/vnd.openxmlformats-officedocument.presentationml.presentation' },
  odt: { content_type: 'application/vnd.oasis.opendocument.text' },
  ods: { content_type: 'application/vnd.oasis.opendocument.spreadsheet' },
  odp: { content_type: 'application/vnd.oasis.opendocument.presentation' },
  txt: { content_type: 'text/plain', is_text: true },
  csv: { content_type: 'text/csv', is_text: true },
  md: { content_type: 'text/markdown', is_text: true },
  html: { content_type: 'text/html', is_text: true },
  png: { content_type: 'image/png' },
  jpg: { content_type: 'image/jpeg' },
  gif: { content_type: 'image/gif' },
  webp: { content_type: 'image/webp' },
  tif: { content_type: 'image/tiff' },
  mp4: { content_type: 'video/mp4' },
  zip: { content_type: 'application/zip' },
} as const satisfies Record<string, Type>
export type Ending = keyof typeof types
export const knownEndings = Object.keys(types) as Ending[]
/** What a tenant takes that has not said otherwise. */
export const usualEndings: Ending[] = ['pdf', 'docx', 'xlsx', 'pptx', 'txt', 'csv', 'md', 'png', 'jpg']
const otherEndings: Record<string, Ending> = { jpeg: 'jpg', tiff: 'tif', htm: 'html' }

/** Text that a browser or a program would take for something else, whatever it is called. A comment may well open a Markdown file. */
const disguised = /^\uFEFF?\s*(<\?xml|<!doctype|<(html|svg|head|body|script|iframe|object|embed)\b|%PDF-|%!PS|\{\\rtf)/i

/** How a page begins, behind a remark. */
const page = /^\uFEFF?\s*(<!--[^<>]*-->\s*)?<(!doctype html|html|head|body)\b/i

/** How the first entry of every Office file is called, in the order that one program or another writes them. */
const officeEntry = /^(\[Content_Types\]\.xml|_rels\/|docProps\/|customXml\/)/
/** The name of a ZIP archive's first entry stands behind a header of this length. */
const zip_header_bytes = 30

export interface MediaType {
  content_type: string
  /** As it is on the list: `jpg` for a file called `Photo.JPEG`. */
  extension: Ending
}

export const contentTypeOf = (ending: Ending) => types[ending].content_type

/** DOC-07: the kind of file that the name says, or a 415 where that is not accepted: nothing of the file has to be read for it. */
export function typeOf(filename: string, accepted: readonly Ending[]): MediaType {
  const ending = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''
  const named = Object.hasOwn(otherEndings, ending) ? otherEndings[ending] : ending
  const extension = accepted.find(each => each === named)
  if (!extension) throw unsupportedMedia(messages.file_type_not_accepted({ ending, accepted }))
  return { content_type: contentTypeOf(extension), extension }
}

/** DOC-07: whether a file begins as its name says it does; a 422 where it does not. `head`: its first 4,100 bytes. */
export async function requireHead(head: Uint8Array, extension: Ending): Promise<void> {
  if (head.length === 0) throw invalidField('file', messages.file_empty())
  const type: Type = types[extension]
  if (type.is_text) requireText(head, extension)
  else await requireMagic(head, extension)
}

function requireText(head: Uint8Array, extension: Ending) {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(head, { stream: true }) // the last character may be cut
  } catch {
    throw invalidField('file', messages.file_is_no_text({ ending: extension }))
  }
  if (text.includes('\0')) throw invalidField('file', messages.file_is_no_text({ ending: extension }))
  if (extension === 'html') {
    if (!page.test(text)) throw invalidField('file', messages.file_is_no_page({ ending: extension }))
  } else if (disguised.test(text)) throw mismatch(extension)
}

async function requireMagic(head: Uint8Array, extension: Ending) {
  const found = (await fileTypeFromBuffer(head))?.ext
  if (found === extension) return
  // The list of parts of a long presentation does not fit into the first bytes, and leaves only that it is an Office file.
  if (
    found === 'zip' &&
    /^(docx|xlsx|pptx)$/.test(extension) &&
    officeEntry.test(Buffer.from(head.subarray(zip_header_bytes)).toString('latin1'))
  )
    return
  if (found === 'cfb') throw invalidField('file', messages.file_is_old_office({ ending: extension }))
  throw mismatch(extension, found)
}

const mismatch = (ending: Ending, found: string | null = null) =>
  invalidField('file', messages.file_type_mismatch({ ending, found }))
