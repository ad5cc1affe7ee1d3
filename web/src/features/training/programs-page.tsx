import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { GraduationCap, Plus } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { useColumns } from '../../records/list/columns.tsx'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type ProgramsSearch, programsSort, types } from './searches.ts'
import { TrainingNav } from './training-nav.tsx'
import { useTrainingWords } from './words.ts'

type Row = Answer<'GET /api/training/'>['items'][number]

const page_size = 25
const shownAtFirst = ['number', 'type', 'status', 'document', 'questions', 'valid', 'verified']
const statuses = ['active', 'archived'] as const

/** What people can be trained in. */
export function ProgramsPage() {
  const { programs: w, types: typeNames } = useTrainingWords()
  const { documents: dw, recordStates } = useWords()
  const search = useSearch({ from: '/app/training/programs' })
  const navigate = useNavigate({ from: '/training/programs' })
  const { permissions } = useMe()
  const mayManage = permissions.includes('training.manage')
  const { q, status, type, sort = programsSort, page } = search
  const found = useQuery(askPage('GET /api/training/', { query: { q, status, type, sort, page, page_size } }))
  const columns = useColumns('training_programs', useProgramColumns(mayManage), shownAtFirst)
  useTitle(w.title)
  const narrow = (change: ProgramsSearch) =>
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
        mayManage && (
          <Begin icon={Plus} name={w.create} onPress={() => void navigate({ to: '/training/programs/new' })} />
        )
      }
      isNarrowed={q !== undefined || status !== undefined || type !== undefined}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: GraduationCap, title: w.none, hint: w.noneHint, none: w.noneMatch }}
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
        <FilterOne
          label={dw.type}
          values={types}
          names={typeNames}
          value={type}
          onChange={next => narrow({ type: next })}
        />
      </ListFilters>
    </ListPage>
  )
}

function useProgramColumns(mayManage: boolean): Column<Row>[] {
  const { programs: w, list: lw, types: typeNames, doing } = useTrainingWords()
  return [
    { id: 'number', title: lw.number, sort: 'number', cell: row => <span className="number">{row.number}</span> },
    {
      id: 'title',
      title: lw.title,
      sort: 'title',
      isHeading: true,
      cell: row => (
        <Link to={mayManage ? '/training/programs/$id' : '/training/$id'} params={{ id: row.id }}>
          {row.title}
        </Link>
      ),
    },
    { id: 'type', title: lw.type, sort: 'type', cell: row => typeNames[row.type] },
    { id: 'status', title: lw.status, sort: 'status', cell: row => <Status of={row.status} /> },
    {
      id: 'document',
      title: lw.document,
      rank: 2,
      cell: ({ document }) => document && `${document.number} ${document.version ?? ''}`,
    },
    { id: 'questions', title: w.questions, rank: 2, cell: row => row.question_count > 0 && row.question_count },
    {
      id: 'valid',
      title: w.valid,
      rank: 1,
      cell: row => (row.valid_months === null ? doing.noEnd : w.months(row.valid_months)),
    },
    { id: 'verified', title: w.verification, rank: 1, cell: row => row.requires_verification && doing.byTrainer },
  ]
}
