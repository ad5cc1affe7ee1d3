// Reads an uploaded manifest: a workbook with a sheet for each kind of record, or a CSV of one of them.
import { readFile } from 'node:fs/promises'
import type { PrepareContext, Upload } from '#action'
import { invalidField } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import type { CsvRecord } from '#platform/csv-reader.ts'
import { inspect } from '#platform/files/inspection/index.ts'
import { asDiskFailure } from '#platform/storage/failure.ts'
import type { Cell, SheetOfCells } from '#platform/text-extraction/index.ts'
import { limits } from '#platform/text-extraction/limits.ts'
import { inThread, ThreadFailed } from '#platform/thread.ts'
import { messages } from '../messages.ts'
import { maxManifestBytes } from '../rules.ts'
import { type SheetName, sheetNames } from '../sheet.ts'
import { sheetOf } from './mapping.ts'

export interface ManifestSheet {
  name: SheetName
  headings: string[]
  rows: { line: number; cells: Cell[] }[]
}

export interface Manifest {
  sheets: ManifestSheet[]
  /** The names of sheets that are no part of an import. */
  ignored: string[]
}

const refused = (message: Message) => invalidField('file', message)

/** The sheet with explanations that the template has. */
const explaining = /^(help|hilfe)$/i

export async function readManifest(
  context: Pick<PrepareContext, 'services'>,
  file: Upload,
  sheet: SheetName | undefined,
): Promise<Manifest> {
  if (file.size_bytes > maxManifestBytes)
    throw refused(messages.manifest_too_large({ maximum_mib: maxManifestBytes / 1024 / 1024 }))
  const found = file.name.toLowerCase().endsWith('.csv')
    ? [await readCsvSheet(file, sheet)]
    : await readWorkbook(context, file)
  const sheets: ManifestSheet[] = []
  const ignored: string[] = []
  for (const { name, rows } of found) {
    const known = sheetOf(name)
    if (known === undefined) {
      if (!explaining.test(name.trim())) ignored.push(name)
    } else if (sheets.some(each => each.name === known)) throw refused(messages.manifest_sheet_twice({ sheet: known }))
    else if (rows.length > 0) sheets.push(withHeadings(known, rows))
  }
  if (sheets.length === 0)
    throw refused(messages.manifest_without_sheet({ found: ignored.slice(0, 20), known: sheetNames }))
  const rows = sheets.reduce((sum, each) => sum + each.rows.length, 0)
  if (rows > limits.most_rows) throw refused(messages.manifest_too_many_rows({ maximum: limits.most_rows }))
  return { sheets, ignored }
}

async function readWorkbook({ services }: Pick<PrepareContext, 'services'>, { path }: Upload): Promise<SheetOfCells[]> {
  const { config, texts } = services
  const { max_upload_bytes: max_bytes, max_pdf_pages } = config
  await inspect({ path }, 'xlsx', { accepted: ['xlsx'], max_bytes, max_pdf_pages }).catch(asDiskFailure)
  const read = await texts.readRows(path)
  if ('failed' in read) throw refused(messages.manifest_unreadable({ reason: read.failed }))
  return read.sheets
}

/** By the sheet that the person names, else by the name of the file. */
async function readCsvSheet({ name, path }: Upload, asked: SheetName | undefined): Promise<SheetOfCells> {
  const sheet = asked ?? sheetOf(name.replace(/\.csv$/i, ''))
  if (sheet === undefined) throw refused(messages.manifest_sheet_unnamed({ known: sheetNames }))
  const text = textOf(await readFile(path))
  const read = await inThread<{ records: CsvRecord[] } | { refused: Message }>(
    new URL('./csv-worker.ts', import.meta.url),
    text,
    { longest_ms: 30_000, most_memory_mb: 512 },
  ).catch(error => {
    throw error instanceof ThreadFailed ? refused(messages.manifest_unreadable({ reason: error.reason.text })) : error
  })
  if ('refused' in read) throw refused(read.refused)
  return { name: sheet, rows: read.records }
}

/** Text in another encoding would be read with other letters, so it is refused by its name. */
export function textOf(bytes: Buffer): string {
  const isUtf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) ||
    (bytes[0] === 0xfe && bytes[1] === 0xff) ||
    (bytes.length > 3 && bytes[1] === 0 && bytes[3] === 0)
  if (isUtf16) throw refused(messages.manifest_in_utf16())
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refused(messages.manifest_not_utf8())
  }
  if (text.includes('\0')) throw refused(messages.manifest_has_nul())
  return text
}

const shown = (cell: Cell) => (typeof cell === 'string' ? cell : cell.date)

function withHeadings(name: SheetName, [first, ...rows]: SheetOfCells['rows']): ManifestSheet {
  const headings = first!.cells.map(cell => shown(cell).replace(/\s+/g, ' ').trim().slice(0, 200))
  while (headings.at(-1) === '') headings.pop()
  if (headings.length === 0) throw refused(messages.manifest_without_headings({ sheet: name }))
  if (headings.length > limits.most_columns)
    throw refused(messages.manifest_too_many_columns({ sheet: name, maximum: limits.most_columns }))
  const named = headings.filter(heading => heading !== '')
  const twice = named.find((heading, at) => named.indexOf(heading) !== at)
  if (twice !== undefined) throw refused(messages.manifest_heading_twice({ sheet: name, heading: twice }))
  return {
    name,
    headings,
    rows: rows.map(({ line, cells }) => ({ line, cells: cells.slice(0, headings.length) })),
  }
}
