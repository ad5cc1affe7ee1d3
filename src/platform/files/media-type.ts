import { fileTypeFromBuffer } from 'file-type'
import { invalidField, unsupportedMedia } from '#kernel/errors.ts'
import { messages } from './messages.ts'

interface Type {
  content_type: string
  is_text?: true
}

/**
 * The types that can be uploaded, by the ending of the name; a tenant accepts some of them. `inspect` can check each to its end. So there
 * are no programs, no files that a browser would run (svg, xml; html only without scripts), and no containers that cannot be inspected
 * (doc, msg, rtf with its objects, 7z).
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
/** The types that a tenant accepts by default. */
export const usualEndings: Ending[] = ['pdf', 'docx', 'xlsx', 'pptx', 'txt', 'csv', 'md', 'png', 'jpg']
const otherEndings: Record<string, Ending> = { jpeg: 'jpg', tiff: 'tif', htm: 'html' }

/** Text that a browser or a program would take for another type, whatever its name. A Markdown file may begin with a comment. */
const disguised = /^\uFEFF?\s*(<\?xml|<!doctype|<(html|svg|head|body|script|iframe|object|embed)\b|%PDF-|%!PS|\{\\rtf)/i

/** The beginning of a web page, perhaps after a comment. */
const page = /^\uFEFF?\s*(<!--[^<>]*-->\s*)?<(!doctype html|html|head|body)\b/i

/** The first entry of an Office file, which depends on the program that wrote it. */
const officeEntry = /^(\[Content_Types\]\.xml|_rels\/|docProps\/|customXml\/)/
/** The length of the header before the name of the first entry of a ZIP archive. */
const zipHeaderBytes = 30

export interface MediaType {
  content_type: string
  /** Normalized: `jpg` for a file called `Photo.JPEG`. */
  extension: Ending
}

export const contentTypeOf = (ending: Ending) => types[ending].content_type

const writtenEnding = (filename: string) => /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''

/** One of these endings by the name of the file; undefined for another one, as of an imported file that uploads refuse. */
export function endingAmong(filename: string, accepted: readonly Ending[]): Ending | undefined {
  const ending = writtenEnding(filename)
  const named = Object.hasOwn(otherEndings, ending) ? otherEndings[ending] : ending
  return accepted.find(each => each === named)
}

/** DOC-07: the type by the name of the file, or a 415 if it is not accepted, without reading the file. */
export function typeOf(filename: string, accepted: readonly Ending[]): MediaType {
  const extension = endingAmong(filename, accepted)
  if (!extension) throw unsupportedMedia(messages.file_type_not_accepted({ ending: writtenEnding(filename), accepted }))
  return { content_type: contentTypeOf(extension), extension }
}

/** DOC-07: refuses a file with a 422 whose beginning does not match its name. `head` is its first 4,100 bytes. */
export async function requireHead(head: Uint8Array, extension: Ending): Promise<void> {
  if (head.length === 0) throw invalidField('file', messages.file_empty())
  const type: Type = types[extension]
  if (type.is_text) requireText(head, extension)
  else await requireMagic(head, extension)
}

function requireText(head: Uint8Array, extension: Ending) {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(head, { stream: true }) // the last character may be cut off
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
  // The list of parts of a long presentation is not in the first bytes, so only its being an Office file is known.
  if (
    found === 'zip' &&
    /^(docx|xlsx|pptx)$/.test(extension) &&
    officeEntry.test(Buffer.from(head.subarray(zipHeaderBytes)).toString('latin1'))
  )
    return
  if (found === 'cfb') throw invalidField('file', messages.file_is_old_office({ ending: extension }))
  throw mismatch(extension, found)
}

const mismatch = (ending: Ending, found: string | null = null) =>
  invalidField('file', messages.file_type_mismatch({ ending, found }))
