import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, FileSearch, FileSpreadsheet, FileText, FileUp } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Empty, Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { save } from '../../ui/save.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { ColumnChoice, useDocumentColumns } from './documents-columns.tsx'
import { Filters } from './documents-filters.tsx'
import styles from './documents-page.module.css'
import { Views } from './documents-views.tsx'
import { type DocumentsSearch, defaultSort, filtersOf, isNarrowed, page_size, queryOf, type Reader } from './search.ts'

export function DocumentsPage() {
  const { documents: w, upload } = useWords()
  const search = useSearch({ from: '/app/documents' })
  const navigate = useNavigate({ from: '/documents' })
  const { id, tenant, permissions } = useMe()
  const { today } = useFormat()
  const reader: Reader = { id, today: today(tenant?.time_zone) }
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/documents/', { query: queryOf(search, reader) }),
  )
  const { shown, choice, error: notKept } = useDocumentColumns()
  useTitle(w.title)

  /** Another filter is another list, which begins at its first page. */
  const narrow = (change: DocumentsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{w.title}</h1>
        <div className={styles.tools} data-print="none">
          <ColumnChoice of={choice} />
          <Export search={search} reader={reader} isEmpty={data?.total === 0} />
          {permissions.includes('documents.create') && (
            <Button
              look="main"
              icon={<FileUp size={15} aria-hidden="true" />}
              onPress={() => void navigate({ to: '/documents/new' })}
            >
              {upload.submit}
            </Button>
          )}
        </div>
      </header>
      {notKept && <Refused error={notKept} />}
      <Views search={search} />
      <Filters search={search} reader={reader} narrow={narrow} />
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={14} />
      ) : data.items.length === 0 ? (
        <None isNarrowed={isNarrowed(search)} onClear={() => void navigate({ search: {} })} />
      ) : (
        <>
          <DataTable
            label={w.title}
            columns={shown}
            rows={data.items}
            rowKey={({ id }) => id}
            sort={search.sort ?? defaultSort}
            onSort={sort => narrow({ sort })}
            sortLabel={w.sortBy}
            isOld={isPlaceholderData}
          />
          <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
        </>
      )}
    </div>
  )
}

function None({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  const { documents: w } = useWords()
  if (!isNarrowed)
    return (
      <Empty icon={<FileText size={22} aria-hidden="true" />} title={w.empty}>
        <p>{w.emptyHint}</p>
      </Empty>
    )
  return (
    <Empty icon={<FileSearch size={22} aria-hidden="true" />} title={w.none}>
      <p>{w.noneHint}</p>
      <Button onPress={onClear}>{w.clear}</Button>
    </Empty>
  )
}

/** The whole list as it is narrowed and sorted, not only the page in sight. */
function Export({ search, reader, isEmpty }: { search: DocumentsSearch; reader: Reader; isEmpty: boolean }) {
  const { documents: w } = useWords()
  if (isEmpty) return null
  const as = (format: 'csv' | 'xlsx') =>
    save(addressOf('GET /api/documents/', { query: { ...filtersOf(search, reader), format } }))
  return (
    <Menu label={w.export} trigger={<Button icon={<Download size={15} aria-hidden="true" />}>{w.export}</Button>}>
      <MenuItem icon={<FileText size={15} />} onAction={() => as('csv')}>
        {w.exportAs.csv}
      </MenuItem>
      <MenuItem icon={<FileSpreadsheet size={15} />} onAction={() => as('xlsx')}>
        {w.exportAs.xlsx}
      </MenuItem>
    </Menu>
  )
}
