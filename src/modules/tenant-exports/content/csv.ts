// Records as tables: a table of the records, and one of each list within them.
import { type CsvRow, csvOf } from '#platform/csv.ts'
import type { Json } from './records.ts'

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Objects get a column for each of their fields, as `owner.username`; what a cell cannot show is JSON. */
function flat(record: Json, prefix = ''): Json {
  const cells: Json = {}
  for (const [name, value] of Object.entries(record))
    if (isObject(value) && prefix.split('.').length < 3) Object.assign(cells, flat(value, `${prefix}${name}.`))
    else cells[`${prefix}${name}`] = value
  return cells
}

const isTable = (value: unknown): value is Json[] => Array.isArray(value) && value.length > 0 && value.every(isObject)

function cellOf(value: unknown): CsvRow[number] {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number') return value
  return Array.isArray(value) && value.every(each => typeof each === 'string' || typeof each === 'number')
    ? value.join('; ')
    : JSON.stringify(value)
}

interface Table {
  /** Of the list within a record; undefined for the records themselves. */
  part: string | undefined
  columns: readonly string[]
}

/** The tables of some records. Their columns are those that any of them has, so all are read first. */
export async function tablesOf(records: AsyncIterable<Json>): Promise<Table[]> {
  const columns = new Map<string | undefined, Set<string>>([[undefined, new Set()]])
  const add = (part: string | undefined, row: Json) => {
    const known = columns.get(part) ?? new Set()
    for (const name of Object.keys(flat(row))) known.add(name)
    columns.set(part, known)
  }
  for await (const record of records) {
    const own: Json = {}
    for (const [name, value] of Object.entries(record))
      if (isTable(value)) for (const row of value) add(name, row)
      else own[name] = value
    add(undefined, own)
  }
  return [...columns].map(([part, names]) => ({ part, columns: [...names] }))
}

const rowsAtOnce = 200

/** Rows of a list have the id and the number of their record before them. */
export function csvOfTable({ part, columns }: Table, records: AsyncIterable<Json>): AsyncGenerator<Buffer> {
  const rowOf = (row: Json): CsvRow => {
    const cells = flat(row)
    return columns.map(name => cellOf(cells[name]))
  }
  async function* rows(): AsyncGenerator<CsvRow[]> {
    let rows: CsvRow[] = []
    for await (const record of records) {
      if (part === undefined) rows.push(rowOf(record))
      else {
        const items = record[part]
        const key = [cellOf(record.id ?? record.assignment_id), cellOf(record.number)]
        if (isTable(items)) rows.push(...items.map(each => [...key, ...rowOf(each)]))
      }
      if (rows.length < rowsAtOnce) continue
      yield rows
      rows = []
    }
    yield rows
  }
  return csvOf(part === undefined ? columns : ['record.id', 'record.number', ...columns], rows())
}
