import { momentIn } from '#kernel/moment.ts'
import { type CsvRow, csvOf } from '#platform/csv.ts'
import type { OrderedEntry } from './queries.ts'

type Column = [title: string, of: (entry: OrderedEntry) => string | number | null]

const columnsIn = (zone: string): Column[] => [
  ['Sequence', entry => entry.seq],
  ['Entry', entry => entry.id],
  ['Time (UTC)', entry => entry.occurred_at],
  ...inZone(zone),
  ['User ID', entry => entry.user.id],
  ['Username', entry => entry.user.username],
  ['Role', entry => entry.user.role],
  ['Outcome', entry => entry.outcome],
  ['Action', entry => entry.action],
  ['Record type', entry => entry.resource_type],
  ['Record ID', entry => entry.resource_id],
  ['Record number', entry => entry.resource_number],
  ['Revision', entry => entry.resource_revision],
  ['Changes', entry => entry.changes && JSON.stringify(entry.changes)],
  ['Reason', entry => entry.reason],
  ['Request', entry => entry.request_id],
  ['Address', entry => entry.client_addr],
  ['Redacted', entry => entry.redacted.join(', ')],
]

const inZone = (zone: string): Column[] =>
  zone === 'UTC' ? [] : [[`Time (${zone})`, entry => momentIn(zone, new Date(entry.occurred_at))]]

/** One line for each entry and nothing else, so that any program can read it; the scope is in the headers of the answer. */
export function entriesAsCsv(zone: string, pages: AsyncIterable<readonly OrderedEntry[]>): AsyncGenerator<Buffer> {
  const columns = columnsIn(zone)
  return csvOf(
    columns.map(([title]) => title),
    linesOf(columns, pages),
  )
}

async function* linesOf(
  columns: readonly Column[],
  pages: AsyncIterable<readonly OrderedEntry[]>,
): AsyncGenerator<CsvRow[]> {
  for await (const entries of pages) yield entries.map(entry => columns.map(([, of]) => of(entry)))
}
