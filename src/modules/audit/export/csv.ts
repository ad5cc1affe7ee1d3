import { headings } from '#kernel/labels.ts'
import { momentIn } from '#kernel/moment.ts'
import { type CsvRow, csvOf } from '#platform/csv.ts'
import type { OrderedEntry } from './queries.ts'

type Column = [title: string, of: (entry: OrderedEntry) => string | number | null]

const columnsIn = (zone: string): Column[] => [
  [headings.sequence, entry => entry.seq],
  [headings.entry, entry => entry.id],
  [headings.time_utc, entry => entry.occurred_at],
  ...inZone(zone),
  [headings.user_id, entry => entry.user.id],
  [headings.username, entry => entry.user.username],
  [headings.role, entry => entry.user.role],
  [headings.outcome, entry => entry.outcome],
  [headings.action, entry => entry.action],
  [headings.record_type, entry => entry.resource_type],
  [headings.record_id, entry => entry.resource_id],
  [headings.record_number, entry => entry.resource_number],
  [headings.revision, entry => entry.resource_revision],
  [headings.changes, entry => entry.changes && JSON.stringify(entry.changes)],
  [headings.reason, entry => entry.reason],
  [headings.request, entry => entry.request_id],
  [headings.address, entry => entry.client_addr],
  [headings.redacted, entry => entry.redacted.join(', ')],
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
