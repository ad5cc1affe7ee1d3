import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListOrdered, Plus } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import list from '../../records/list/list-page.module.css'
import { Nothing } from '../../records/list/nothing.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type CurriculaSearch, curriculaSort } from './searches.ts'
import { TrainingNav } from './training-nav.tsx'
import { useTrainingWords } from './words.ts'

type Row = Answer<'GET /api/training/curricula/'>['items'][number]

const page_size = 25
const statuses = ['active', 'archived'] as const

/** What people with a role or in a group learn. */
export function CurriculaPage() {
  const { curricula: w } = useTrainingWords()
  const { documents: dw, recordStates } = useWords()
  const search = useSearch({ from: '/app/training/curricula' })
  const navigate = useNavigate({ from: '/training/curricula' })
  const { permissions } = useMe()
  const { q, status, sort = curriculaSort, page } = search
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/training/curricula/', { query: { q, status, sort, page, page_size } }),
  )
  const columns = useCurriculumColumns()
  useTitle(w.title)
  const narrow = (change: CurriculaSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <div className={list.page}>
      <header className={list.head}>
        <h1>{w.title}</h1>
        {permissions.includes('training.manage') && (
          <div className={list.tools} data-print="none">
            <Button
              look="main"
              icon={<Plus size={15} aria-hidden="true" />}
              onPress={() => void navigate({ to: '/training/curricula/new' })}
            >
              {w.create}
            </Button>
          </div>
        )}
      </header>
      <TrainingNav />
      <search className={list.filters} aria-label={dw.filters} data-print="none">
        <SearchText label={w.search} text={q ?? ''} onChange={next => narrow({ q: next })} />
        <div className={list.chips}>
          <Filter
            label={dw.status}
            options={statuses.map(id => ({ id, name: recordStates[id] }))}
            value={status ? [status] : []}
            onChange={next => narrow({ status: statuses.find(each => next.includes(each) && each !== status) })}
          />
        </div>
      </search>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={14} />
      ) : data.items.length === 0 ? (
        <Nothing
          isNarrowed={q !== undefined || status !== undefined}
          none={w.noneMatch}
          onClear={() => void navigate({ search: {} })}
          icon={<ListOrdered size={22} aria-hidden="true" />}
          title={w.none}
          hint={w.noneHint}
        />
      ) : (
        <>
          <DataTable
            label={w.title}
            columns={columns}
            rows={data.items}
            rowKey={({ id }) => id}
            sort={sort}
            onSort={next => narrow({ sort: next })}
            sortLabel={dw.sortBy}
            isOld={isPlaceholderData}
          />
          <Pager of={data} size={page_size} onPage={next => narrow({ page: next })} />
        </>
      )}
    </div>
  )
}

function useCurriculumColumns(): Column<Row>[] {
  const { curricula: w, list: lw } = useTrainingWords()
  const { day } = useFormat()
  return [
    {
      id: 'name',
      title: w.name,
      sort: 'name',
      isHeading: true,
      cell: row => (
        <Link to="/training/curricula/$id" params={{ id: row.id }}>
          {row.name}
        </Link>
      ),
    },
    { id: 'status', title: lw.status, sort: 'status', cell: row => <Status of={row.status} /> },
    { id: 'programs', title: w.programs, cell: row => row.programs.length },
    {
      id: 'people',
      title: w.appliesTo,
      rank: 3,
      cell: ({ role_names, groups }) => [...role_names, ...groups.map(({ name }) => name)].join(', '),
    },
    { id: 'updated', title: w.updated, sort: 'updated_at', rank: 2, cell: row => day(row.updated_at) },
  ]
}
