import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListOrdered, Plus } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { useColumns } from '../../records/list/columns.tsx'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type CurriculaSearch, curriculaSort } from './searches.ts'
import { TrainingNav } from './training-nav.tsx'
import { useTrainingWords } from './words.ts'

type Row = Answer<'GET /api/training/curricula/'>['items'][number]

const page_size = 25
const shownAtFirst = ['status', 'programs', 'people', 'updated']
const statuses = ['active', 'archived'] as const

/** What people with a role or in a group learn. */
export function CurriculaPage() {
  const { curricula: w } = useTrainingWords()
  const { documents: dw, recordStates } = useWords()
  const search = useSearch({ from: '/app/training/curricula' })
  const navigate = useNavigate({ from: '/training/curricula' })
  const { permissions } = useMe()
  const { q, status, sort = curriculaSort, page } = search
  const found = useQuery(askPage('GET /api/training/curricula/', { query: { q, status, sort, page, page_size } }))
  const columns = useColumns('curricula', useCurriculumColumns(), shownAtFirst)
  useTitle(w.title)
  const narrow = (change: CurriculaSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <ListPage
      title={w.title}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      sort={sort}
      narrow={narrow}
      begin={
        permissions.includes('training.manage') && (
          <Begin icon={Plus} name={w.create} onPress={() => void navigate({ to: '/training/curricula/new' })} />
        )
      }
      isNarrowed={q !== undefined || status !== undefined}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: ListOrdered, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      <TrainingNav />
      <ListFilters search={w.search} text={q} onSearch={next => narrow({ q: next })}>
        <FilterOne
          label={dw.status}
          values={statuses}
          names={recordStates}
          value={status}
          onChange={next => narrow({ status: next })}
        />
      </ListFilters>
    </ListPage>
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
    { id: 'programs', title: w.programs, isFigure: true, cell: row => row.programs.length },
    {
      id: 'people',
      title: w.appliesTo,
      rank: 3,
      cell: ({ role_names, groups }) => [...role_names, ...groups.map(({ name }) => name)].join(', '),
    },
    { id: 'updated', title: w.updated, sort: 'updated_at', rank: 2, cell: row => day(row.updated_at) },
  ]
}
