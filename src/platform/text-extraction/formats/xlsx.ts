import { Unreadable, type Writer } from '../writer.ts'
import { mainPart, openParts, type Parts } from './parts.ts'

/** The limit of texts that cells share, which stay in memory while the file is read. */
const maxSharedCharacters = 20_000_000

/** Reads a workbook: each visible sheet is a heading, and each row a line. */
export async function readXlsx(file: number, writer: Writer) {
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
  const dates = await dateStyles(parts, ofKind('styles'))
  for (const { name, part } of sheets) {
    writer.heading(name)
    await readSheet(parts, part, writer, { shared, dates, first_day })
  }
}

interface Workbook {
  shared: string[]
  /** The styles that show a number as a date. */
  dates: Set<string>
  first_day: number
}

async function readSheet(parts: Parts, part: string, writer: Writer, { shared, dates, first_day }: Workbook) {
  let row: string[] = []
  let cell = { kind: '', style: '', value: '' }
  let isValue = false
  await parts.xml(part, {
    open(tag, { t = '', s = '' }) {
      if (tag === 'row') row = []
      else if (tag === 'c') cell = { kind: t, style: s, value: '' }
      else if (tag === 'v' || tag === 't') isValue = true
    },
    text(text) {
      if (isValue) cell.value += text
    },
    close(tag) {
      if (tag === 'v' || tag === 't') isValue = false
      else if (tag === 'c') {
        const text = shown().replace(/\s+/g, ' ').trim()
        if (text !== '') row.push(text)
      } else if (tag === 'row' && row.length > 0) writer.line(row.join(' | '))
    },
  })

  function shown(): string {
    const { kind, style, value } = cell
    if (kind === 's') return shared[Number(value)] ?? ''
    if (kind === 'b') return value === '1' ? 'TRUE' : 'FALSE'
    if (kind === 'e' || kind === 'str' || kind === 'inlineStr' || !dates.has(style)) return value
    return dateOf(Number(value), first_day) ?? value
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

async function dateStyles(parts: Parts, name: string): Promise<Set<string>> {
  const formats = new Set<number>()
  const dates = new Set<string>()
  let isList = false
  let index = 0
  await parts.xml(name, {
    open(tag, { numFmtId = '', formatCode = '' }) {
      // Days and years outside of quotes and brackets.
      if (tag === 'numFmt' && /[dy]/i.test(formatCode.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')))
        formats.add(Number(numFmtId))
      if (tag === 'cellXfs') isList = true
      if (tag !== 'xf' || !isList) return
      if (isBuiltInDate(Number(numFmtId)) || formats.has(Number(numFmtId))) dates.add(String(index))
      index += 1
    },
    close(tag) {
      if (tag === 'cellXfs') isList = false
    },
  })
  return dates
}
