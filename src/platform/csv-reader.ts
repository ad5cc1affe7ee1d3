import { type AppError, invalidField } from '#kernel/errors.ts'
import { messages } from './messages.ts'

/** A record of a CSV, and the line of the text that it begins in, counted from 1. */
export interface CsvRecord {
  line: number
  cells: string[]
}

/** What spreadsheets write, by their language. */
const separators = [',', ';', '\t'] as const

const separatorOf = (text: string) => {
  const header = /^[^\r\n]*/.exec(text)![0]
  const count = (separator: string) => header.split(separator).length
  return separators.reduce((most, each) => (count(each) > count(most) ? each : most))
}

/**
 * Reads CSV by RFC 4180, with the separator that its first line has most of. Lines without any text are left out. A text that is no CSV is a
 * 422 of the field that names the line: a guess would put values into the wrong columns.
 */
export function readCsv(given: string, field: string): CsvRecord[] {
  const text = given.replace(/^\uFEFF/, '')
  const separator = separatorOf(text)
  const plainCell = new RegExp(`[^${separator}\\r\\n]*`, 'y')
  const records: CsvRecord[] = []
  let at = 0
  let line = 1
  const unreadable = (where: number): AppError => invalidField(field, messages.csv_quotes_do_not_match({ line: where }))

  function readQuoted(): string {
    const begun = line
    let cell = ''
    for (at += 1; ; at += 1) {
      const end = text.indexOf('"', at)
      if (end < 0) throw unreadable(begun)
      const piece = text.slice(at, end)
      cell += piece
      line += piece.match(/\r\n|\r|\n/g)?.length ?? 0
      at = end + 1
      if (text[at] !== '"') return cell
      cell += '"'
    }
  }

  function readPlain(): string {
    plainCell.lastIndex = at
    const cell = plainCell.exec(text)![0]
    at += cell.length
    if (cell.includes('"')) throw unreadable(line)
    return cell
  }

  while (at < text.length) {
    const record: CsvRecord = { line, cells: [] }
    for (;;) {
      record.cells.push(text[at] === '"' ? readQuoted() : readPlain())
      if (text[at] !== separator) break
      at += 1
    }
    const [end = ''] = /^(\r\n|\r|\n)?/.exec(text.slice(at, at + 2))!
    if (end === '' && at < text.length) throw unreadable(line)
    at += end.length
    line += 1
    if (record.cells.some(cell => cell.trim() !== '')) records.push(record)
  }
  return records
}
