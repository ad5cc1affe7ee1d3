import { rm, writeFile } from 'node:fs/promises'
import { messages } from '../messages.ts'
import { type Budget, maxDepth, type Part, readArchive, shown } from './archive.ts'
import { refusal } from './bytes.ts'
import { withoutDtd } from './dtd.ts'

const mainParts: Record<string, string> = {
  docx: 'wordprocessingml.document.main+xml',
  xlsx: 'spreadsheetml.sheet.main+xml',
  pptx: 'presentationml.presentation.main+xml',
}
const listOfParts = '[Content_Types].xml'
const maxListBytes = 4 * 1024 * 1024
/** Files that were inserted from another Office program, such as the table behind a chart. */
const insertion = /^(word|xl|ppt)\/embeddings\/[^/]+\.(docx|xlsx|pptx|sldx|vsdx)$/i
const macros = /(^|\/)(vbaProject|vbaData|vbaProjectSignature\w*)\.(bin|xml)$|^xl\/macrosheets\//i
const macroTypes = /macroEnabled|vnd\.ms-office\.vbaProject|vnd\.ms-excel\.(macrosheet|intlmacrosheet)/i

/** Checks a Word, Excel or PowerPoint file (`kind`), or one that was inserted into another. */
export async function inspectOffice(path: string, kind: string, budget: Budget) {
  await readArchive(path, budget, async parts => {
    if (!parts.some(({ name }) => name === listOfParts)) throw refusal(messages.file_is_no_office({ kind }))
    for (const part of parts) {
      if (macros.test(part.name)) throw withMacros()
      if (part.name === listOfParts) requireKind(await textOf(part), kind)
      else if (insertion.test(part.name)) await inspectInsertion(path, part, budget)
      else await inspectPart(part)
    }
  })
}

const withMacros = () => refusal(messages.file_has_macros())

function requireKind(list: string, kind: string) {
  if (macroTypes.test(list)) throw withMacros()
  const main = mainParts[kind]
  if (main && !list.includes(main)) throw refusal(messages.file_is_no_office({ kind }))
}

async function textOf(part: Part) {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of withoutDtd(part)) {
    size += piece.length
    if (size > maxListBytes) throw refusal(messages.file_parts_list_too_long())
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

async function inspectInsertion(path: string, part: Part, budget: Budget) {
  const kind = /\.(\w+)$/.exec(part.name)![1]!.toLowerCase()
  await unpacked(path, part, budget, inner => inspectOffice(inner, kind, budget))
}

/** Unpacks the part into a file beside the archive for as long as `work` takes. */
export async function unpacked<T>(
  path: string,
  part: Part,
  budget: Budget,
  work: (inner: string) => Promise<T>,
): Promise<T> {
  if (budget.depth === 0) throw refusal(messages.file_nested_too_deep({ maximum: maxDepth }))
  const inner = `${path}-${budget.depth}`
  budget.depth -= 1
  try {
    await writeFile(inner, part.content(), { mode: 0o600, flag: 'wx' })
    return await work(inner)
  } finally {
    budget.depth += 1
    await rm(inner, { force: true })
  }
}

const archives = ['PK\x03\x04', 'PK\x05\x06', '7z\xbc\xaf', 'Rar!', '\xfd7zXZ', 'BZh']
const gzip = '\x1f\x8b'
/** Office keeps old drawings compressed. */
const compressedDrawing = /\.(emz|wmz|svgz)$/i

/** Reads the part to its end, because its size and checksum are only verified then. */
export async function inspectPart(part: Part) {
  let isFirst = true
  for await (const piece of isXml(part.name) ? withoutDtd(part) : part.content()) {
    if (isFirst) refuseArchive(part.name, piece.toString('latin1', 0, 6))
    isFirst = false
  }
}

function refuseArchive(name: string, head: string) {
  const isArchive =
    archives.some(each => head.startsWith(each)) || (head.startsWith(gzip) && !compressedDrawing.test(name))
  if (isArchive) throw refusal(messages.file_has_embedded_archive({ name: shown(name) }))
}

const isXml = (name: string) => /\.(xml|rels|vml|rdf)$/i.test(name)
