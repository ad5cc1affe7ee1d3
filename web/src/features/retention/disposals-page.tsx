import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Archive } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { ListPage } from '../../records/list/list-page.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { RetentionNav } from './retention-nav.tsx'
import { disposalStatuses, type ListSearch } from './search.ts'
import { useRetentionWords } from './words.ts'

type Row = Answer<'GET /api/disposals/'>['items'][number]

const page_size = 25

/** The look of a state of a disposal. */
const looks: Record<Row['status'], string> = {
  proposed: 'pending_approval',
  approved: 'in_progress',
  completed: 'completed',
  rejected: 'rejected',
  withdrawn: 'cancelled',
}

export function DisposalStatus({ of: status }: { of: Row['status'] }) {
  const { disposals: w } = useRetentionWords()
  return <Status of={looks[status]} name={w.statuses[status]} />
}

export function DisposalsPage() {
  const words = useRetentionWords()
  const { disposals: w } = words
  const { status: asked, page } = useSearch({ from: '/app/administration/admin/disposals' })
  const status = disposalStatuses.find(each => each === asked)
  const navigate = useNavigate({ from: '/admin/disposals' })
  const found = useQuery(askPage('GET /api/disposals/', { query: { status, page, page_size, sort: 'id:desc' } }))
  const columns = useDisposalColumns()
  useTitle(words.title)
  const narrow = (change: ListSearch) => void navigate({ search: { status, ...change } })
  return (
    <ListPage
      title={words.title}
      about={w.hint}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      narrow={({ page: next }) => narrow({ page: next })}
      isNarrowed={status !== undefined}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: Archive, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      <RetentionNav />
      <ListFilters>
        <FilterOne
          label={w.columns.status}
          values={disposalStatuses}
          names={w.statuses}
          value={status}
          onChange={next => narrow({ status: next })}
        />
      </ListFilters>
    </ListPage>
  )
}

function useDisposalColumns(): Column<Row>[] {
  const { disposals: w } = useRetentionWords()
  const { day } = useFormat()
  return [
    {
      id: 'number',
      title: w.columns.number,
      isHeading: true,
      cell: row => (
        <Link to="/admin/disposals/$id" params={{ id: row.id }}>
          {row.number}
        </Link>
      ),
    },
    { id: 'status', title: w.columns.status, cell: row => <DisposalStatus of={row.status} /> },
    { id: 'records', title: w.columns.records, isFigure: true, cell: row => row.records_total },
    { id: 'reason', title: w.columns.reason, rank: 2, cell: row => row.reason },
    { id: 'by', title: w.columns.by, rank: 3, cell: row => <Person of={row.proposed_by} /> },
    { id: 'at', title: w.columns.at, rank: 1, cell: row => day(row.proposed_at) },
    { id: 'decided', title: w.columns.decided, rank: 1, cell: row => (row.decided_at ? day(row.decided_at) : '') },
  ]
}
