import { decode } from '../encoding.ts'
import { clean } from '../tidy.ts'
import type { Writer } from '../writer.ts'
import { bytesOf } from './bytes.ts'

/** Reads plain text. */
export async function readPlain(file: number, writer: Writer) {
  for (const paragraph of clean(decode(bytesOf(file))).split(/\n[^\S\n]*\n/)) writer.paragraph(paragraph)
}

/** Reads CSV: a row is a line. */
export async function readRows(file: number, writer: Writer) {
  const text = clean(decode(bytesOf(file)))
  const separator = separatorOf(text.slice(0, 10_000))
  for (const row of rowsOf(text, separator)) {
    const cells = row.map(cell => cell.replace(/\s+/g, ' ').trim()).filter(cell => cell !== '')
    if (cells.length > 0) writer.line(cells.join(' | '))
  }
}

const separatorOf = (head: string) =>
  [',', ';', '\t', '|']
    .map(sign => ({ sign, count: head.split(sign).length }))
    .toSorted((a, b) => b.count - a.count)[0]!.sign

/** Quoted cells may contain separators, line ends, and doubled quotes. */
function* rowsOf(text: string, separator: string): Generator<string[]> {
  const cell = new RegExp(`"((?:[^"]|"")*)"?|([^\\n\\${separator}]*)`, 'y')
  let row: string[] = []
  for (let at = 0; at < text.length; ) {
    cell.lastIndex = at
    const found = cell.exec(text)!
    row.push(found[1]?.replaceAll('""', '"') ?? found[2]!)
    at = cell.lastIndex
    const next = text[at]
    at += 1
    if (next === separator) continue
    if (next !== undefined && next !== '\n') {
      // Characters after a closing quote belong to the cell.
      row[row.length - 1] += next
      continue
    }
    yield row
    row = []
  }
  if (row.length > 0) yield row
}
