// Reads the cells of a row by the kinds of its columns. What cannot be read is a finding, and never a guess.
import type { Message } from '#kernel/message.ts'
import type { Cell } from '#platform/text-extraction/index.ts'
import { messages } from '../messages.ts'
import type { DateFormat } from '../rules.ts'
import type { Column, RowMessage, Value, Values } from '../sheet.ts'
import type { MappedColumn } from './mapping.ts'

const maxText = 1_000
const maxLongText = 20_000
const maxPath = 500

export interface ReadingRules {
  date_format: DateFormat
  time_zone: string
}

/** A value, or why there is none and what to do about it. */
type Read = { value: Value } | { message: Message; todo: Message }

/** The values of a row, and what is wrong with its cells. */
export function readValues(
  cells: readonly Cell[],
  columns: readonly MappedColumn[],
  rules: ReadingRules,
): { values: Values; findings: RowMessage[] } {
  const values: Values = {}
  const findings: RowMessage[] = []
  for (const { column, at } of columns) {
    const { name } = column
    const cell = at === undefined ? '' : (cells[at] ?? '')
    const isEmpty = typeof cell === 'string' && cell.trim() === ''
    values[name] = column.kind === 'list' ? [] : null
    if (isEmpty) {
      if (!column.required) continue
      findings.push(
        at === undefined
          ? {
              column: name,
              message: messages.row_column_missing({ column: name }),
              todo: messages.row_add_column({ column: name }),
            }
          : {
              column: name,
              message: messages.row_value_missing({ column: name }),
              todo: messages.row_fill_in({ column: name }),
            },
      )
      continue
    }
    const read = readCell(cell, column, rules)
    if ('value' in read) values[name] = read.value
    else findings.push({ column: name, ...read })
  }
  return { values, findings }
}

const inCell = (cell: Cell) => (typeof cell === 'string' ? cell : cell.date)

function readCell(cell: Cell, column: Column, rules: ReadingRules): Read {
  const text = inCell(cell).normalize('NFC').trim()
  switch (column.kind) {
    case 'text':
      return readText(text.replace(/\s+/g, ' '), maxText)
    case 'long_text':
      return readText(text.replace(/\r\n?/g, '\n'), maxLongText)
    case 'list':
      return readList(text)
    case 'integer':
      return readInteger(text)
    case 'choice':
      return readChoice(text, column.choices ?? [])
    case 'file':
      return readPath(text)
    case 'date':
      return typeof cell === 'string' ? readDay(text, rules) : { value: text.slice(0, 10) }
    case 'moment':
      return readMoment(text, typeof cell !== 'string', rules)
  }
}

function readText(text: string, maximum: number): Read {
  if (!text.isWellFormed() || /[^\P{Cc}\n\t]/u.test(text))
    return { message: messages.row_text_invalid(), todo: messages.row_type_again() }
  if (text.length > maximum) return { message: messages.row_text_too_long({ maximum }), todo: messages.row_shorten() }
  return { value: text }
}

function readList(text: string): Read {
  const read = readText(text, maxLongText)
  if (!('value' in read)) return read
  const items = text
    .split(/[;\n]/)
    .map(each => each.replace(/\s+/g, ' ').trim())
    .filter(each => each !== '')
  return { value: [...new Set(items)] }
}

const readInteger = (text: string): Read =>
  /^-?\d{1,9}(\.0+)?$/.test(text)
    ? { value: Number.parseInt(text, 10) }
    : { message: messages.row_no_number({ value: short(text) }), todo: messages.row_enter_number() }

const plain = (text: string) => text.toLowerCase().replace(/[\s-]+/g, '_')

function readChoice(text: string, choices: readonly string[]): Read {
  const value = choices.find(each => plain(each) === plain(text))
  return value === undefined
    ? { message: messages.row_no_choice({ value: short(text), choices }), todo: messages.row_choose({ choices }) }
    : { value }
}

/** A path as in an archive: with `/`, without `.` and `..`, in one spelling of letters with marks. Undefined if it leads elsewhere. */
export function cleanPath(path: string): string | undefined {
  const parts = path
    .normalize('NFC')
    .replaceAll('\\', '/')
    .split('/')
    .filter(part => part !== '' && part !== '.')
  const isWrong =
    parts.length === 0 || parts.includes('..') || /^([a-z]:|\/\/|\\\\)/i.test(path) || /\p{Cc}/u.test(path)
  const clean = parts.join('/')
  return isWrong || clean.length > maxPath || !clean.isWellFormed() ? undefined : clean
}

