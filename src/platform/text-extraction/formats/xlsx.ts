import type { Cell } from '../extraction.ts'
import { limits } from '../limits.ts'
import { reasons, Unreadable, type Writer } from '../writer.ts'
import { mainPart, openParts, type Parts } from './parts.ts'

/** The limit of texts that cells share, which stay in memory while the file is read. */
const maxSharedCharacters = 20_000_000

/** Reads a workbook: each visible sheet is a heading, and each row a line. */
export const readXlsx = (file: number, writer: Writer) =>
  readWorkbook(file, {
    sheet: name => writer.heading(name),
    row(_line, cells) {
      const texts = cells.map(({ text }) => text.replace(/\s+/g, ' ').trim()).filter(text => text !== '')
      if (texts.length > 0) writer.line(texts.join(' | '))
    },
  })

/** Reads a workbook for its values: each row of each visible sheet, with its cells apart. */
export const readXlsxRows = (file: number, writer: Writer) =>
  readWorkbook(file, {
    sheet: name => writer.sheet(name),
    row(line, cells) {
      const row: Cell[] = []
      for (const { column, text, isDate } of cells) {
        if (text.trim() === '') continue
        if (column >= limits.most_columns) throw new Unreadable(reasons.tooManyColumns)
        while (row.length < column) row.push('')
        row.push(isDate ? { date: text } : text)
      }
      if (row.length > 0) writer.row(line, row)
    },
  })

interface Found {
  /** Counted from 0. */
  column: number
  text: string
  /** A number that the workbook shows as a date: the text is `YYYY-MM-DD`, with ` HH:MM` where it has a time. */
  isDate: boolean
}

interface Visitor {
  sheet(name: string): void
  /** The line is that which Excel shows beside the row. */
  row(line: number, cells: readonly Found[]): void
}

async function readWorkbook(file: number, visitor: Visitor) {
  const parts = await openParts(file)
  const main = await mainPart(parts)
  const relations = await parts.relations(main)
  const ofKind = (kind: string) => [...relations.values()].find(relation => relation.kind === kind)?.target ?? ''
  const sheets: { name: string; part: string }[] = []
  let first_day = Date.UTC(1899, 11, 30)
  await parts.xml(main, {
    open(tag, { name = '', id = '', state = 'visible', date1904 }) {
      if (tag === 'workbookPr' && /^(1|true)$/.test(date1904 ?? '')) first_day = Date.UTC(1904, 0, 1)
      if (tag === 'sheet' && state === 'visible') sheets.push({ name, part: relations.get(id)?.target ?? '' })
    },
  })
  const shared = await sharedTexts(parts, ofKind('sharedStrings'))
  const styles = await readStyles(parts, ofKind('styles'))
  for (const { name, part } of sheets) {
    visitor.sheet(name)
    await readSheet(parts, part, visitor, { shared, styles, first_day })
  }
}

interface Workbook {
  shared: string[]
  styles: Styles
  first_day: number
}

/** `B12`: 1. */
function columnOf(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0]
  if (letters === undefined) return undefined
  return letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

async function readSheet(parts: Parts, part: string, visitor: Visitor, { shared, styles, first_day }: Workbook) {
  let line = 0
  let row: Found[] = []
  let cell = { kind: '', style: '', value: '', column: 0 }
  let next = 0
  let isValue = false
  await parts.xml(part, {
    open(tag, { t = '', s = '', r = '' }) {
      if (tag === 'row') {
        line = /^\d{1,7}$/.test(r) ? Number(r) : line + 1
        row = []
        next = 0
      } else if (tag === 'c') {
        cell = { kind: t, style: s, value: '', column: columnOf(r) ?? next }
        next = cell.column + 1
      } else if (tag === 'v' || tag === 't') isValue = true
    },
    text(text) {
      if (isValue) cell.value += text
    },
    close(tag) {
      if (tag === 'v' || tag === 't') isValue = false
      else if (tag === 'c') {
        if (cell.value !== '') row.push({ column: cell.column, ...shown() })
      } else if (tag === 'row' && row.length > 0) visitor.row(line, row)
    },
  })

  function shown(): Omit<Found, 'column'> {
    const { kind, style, value } = cell
    const asText = (text: string) => ({ text, isDate: false })
    if (kind === 's') return asText(shared[Number(value)] ?? '')
    if (kind === 'b') return asText(value === '1' ? 'TRUE' : 'FALSE')
    if (kind === 'e' || kind === 'str' || kind === 'inlineStr') return asText(value)
    const date = styles.dates.has(style) ? dateOf(Number(value), first_day) : undefined
    if (date !== undefined) return { text: date, isDate: true }
    // The version 1.0 is stored as 1.
    const decimals = styles.decimals.get(style)
    return asText(decimals === undefined ? value : Number(value).toFixed(decimals))
  }
}

const day_ms = 24 * 60 * 60 * 1000

/** A time without a date stays a number, because hardly anybody searches for one. */
function dateOf(days: number, first_day: number): string | undefined {
  const moment = new Date(first_day + Math.round((days * day_ms) / 1000) * 1000)
  if (!(days >= 1) || Number.isNaN(moment.getTime())) return undefined
  const [day, time] = moment.toISOString().split('T')
  return Number.isInteger(days) ? day : `${day} ${time?.slice(0, 5)}`
}

async function sharedTexts(parts: Parts, name: string): Promise<string[]> {
  const texts: string[] = []
  let characters = 0
  let text = ''
  let isText = false
  let isSound = false
  await parts.xml(name, {
    open(tag) {
      if (tag === 'si') text = ''
      else if (tag === 't') isText = true
      // A Japanese reading aid beside the text.
      else if (tag === 'rPh') isSound = true
    },
    text(piece) {
      if (isText && !isSound) text += piece
    },
    close(tag) {
      if (tag === 't') isText = false
      else if (tag === 'rPh') isSound = false
      else if (tag === 'si') {
        characters += text.length
        if (characters > maxSharedCharacters) throw new Unreadable('it holds more text than is read')
        texts.push(text)
      }
    },
  })
  return texts
}

/** The built-in date formats of Excel. */
const isBuiltInDate = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** What the styles of cells, by their index, say of a number. */
interface Styles {
  /** It is shown as a date. */
  dates: Set<string>
  /** It is shown with so many decimals, and nothing around them. */
  decimals: Map<string, number>
}

async function readStyles(parts: Parts, name: string): Promise<Styles> {
  const dateFormats = new Set<number>()
  const decimalsOf = new Map<number, number>([[2, 2]])
  const styles: Styles = { dates: new Set(), decimals: new Map() }
  let isList = false
  let index = 0
  await parts.xml(name, {
    open(tag, { numFmtId = '', formatCode = '' }) {
      if (tag === 'numFmt') {
        // Days and years outside of quotes and brackets.
        if (/[dy]/i.test(formatCode.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))) dateFormats.add(Number(numFmtId))
        const decimals = /^0\.(0{1,4})$/.exec(formatCode)?.[1]
        if (decimals) decimalsOf.set(Number(numFmtId), decimals.length)
      }
      if (tag === 'cellXfs') isList = true
      if (tag !== 'xf' || !isList) return
      if (isBuiltInDate(Number(numFmtId)) || dateFormats.has(Number(numFmtId))) styles.dates.add(String(index))
      const decimals = decimalsOf.get(Number(numFmtId))
      if (decimals !== undefined) styles.decimals.set(String(index), decimals)
      index += 1
    },
    close(tag) {
      if (tag === 'cellXfs') isList = false
    },
  })
  return styles
}
