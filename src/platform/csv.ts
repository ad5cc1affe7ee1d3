import { stringify } from 'csv-stringify/sync'

export type CsvRow = readonly (string | number | null)[]

/**
 * Lines as RFC 4180 has them, in UTF-8 with the mark by which spreadsheets know it. A text that a spreadsheet would take for a formula
 * begins with an apostrophe: it was perhaps typed by somebody who meant harm.
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