function readPath(text: string): Read {
  const value = text.startsWith('/') ? undefined : cleanPath(text)
  return value === undefined
    ? { message: messages.row_path_invalid({ value: short(text) }), todo: messages.row_write_path() }
    : { value }
}

const patterns: Record<DateFormat, { pattern: RegExp; order: 'ymd' | 'dmy' | 'mdy' }> = {
  'YYYY-MM-DD': { pattern: /^(\d{4})-(\d{2})-(\d{2})$/, order: 'ymd' },
  'YYYY/MM/DD': { pattern: /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/, order: 'ymd' },
  YYYYMMDD: { pattern: /^(\d{4})(\d{2})(\d{2})$/, order: 'ymd' },
  'DD.MM.YYYY': { pattern: /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, order: 'dmy' },
  'DD/MM/YYYY': { pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, order: 'dmy' },
  'DD-MM-YYYY': { pattern: /^(\d{1,2})-(\d{1,2})-(\d{4})$/, order: 'dmy' },
  'MM/DD/YYYY': { pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, order: 'mdy' },
}

/** Days and months that may be swapped. */
const isAmbiguous = (text: string) => {
  const found = /^(\d{1,2})[./-](\d{1,2})[./-](\d{2}|\d{4})$/.exec(text)
  return found !== null && Number(found[1]) <= 12 && Number(found[2]) <= 12 && found[1] !== found[2]
}

function readDay(text: string, { date_format }: ReadingRules): Read {
  // ISO 8601 is clear whatever else is declared.
  const day = dayOf(text, 'YYYY-MM-DD') ?? dayOf(text, date_format)
  if (day !== undefined) return { value: day }
  return {
    message:
      date_format === 'YYYY-MM-DD' && isAmbiguous(text)
        ? messages.row_date_ambiguous({ value: short(text) })
        : messages.row_no_date({ value: short(text), format: date_format }),
    todo: messages.row_write_date({ format: date_format }),
  }
}

/** A day that there is. */
function dayOf(text: string, format: DateFormat): string | undefined {
  const { pattern, order } = patterns[format]
  const found = pattern.exec(text)
  if (!found) return undefined
  const [, a = '', b = '', c = ''] = found
  const [year, month, day] = order === 'ymd' ? [a, b, c] : order === 'dmy' ? [c, b, a] : [c, a, b]
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const moment = new Date(`${iso}T00:00:00Z`)
  const isReal = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(iso)
  return isReal && Number(year) >= 1900 && Number(year) <= 2199 ? iso : undefined
}

/** With a zone as it says, else by the clocks of the company. A day alone is its first moment there. */
function readMoment(text: string, isReal: boolean, { date_format, time_zone }: ReadingRules): Read {
  const refused = { message: messages.row_no_moment({ value: short(text) }), todo: messages.row_write_moment() }
  const found = /^(\S+?)(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  if (!found) return refused
  const [, date = '', hours = '0', minutes = '00', seconds = '00', zone] = found
  const day = dayOf(date, 'YYYY-MM-DD') ?? (isReal ? undefined : dayOf(date, date_format))
  if (day === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return refused
  const clock = `${day}T${hours.padStart(2, '0')}:${minutes}:${seconds}`
  const moment =
    zone === undefined
      ? momentAt(clock, time_zone)
      : new Date(`${clock}${zone === 'Z' ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(moment.getTime()) ? refused : { value: moment.toISOString() }
}

/** The moment at which the clocks of a time zone show this. One that they skip is the one that they would have shown. */
function momentAt(clock: string, time_zone: string): Date {
  const asUtc = Date.parse(`${clock}Z`)
  const shownAt = (ms: number) => {
    const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      ...{ timeZone: time_zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
    }).formatToParts(new Date(ms))
    const the = (type: Intl.DateTimeFormatPartTypes) => parts.find(part => part.type === type)!.value
    return Date.parse(
      `${the('year').padStart(4, '0')}-${the('month')}-${the('day')}T${the('hour')}:${the('minute')}:${the('second')}Z`,
    )
  }
  const guess = asUtc - (shownAt(asUtc) - asUtc)
  return new Date(guess - (shownAt(guess) - asUtc))
}

const short = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
