import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ClipboardCheck, FilePlus2 } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ColumnChoice, useColumns } from '../../records/list/columns.tsx'
import { Export } from '../../records/list/export.tsx'
import styles from '../../records/list/list-page.module.css'
import { Nothing } from '../../records/list/nothing.tsx'
import { Views } from '../../records/list/views.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { Filters } from './capas-filters.tsx'
import { shownAtFirst, useCapaColumns } from './columns.tsx'
import {
  type CapasSearch,
  defaultSort,
  filtersOf,
  isNarrowed,
  page_size,
  queryOf,
  searchOfView,
  unfinished,
  viewOf,
} from './search.ts'

export function CapasPage() {
  const { capa: w, cases, documents, lists } = useWords()
  const search = useSearch({ from: '/app/capa' })
  const navigate = useNavigate({ from: '/capa' })
  const { id, permissions } = useMe()
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/capa/', { query: queryOf(search, id) }),
  )
  const { shown, choice, error: notKept } = useColumns('capas', useCapaColumns(), shownAtFirst)
  useTitle(w.title)

  const commonViews = [
    { name: lists.all, search: '' },
    { name: cases.views.mine, search: viewOf({ mine: true, status: unfinished, sort: 'due_date:asc' }) },
    { name: w.views.byPriority, search: viewOf({ status: unfinished, sort: 'priority:desc' }) },
    { name: cases.views.overdue, search: viewOf({ overdue: true, sort: 'due_date:asc' }) },
    { name: cases.views.closed, search: viewOf({ status: ['closed'] }) },
  ]
  /** Another filter is another list, which begins at its first page. */
  const narrow = (change: CapasSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{w.title}</h1>
        <div className={styles.tools} data-print="none">
          <ColumnChoice of={choice} />
          <Export
            isEmpty={data?.total === 0}
            addressAs={format => addressOf('GET /api/capa/', { query: { ...filtersOf(search, id), format } })}
          />
          {permissions.includes('capa.create') && (
            <Button
              look="main"
              icon={<FilePlus2 size={15} aria-hidden="true" />}
              onPress={() => void navigate({ to: '/capa/new' })}
            >
              {w.write}
            </Button>
          )}
        </div>
      </header>
      {notKept && <Refused error={notKept} />}
      <Views list="capas" path={paths.capas} read={searchOfView} now={viewOf(search)} common={commonViews} />
      <Filters search={search} narrow={narrow} />
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={14} />
      ) : data.items.length === 0 ? (
        <Nothing
          isNarrowed={isNarrowed(search)}
          icon={<ClipboardCheck size={22} aria-hidden="true" />}
          title={w.empty}
          hint={w.emptyHint}
          onClear={() => void navigate({ search: {} })}
        />
      ) : (
        <>
          <DataTable
            label={w.title}
            columns={shown}
            rows={data.items}
            rowKey={({ id: key }) => key}
            sort={search.sort ?? defaultSort}
            onSort={sort => narrow({ sort })}
            sortLabel={documents.sortBy}
            isOld={isPlaceholderData}
          />
          <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
        </>
      )}
    </div>
  )
}
