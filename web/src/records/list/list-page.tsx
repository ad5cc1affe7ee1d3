import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { NotRead, Refused } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
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
  /** What the list is for, where its title does not say it. */
  about?: ReactNode
  /** The page of the list that was asked for, as `useQuery` has it. */
  of: {
    data: { items: T[]; total: number; page: number; page_size: number; pages: number } | undefined
    error: Error | null
    isPlaceholderData: boolean
    refetch: () => unknown
  }
  rowKey: (row: T) => string | number
  /** All of them, or those that the reader has chosen. */
  columns: ReturnType<typeof useColumns<T>> | Column<T>[]
  /** Missing: lines have one order. */
  sort?: string
  narrow: (change: Narrowing) => void
  /** Missing: the service gives no file of it. */
  addressAs?: (format: 'csv' | 'xlsx') => string
  /** Beside the title: what is begun here. */
  begin?: ReactNode
  /** Views and filters. */
  children: ReactNode
  isNarrowed: boolean
  onClear: () => void
  empty: { icon: LucideIcon; title: string; hint: string; none?: string; begin?: ReactNode }
}

/** The button that begins a record of the list. */
export const Begin = ({ icon, name, onPress }: { icon: LucideIcon; name: string; onPress: () => void }) => (
  <Button look="main" icon={icon} onPress={onPress}>
    {name}
  </Button>
)

/** A list of records, with what it says where there is nothing, a choice of columns and an export where there are some. */
export function ListPage<T>(props: Props<T>) {
  const { title, about, of, rowKey, columns, sort = '', narrow, addressAs, begin, children, ...ifEmpty } = props
  const { data, error, isPlaceholderData, refetch } = of
  const chosen = 'choice' in columns ? columns : undefined
  return (
    <div className={styles.page} data-forbidden={(error instanceof Problem && error.status === 403) || undefined}>
      <header className={styles.head}>
        <div>
          <h1>{title}</h1>
          {about && <p className="soft">{about}</p>}
        </div>
        <div className="row" data-print="none">
          {chosen && <ColumnChoice of={chosen.choice} />}
          {addressAs && <Export isEmpty={data?.total === 0} addressAs={addressAs} />}
          {begin}
        </div>
      </header>
      <div className={styles.printed}>
        <Printed />
      </div>
      {chosen?.error && <Refused error={chosen.error} />}
      {children}
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={14} />
      ) : data.items.length === 0 ? (
        <Nothing isNarrowed={ifEmpty.isNarrowed} onClear={ifEmpty.onClear} {...ifEmpty.empty} />
      ) : (
        <>
          <DataTable
            label={title}
            columns={'choice' in columns ? (columns.shown as Column<T>[]) : columns}
            rows={data.items}
            rowKey={rowKey}
            sort={sort}
            onSort={next => narrow({ sort: next })}
            isOld={isPlaceholderData}
          />
          <Pager of={data} size={data.page_size} onPage={page => narrow({ page })} />
        </>
      )}
    </div>
  )
}
