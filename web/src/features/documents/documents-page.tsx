import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import {
  ChevronLeft,
  ChevronRight,
  Download,
  FileSearch,
  FileSpreadsheet,
  FileText,
  OctagonAlert,
  Search,
  X,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { Input, SearchField } from 'react-aria-components'
import { type Answer, addressOf } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Filter, Toggle } from '../../ui/filter.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { Person } from '../../ui/person.tsx'
import { save } from '../../ui/save.ts'
import { Status } from '../../ui/status.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './documents-page.module.css'
import { type DocumentsSearch, defaultSort, filtersOf, isNarrowed, page_size, queryOf } from './search.ts'

type Row = Answer<'GET /api/documents/'>['items'][number]

export function DocumentsPage() {
  const { documents: w } = useWords()
  const search = useSearch({ from: '/app/documents' })
  const navigate = useNavigate({ from: '/documents' })
  const { id: ownId } = useMe()
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/documents/', { query: queryOf(search, ownId) }),
  )
  const columns = useColumns()
  useTitle(w.title)

  /** Another filter is another list, which begins at its first page. */
  const narrow = (change: DocumentsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{w.title}</h1>
        <Export search={search} isEmpty={data?.total === 0} />
      </header>
      <Filters search={search} narrow={narrow} />
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
            columns={columns}
            rows={data.items}
            rowKey={({ id }) => id}
            sort={search.sort ?? defaultSort}
            onSort={sort => narrow({ sort })}
            sortLabel={w.sortBy}
            isOld={isPlaceholderData}
          />
          <Pager of={data} onPage={page => narrow({ page })} />
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

interface PagerProps {
  of: { items: unknown[]; page: number; pages: number; total: number }
  onPage: (page: number) => void
}

function Pager({ of: { items, page, pages, total }, onPage }: PagerProps) {
  const { documents: w } = useWords()
  const before = (page - 1) * page_size
  return (
    <footer className={styles.pager}>
      <span role="status">{w.range(before + 1, before + items.length, total)}</span>
      {pages > 1 && (
        <span data-print="none">
          <Button
            look="icon"
            label={w.previous}
            icon={<ChevronLeft size={16} aria-hidden="true" />}
            isDisabled={page <= 1}
            onPress={() => onPage(page - 1)}
          />
          <Button
            look="icon"
            label={w.next}
            icon={<ChevronRight size={16} aria-hidden="true" />}
            isDisabled={page >= pages}
            onPress={() => onPage(page + 1)}
          />
        </span>
      )}
    </footer>
  )
}

/** The whole list as it is narrowed and sorted, not only the page in sight. */
function Export({ search, isEmpty }: { search: DocumentsSearch; isEmpty: boolean }) {
  const { documents: w } = useWords()
  const { id: ownId } = useMe()
  if (isEmpty) return null
  const as = (format: 'csv' | 'xlsx') =>
    save(addressOf('GET /api/documents/', { query: { ...filtersOf(search, ownId), format } }))
  return (
    <span data-print="none">
      <Menu label={w.export} trigger={<Button icon={<Download size={15} aria-hidden="true" />}>{w.export}</Button>}>
        <MenuItem icon={<FileText size={15} />} onAction={() => as('csv')}>
          {w.exportAs.csv}
        </MenuItem>
        <MenuItem icon={<FileSpreadsheet size={15} />} onAction={() => as('xlsx')}>
          {w.exportAs.xlsx}
        </MenuItem>
      </Menu>
    </span>
  )
}

interface FiltersProps {
  search: DocumentsSearch
  narrow: (change: DocumentsSearch) => void
}

function Filters({ search, narrow }: FiltersProps) {
  const { documents: w, states } = useWords()
  const types = useQuery({
    ...ask('GET /api/document-types/', { query: { page_size: 100, sort: 'name:asc' } }),
    staleTime: 10 * 60_000,
  })
  return (
    <search className={styles.filters} aria-label={w.filters} data-print="none">
      <SearchText text={search.q ?? ''} onChange={q => narrow({ q })} />
      <Filter
        label={w.status}
        options={Object.entries(states).map(([id, name]) => ({ id, name }))}
        value={search.status ?? []}
        onChange={status => narrow({ status })}
      />
      <Filter
        label={w.type}
        options={(types.data?.items ?? []).map(({ id, name }) => ({ id: String(id), name }))}
        value={(search.type ?? []).map(String)}
        onChange={type => narrow({ type: type.map(Number) })}
      />
      <Toggle isOn={search.mine ?? false} onChange={isOn => narrow({ mine: isOn || undefined })}>
        {w.mine}
      </Toggle>
      <Toggle isOn={search.overdue ?? false} onChange={isOn => narrow({ overdue: isOn || undefined })}>
        {w.reviewOverdue}
      </Toggle>
      <Toggle isOn={search.revision ?? false} onChange={isOn => narrow({ revision: isOn || undefined })}>
        {w.needsRevision}
      </Toggle>
      {isNarrowed(search) && (
        <Button
          look="quiet"
          icon={<X size={14} aria-hidden="true" />}
          onPress={() =>
            narrow({
              q: undefined,
              status: undefined,
              type: undefined,
              mine: undefined,
              overdue: undefined,
              revision: undefined,
            })
          }
        >
          {w.clear}
        </Button>
      )}
    </search>
  )
}

/** What is typed goes to the address once it stands still; another address, as after "Back", shows here. */
function SearchText({ text, onChange }: { text: string; onChange: (text: string | undefined) => void }) {
  const { documents: w } = useWords()
  const [typed, setTyped] = useState(text)
  const [shown, setShown] = useState(text)
  if (shown !== text) {
    setShown(text)
    setTyped(text)
  }
  const later = useLater(typed, 250)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing narrows the list, not a new address or a new function
  useEffect(() => {
    if (later === typed && later !== text) onChange(later || undefined)
  }, [later])
  return (
    <SearchField aria-label={w.search} className={styles.search!} value={typed} onChange={setTyped}>
      <Search size={15} aria-hidden="true" />
      <Input placeholder={w.search} />
    </SearchField>
  )
}

/** The version that the line is about, and one that is on its way to replace it. */
const Versions = ({ of: { version, pending_version } }: { of: Row }) => (
  <span className={styles.versions}>
    {version}
    {pending_version && <Status of={pending_version.status} version={pending_version.version} size="s" />}
  </span>
)

function useColumns(): Column<Row>[] {
  const { documents: w } = useWords()
  const { day, ago, moment, today } = useFormat()
  const now = today(useMe().tenant?.time_zone)
  return [
    {
      id: 'number',
      title: w.columns.number,
      sort: 'number',
      cell: row => <span className="number">{row.number}</span>,
    },
    {
      id: 'title',
      title: w.columns.title,
      sort: 'title',
      isHeading: true,
      cell: row => (
        <Link to="/documents/$id" params={{ id: row.id }}>
          {row.title}
        </Link>
      ),
    },
    { id: 'status', title: w.columns.status, sort: 'status', cell: row => <Status of={row.status} /> },
    { id: 'version', title: w.columns.version, rank: 3, cell: row => <Versions of={row} /> },
    { id: 'type', title: w.columns.type, sort: 'document_type', rank: 2, cell: row => row.document_type.name },
    { id: 'owner', title: w.columns.owner, sort: 'owner', rank: 2, cell: row => <Person of={row.owner} /> },
    {
      id: 'review',
      title: w.columns.review,
      sort: 'review_due_date',
      rank: 1,
      cell: ({ review_due_date: due }) =>
        due && (
          <span className={due < now ? styles.late : undefined}>
            {due < now && <OctagonAlert size={14} aria-hidden="true" />}
            {day(due)}
          </span>
        ),
    },
    {
      id: 'updated',
      title: w.columns.updated,
      sort: 'updated_at',
      rank: 1,
      cell: row => (
        <time className="soft" dateTime={row.updated_at} title={moment(row.updated_at)}>
          {ago(row.updated_at)}
        </time>
      ),
    },
  ]
}
