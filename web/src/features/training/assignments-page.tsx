import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { GraduationCap, PenLine, UserRoundPlus, X } from 'lucide-react'
import { useState } from 'react'
import { addressOf } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { useColumns } from '../../records/list/columns.tsx'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import { PersonFilter } from '../../records/list/person-filter.tsx'
import { Views } from '../../records/list/views.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Filter, Toggle } from '../../ui/filter.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { AssignDialog } from './assign-dialog.tsx'
import { GroupFilter, ProgramFilter } from './filters.tsx'
import {
  type AssignmentsSearch,
  assignmentsOfView,
  assignmentsSort,
  filtersOfAssignments,
  states,
  viewOfAssignments,
} from './searches.ts'
import { type Assignment, Standing } from './standing.tsx'
import { TrainingNav } from './training-nav.tsx'
import { VerifySeries } from './verify-dialog.tsx'
import { useTrainingWords } from './words.ts'

const page_size = 25
const shownAtFirst = ['number', 'person', 'standing', 'due', 'completed']
const open = ['assigned', 'in_progress'] as const

/** Who has to do what, by when, and whom a trainer has to verify. */
export function AssignmentsPage() {
  const { assignments: w, standings } = useTrainingWords()
  const { documents: dw, lists } = useWords()
  const search = useSearch({ from: '/app/training/assignments' })
  const navigate = useNavigate({ from: '/training/assignments' })
  const { id: ownId, permissions } = useMe()
  const filter = filtersOfAssignments(search)
  const assignments = useQuery(
    askPage('GET /api/training/assignments/', { query: { ...filter, page: search.page, page_size } }),
  )
  const { data: counted } = useQuery(
    askPage('GET /api/training/assignments/', {
      query: { ...filter, status: undefined, sort: undefined, facets: 'status', page_size: 1 },
    }),
  )
  const columns = useColumns('training_assignments', useAssignmentColumns(), shownAtFirst)
  const [dialog, setDialog] = useState<'assign'>()
  const [series, setSeries] = useState<Assignment[]>()
  useTitle(w.title)
  const narrow = (change: AssignmentsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  const counts = new Map(counted?.facets?.status?.map(({ value, count }) => [String(value), count]))
  // Nobody verifies their own training.
  const toVerify = (assignments.data?.items ?? []).filter(
    ({ status, user, verification: { required, verified_at } }) =>
      status === 'completed' && required && verified_at === null && user.id !== ownId,
  )
  const { sort, page, ...narrowing } = search
  const isNarrowed = Object.keys(narrowing).length > 0
  return (
    <>
      <ListPage
        title={w.title}
        of={assignments}
        rowKey={({ assignment_id }) => assignment_id}
        columns={columns}
        sort={search.sort ?? assignmentsSort}
        narrow={narrow}
        addressAs={format => addressOf('GET /api/training/assignments/', { query: { ...filter, format } })}
        begin={
          <>
            {search.verify && toVerify.length > 0 && permissions.includes('training.verify') && (
              <Button icon={PenLine} onPress={() => setSeries(toVerify)}>
                {w.verifySeries(toVerify.length)}
              </Button>
            )}
            {permissions.includes('training.assign') && (
              <Begin icon={UserRoundPlus} name={w.assign} onPress={() => setDialog('assign')} />
            )}
          </>
        }
        isNarrowed={isNarrowed}
        onClear={() => void navigate({ search: {} })}
        empty={{
          icon: GraduationCap,
          title: w.none,
          hint: w.noneHint,
          none: search.verify ? w.nothingToVerify : w.noneMatch,
        }}
      >
        <TrainingNav />
        <Views
          list="training_assignments"
          path={paths.trainingAssignments}
          read={assignmentsOfView}
          now={viewOfAssignments(search)}
          common={[
            { name: lists.all, search: '' },
            { name: w.openView, search: viewOfAssignments({ status: [...open], sort: 'due_date:asc' }) },
            { name: standings.overdue, search: viewOfAssignments({ overdue: true, sort: 'due_date:asc' }) },
            { name: w.toVerify, search: viewOfAssignments({ verify: true, sort: 'completed_at:asc' }) },
          ]}
        />
        <ListFilters search={w.search} text={search.q} onSearch={q => narrow({ q })}>
          <Filter
            label={dw.status}
            options={states.map(id => ({
              id,
              name: standings[id],
              ...(counted?.facets?.status && { count: counts.get(id) ?? 0 }),
            }))}
            countLabel={w.count}
            value={search.status ?? []}
            onChange={status => narrow({ status: states.filter(each => status.includes(each)) })}
          />
          <ProgramFilter value={search.program ?? []} onChange={program => narrow({ program })} />
          {permissions.includes('users.read') && (
            <PersonFilter label={w.person} value={search.person ?? []} onChange={person => narrow({ person })} />
          )}
          {permissions.includes('groups.read') && (
            <GroupFilter value={search.group} onChange={group => narrow({ group })} />
          )}
          <Toggle
            name={standings.overdue}
            isOn={search.overdue ?? false}
            onChange={isOn => narrow({ overdue: isOn || undefined })}
          />
          <Toggle
            name={w.toVerify}
            isOn={search.verify ?? false}
            onChange={isOn => narrow({ verify: isOn || undefined })}
          />
          {isNarrowed && (
            <Button look="quiet" icon={X} onPress={() => void navigate({ search: sort ? { sort } : {} })}>
              {dw.clear}
            </Button>
          )}
        </ListFilters>
      </ListPage>
      {dialog === 'assign' && <AssignDialog onClose={() => setDialog(undefined)} />}
      {series && <VerifySeries all={series} onClose={() => setSeries(undefined)} />}
    </>
  )
}

function useAssignmentColumns(): Column<Assignment>[] {
  const { assignments: w, list: lw, record: rw, types, sources } = useTrainingWords()
  const { day } = useFormat()
  return [
    {
      id: 'number',
      title: lw.number,
      sort: 'number',
      rank: 3,
      cell: row => <span className="number">{row.number}</span>,
    },
    {
      id: 'title',
      title: w.program,
      sort: 'title',
      isHeading: true,
      cell: row => (
        <Link to="/training/assignments/$id" params={{ id: row.assignment_id }}>
          {row.title} <span className="visually-hidden">{nameOf(row.user)}</span>
        </Link>
      ),
    },
    { id: 'person', title: w.person, sort: 'user', cell: row => <Person of={row.user} /> },
    { id: 'standing', title: lw.status, sort: 'status', cell: row => <Standing of={row} /> },
    { id: 'due', title: w.due, sort: 'due_date', cell: row => day(row.due_date) },
    { id: 'type', title: lw.type, rank: 2, cell: row => types[row.type] },
    {
      id: 'document',
      title: lw.document,
      rank: 2,
      cell: row => row.document && `${row.document.number} ${row.document_version ?? ''}`,
    },
    { id: 'source', title: w.source, rank: 1, cell: row => sources[row.source] },
    { id: 'assigned', title: w.assigned, sort: 'assigned_at', rank: 1, cell: row => day(row.assigned_at) },
    {
      id: 'completed',
      title: rw.completed,
      sort: 'completed_at',
      rank: 2,
      cell: row => row.completed_at && day(row.completed_at),
    },
    { id: 'score', title: rw.score, rank: 1, cell: row => row.score !== null && `${row.score} %` },
  ]
}
