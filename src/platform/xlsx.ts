import { Readable } from 'node:stream'
import { zipOf } from './files/zip.ts'

/** A day (YYYY-MM-DD) and a moment (ISO 8601, UTC) become real dates; a moment keeps its seconds. */
export type ColumnType = 'text' | 'day' | 'moment'
export interface Column {
  title: string
  type: ColumnType
}
export type Cell = string | number | boolean | null

const namespace = 'http://schemas.openxmlformats.org'
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** Excel takes no longer text in a cell, and no file with one. */
const maxText = 32_767
/** The rows of a sheet, its header among them. */
export const maxSheetRows = 1_048_576

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** XML has no control characters but tab and the ends of lines, and a file with another one cannot be opened. */
const xmlText = (text: string) =>
  text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu, '')
    .replace(/[&<>"]/g, each => escapes[each]!)

/** Spreadsheets count days from 1899-12-30. */
const serialOf = (iso: string) => Date.parse(iso) / 86_400_000 + 25_569

/** The indexes of the formats in `styles`. */
const formats = { text: 0, day: 1, moment: 2, header: 3 } as const
const styles = `${head}<styleSheet xmlns="${namespace}/spreadsheetml/2006/main"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`

/** A: 0, Z: 25, AA: 26. */
const letterOf = (index: number): string =>
  (index >= 26 ? letterOf(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26))

const textCell = (text: string, style: number) =>
  `<c t="inlineStr" s="${style}"><is><t xml:space="preserve">${xmlText(text.slice(0, maxText))}</t></is></c>`

/** Text is never a formula here, whatever it begins with. */
function cellOf(value: Cell, type: ColumnType): string {
  if (value === null) return '<c/>'
  if (typeof value === 'number') return `<c><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`
  return type === 'text' ? textCell(value, formats.text) : `<c s="${formats[type]}"><v>${serialOf(value)}</v></c>`
}

const widths = { text: 24, day: 12, moment: 20 } as const

async function* sheetOf(columns: readonly Column[], parts: AsyncIterable<readonly (readonly Cell[])[]>) {
  const last = letterOf(columns.length - 1)
  const cols = columns.map(
    ({ type }, i) => `<col min="${i + 1}" max="${i + 1}" width="${widths[type]}" customWidth="1"/>`,
  )
  yield `${head}<worksheet xmlns="${namespace}/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData><row>${columns.map(({ title }) => textCell(title, formats.header)).join('')}</row>`
  let rows = 1
  for await (const part of parts) {
    rows += part.length
    yield part.map(row => `<row>${row.map((cell, i) => cellOf(cell, columns[i]!.type)).join('')}</row>`).join('')
  }
  yield `</sheetData><autoFilter ref="A1:${last}${rows}"/></worksheet>`
}

/** The other parts of a workbook with one sheet. */
const partsOf = (sheet: string): [name: string, content: string][] => [
  [
    '[Content_Types].xml',
    `${head}<Types xmlns="${namespace}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `${head}<Relationships xmlns="${namespace}/package/2006/relationships"><Relationship Id="rId1" Type="${namespace}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `${head}<workbook xmlns="${namespace}/spreadsheetml/2006/main" xmlns:r="${namespace}/officeDocument/2006/relationships"><sheets><sheet name="${xmlText(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `${head}<Relationships xmlns="${namespace}/package/2006/relationships"><Relationship Id="rId1" Type="${namespace}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${namespace}/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
  ],
  ['xl/styles.xml', styles],
]

/**
 * A workbook (ECMA-376) with one sheet: a frozen header with an auto-filter, and rows that are written as they are read. The libraries that
 * stream have no auto-filter, and those with one keep all rows in memory.
 */
export const xlsxOf = (
  sheet: string,
  columns: readonly Column[],
  parts: AsyncIterable<readonly (readonly Cell[])[]>,
  mtime: Date,
): Readable =>
  zipOf(
    [
      ...partsOf(sheet).map(([name, content]) => ({ name, open: () => Readable.from([Buffer.from(content)]) })),
      { name: 'xl/worksheets/sheet1.xml', open: () => Readable.from(bytesOf(sheetOf(columns, parts))) },
    ],
    mtime,
  )

/** A column of a sheet that is filled in: what is shown where a cell of it is chosen, and what can be chosen. */
export interface TemplateColumn {
  title: string
  type: ColumnType
  prompt: string
  choices: readonly string[]
}
export interface TemplateSheet {
  name: string
  columns: readonly TemplateColumn[]
  rows: readonly (readonly Cell[])[]
}

/** The longest list of choices, and the longest prompt, that Excel takes in a rule. */
const maxChoices = 250
const maxPrompt = 250

/** Excel offers the choices in a list, and shows the prompt beside the cell. */
function rulesOf({ columns }: TemplateSheet): string {
  const rules = columns.map(({ title, prompt, choices }, at) => {
    const list = choices.join(',')
    const isOffered = choices.length > 0 && list.length <= maxChoices && !choices.some(each => each.includes(','))
    const letter = letterOf(at)
    return `<dataValidation ${isOffered ? 'type="list" showErrorMessage="1" ' : ''}allowBlank="1" showInputMessage="1" promptTitle="${xmlText(title.slice(0, 32))}" prompt="${xmlText(prompt.slice(0, maxPrompt))}" sqref="${letter}2:${letter}${maxSheetRows}">${isOffered ? `<formula1>"${xmlText(list)}"</formula1>` : ''}</dataValidation>`
  })
  return rules.length > 0 ? `<dataValidations count="${rules.length}">${rules.join('')}</dataValidations>` : ''
}

function templateSheetOf(sheet: TemplateSheet): string {
  const { columns, rows } = sheet
  // Cells of days are real dates whatever the spreadsheet's language, so that none is read wrong.
  const cols = columns.map(
    ({ type }, i) =>
      `<col min="${i + 1}" max="${i + 1}" width="${widths[type]}" style="${formats[type]}" customWidth="1"/>`,
  )
  const head_row = `<row>${columns.map(({ title }) => textCell(title, formats.header)).join('')}</row>`
  const body = rows.map(row => `<row>${row.map((cell, i) => cellOf(cell, columns[i]!.type)).join('')}</row>`).join('')
  return `${head}<worksheet xmlns="${namespace}/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>${head_row}${body}</sheetData>${rulesOf(sheet)}</worksheet>`
}

/** A workbook to be filled in, with several sheets. */
export function templateOf(sheets: readonly TemplateSheet[], mtime: Date): Readable {
  const part = (_: unknown, at: number) => `xl/worksheets/sheet${at + 1}.xml`
  const types = sheets
    .map(
      (each, at) =>
        `<Override PartName="/${part(each, at)}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`,
    )
    .join('')
  const names = sheets
    .map(({ name }, at) => `<sheet name="${xmlText(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
    .join('')
  const relations = sheets
    .map(
      (_, at) =>
        `<Relationship Id="rId${at + 1}" Type="${namespace}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
    )
    .join('')
  const shared = partsOf('').filter(([name]) => ['_rels/.rels', 'xl/styles.xml'].includes(name))
  const parts: [string, string][] = [
    [
      '[Content_Types].xml',
      `${head}<Types xmlns="${namespace}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>${types}<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
    ],
    ...shared,
    [
      'xl/workbook.xml',
      `${head}<workbook xmlns="${namespace}/spreadsheetml/2006/main" xmlns:r="${namespace}/officeDocument/2006/relationships"><sheets>${names}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${head}<Relationships xmlns="${namespace}/package/2006/relationships">${relations}<Relationship Id="rId${sheets.length + 1}" Type="${namespace}/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
    ],
    ...sheets.map((sheet, at): [string, string] => [part(sheet, at), templateSheetOf(sheet)]),
  ]
  return zipOf(
    parts.map(([name, content]) => ({ name, open: () => Readable.from([Buffer.from(content)]) })),
    mtime,
  )
}

async function* bytesOf(texts: AsyncIterable<string>) {
  for await (const text of texts) yield Buffer.from(text)
}
