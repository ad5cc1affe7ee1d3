import { stringify } from 'csv-stringify/sync'

export type CsvRow = readonly (string | number | null)[]

/**
 * CSV by RFC 4180, in UTF-8 with the byte order mark by which spreadsheets recognize it. A text that a spreadsheet would take for a
 * formula gets an apostrophe in front, because it may have been typed to do harm.
 */
export async function* csvOf(
  header: readonly string[],
  parts: AsyncIterable<readonly CsvRow[]> | Iterable<readonly CsvRow[]>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`\uFEFF${linesOf([header])}`)
  for await (const rows of parts) yield Buffer.from(linesOf(rows))
}

const linesOf = (rows: readonly CsvRow[]) =>
  stringify(
    rows.map(row => row.map(cell => cell ?? '')),
    { record_delimiter: 'windows', escape_formulas: true },
  )
