import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { askPage } from '../../api/queries.ts'
import { pageOf } from '../../app/addresses.ts'
import { paths } from '../../app/paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Status } from '../../ui/status.tsx'
import { type Batch, lookOfRow, type Row } from './batch.ts'
import styles from './imports.module.css'
import type { RowStatus, SheetName } from './names.ts'
import type { ImportSearch } from './search.ts'
import { useImportWords } from './words.ts'

interface Props {
  batch: Batch
  search: ImportSearch
  narrow: (change: ImportSearch) => void
  label: string
  query: {
    sheet?: SheetName | undefined
    status?: RowStatus[] | undefined
    q?: string | undefined
    is_proposed?: boolean
  }
  /** Beside the row and its result. */
  columns: Column<Row>[]
  none: string
}

const page_size = 25

/** Rows of a batch, each with the way to all that is known of it. */
export function RowsTable({ batch: { id }, search, narrow, label, query, columns, none }: Props) {
  const { check: w, sheets, rowStatuses } = useImportWords()
  const { data, error, refetch, isPlaceholderData } = useQuery(
    askPage('GET /api/migrations/{id}/rows', {
      path: { id },
      // A sheet is corrected as a whole.
      query: { ...query, sort: 'sheet:asc', page: search.page, page_size },
    }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={8} />
  if (data.items.length === 0) return <p className="soft">{none}</p>
  const all: Column<Row>[] = [
    {
      id: 'row',
      title: w.key,
      isHeading: true,
      cell: row => (
        <div className={styles.rowName}>
          <Link
            from={paths.import}
            to={paths.import}
            params={{ id: String(id) }}
            search={{ ...search, row: row.id }}
            resetScroll={false}
          >
            {row.key || w.open(row.line, sheets[row.sheet])}
          </Link>
          <span>
            {query.sheet === undefined && `${sheets[row.sheet]}, `}
            {w.line} {row.line}
          </span>
        </div>
      ),
    },
    {
      id: 'status',
      title: w.status,
      cell: ({ status }) => <Status of={lookOfRow[status]} name={rowStatuses[status]} />,
    },
    ...columns,
  ]
  return (
    <div className={styles.table}>
      <DataTable label={label} columns={all} rows={data.items} rowKey={row => row.id} isOld={isPlaceholderData} />
      <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
    </div>
  )
}

/** The page of what a row became; nothing for a kind without one. */
export function RecordLink({ row: { record, key } }: { row: Row }) {
  const { row: w } = useImportWords()
  const page = pageOf(record?.link ?? null)
  return page === undefined ? null : (
    <Link to={page} className={styles.over!} aria-label={w.openRecordOf(key ?? '')}>
      {w.openRecord}
    </Link>
  )
}

/** What was found about a row, each with what to do, at its column. */
export function Findings({ row: { messages, differences } }: { row: Row }) {
  const { check: w, row: rw } = useImportWords()
  return (
    <ul className={styles.findings}>
      {messages.map(({ column, message, todo }) => (
        <li key={`${column} ${message}`}>
          {column && <b>{w.inColumn(column)}</b>} {message} <span className="soft">{todo}</span>
        </li>
      ))}
      {differences.map(({ column, row, record }) => (
        <li key={`differs ${column}`}>
          <b>{w.inColumn(column)}</b> {rw.inRow}: {row ?? rw.empty}. {rw.inRecord}: {record ?? rw.empty}.
        </li>
      ))}
    </ul>
  )
}
