import { CsvError, parse } from 'csv-parse/sync'
import { invalidField } from '#kernel/errors.ts'
import { messages } from './messages.ts'

/** A record of a CSV, and the line of the text that it begins in, counted from 1. */
export interface CsvRecord {
  line: number
  cells: string[]
}

/** What spreadsheets write, by their language. */
const separators = [',', ';', '\t'] as const

class Enough extends Error {}

const separatorOf = (text: string) => {
  const header = /^[^\r\n]*/.exec(text)![0]
  const count = (separator: string) => header.split(separator).length
  return separators.reduce((most, each) => (count(each) > count(most) ? each : most))
}

/**
 * Reads CSV by RFC 4180, with the separator that its first line has most of. Lines without any text are left out. A text that is no CSV is a
 * 422 of the field that names the line in which the record begins: a guess would put values into the wrong columns. After `most` records it stops.
 */
export function readCsv(given: string, field: string, most = Number.POSITIVE_INFINITY): CsvRecord[] {
  // Otherwise the parser counts two lines for each of these ends within quotes.
  const text = given.replace(/\r\n?/g, '\n')
  const records: CsvRecord[] = []
  let line = 1
  try {
    parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      record_delimiter: '\n',
      relax_column_count: true,
      on_record(cells: string[], { lines }) {
        if (cells.some(cell => cell.trim() !== '')) records.push({ line, cells })
        line = lines + 1
        if (records.length >= most) throw new Enough()
        return null
      },
    })
    return records
  } catch (error) {
    if (error instanceof Enough) return records
    if (!(error instanceof CsvError)) throw error
    throw invalidField(field, messages.csv_quotes_do_not_match({ line }))
  }
}
