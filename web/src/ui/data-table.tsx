import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { useWords } from '../words/index.ts'
import styles from './data-table.module.css'

export interface Column<T> {
  id: string
  title: string
  cell: (row: T) => ReactNode
  /** What the service sorts by; a column without it cannot be sorted by. */
  sort?: string
  /** Left out where the table has less room: 1 first. */
  rank?: 1 | 2 | 3
  isHeading?: boolean
  /** A number, which says nothing by itself: a telephone has no line of titles, and shows the title before it. */
  isFigure?: boolean
}

interface Props<T> {
  label: string
  columns: Column<T>[]
  rows: T[]
  rowKey: (row: T) => string | number
  /** Missing: lines have one order. */
  sort?: string
  onSort?: (sort: string) => void
  isOld?: boolean
}

/** A page of a list. The service sorts and pages, so that this only shows: a table of the browser's own, which every reader knows. */
export function DataTable<T>({ label, columns, rows, rowKey, sort = '', onSort, isOld = false }: Props<T>) {
  const { documents: w } = useWords()
  const [field, direction] = sort.split(':')
  return (
    <div className={styles.frame} aria-busy={isOld}>
      <table className={styles.table}>
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ id, title, sort: by, rank }) => {
              const isBy = by !== undefined && by === field
              return (
                <th
                  key={id}
                  scope="col"
                  data-rank={rank}
                  aria-sort={isBy ? (direction === 'asc' ? 'ascending' : 'descending') : undefined}
                >
                  {by === undefined ? (
                    title
                  ) : (
                    <Button
                      aria-label={w.sortBy(title)}
                      onPress={() => onSort?.(`${by}:${isBy && direction === 'asc' ? 'desc' : 'asc'}`)}
                    >
                      {title}
                      {isBy && (direction === 'asc' ? <ArrowUp size={13} /> : <ArrowDown size={13} />)}
                    </Button>
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={rowKey(row)}>
              {columns.map(({ id, title, cell, rank, isHeading, isFigure }) =>
                isHeading ? (
                  <th key={id} scope="row" data-rank={rank}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={id} data-rank={rank} data-title={isFigure ? title : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
