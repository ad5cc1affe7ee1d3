import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { useWords } from '../../words/index.ts'
import { Printed } from '../printed.tsx'
import { ColumnChoice, type useColumns } from './columns.tsx'
import { Export } from './export.tsx'
import styles from './list-page.module.css'
import { Nothing } from './nothing.tsx'

interface Narrowing {
  sort?: string
  page?: number
}

interface Props<T> {
  title: string
  /** The page of the list that was asked for, as `useQuery` has it. */
  of: {
    data: { items: T[]; total: number; page: number; pages: number } | undefined
    error: Error | null
    isPlaceholderData: boolean
    refetch: () => unknown
  }
  page_size: number
  rowKey: (row: T) => string | number
  columns: ReturnType<typeof useColumns<T>>
  sort: string
  narrow: (change: Narrowing) => void
  /** Missing: the service gives no file of it. */
  addressAs?: (format: 'csv' | 'xlsx') => string
  /** Beside the title: what is begun here. */
  begin?: ReactNode
  /** Views and filters. */
  children: ReactNode
  isNarrowed: boolean
  onClear: () => void
  empty: { icon: ReactNode; title: string; hint: string; none?: string }
}

/** A list of records with its columns, its export, and what it says where there is nothing. */
export function ListPage<T>(props: Props<T>) {
  const { title, of, page_size, rowKey, columns, sort, narrow, addressAs, begin, children, ...ifEmpty } = props
  const { documents: w } = useWords()
  const { data, error, isPlaceholderData, refetch } = of
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{title}</h1>
        <div className={styles.tools} data-print="none">
          <ColumnChoice of={columns.choice} />
          {addressAs && <Export isEmpty={data?.total === 0} addressAs={addressAs} />}
          {begin}
        </div>
      </header>
      <div className={styles.printed}>
        <Printed />
      </div>
      {columns.error && <Refused error={columns.error} />}
      {children}
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={14} />
      ) : data.items.length === 0 ? (
        <Nothing isNarrowed={ifEmpty.isNarrowed} onClear={ifEmpty.onClear} {...ifEmpty.empty} />
      ) : (
        <>
          <DataTable
            label={title}
            columns={columns.shown as Column<T>[]}
            rows={data.items}
            rowKey={rowKey}
            sort={sort}
            onSort={next => narrow({ sort: next })}
            sortLabel={w.sortBy}
            isOld={isPlaceholderData}
          />
          <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
        </>
      )}
    </div>
  )
}
