import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { GitPullRequestArrow } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { ListPage } from '../../records/list/list-page.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './changes.module.css'
import { type ChangesSearch, changesSort, kinds, statuses } from './search.ts'
import { useChangesWords } from './words.ts'

type Row = Answer<'GET /api/configuration-changes/'>['items'][number]

const page_size = 25

/** The look of a state of a change. */
const looks: Record<Row['status'], string> = {
  pending: 'pending_approval',
  approved: 'approved',
  rejected: 'rejected',
  withdrawn: 'cancelled',
  outdated: 'expired',
}

export function ChangeStatus({ of: status }: { of: Row['status'] }) {
  const w = useChangesWords()
  return <Status of={looks[status]} name={w.statuses[status]} />
}

/** The changes of rules that were proposed: those that wait for somebody, and what became of the others. */
export function ChangesPage() {
  const w = useChangesWords()
  const search = useSearch({ from: '/app/administration/admin/changes' })
  const navigate = useNavigate({ from: '/admin/changes' })
  const { permissions } = useMe()
  const { status, kind, sort = changesSort, page } = search
  const found = useQuery(askPage('GET /api/configuration-changes/', { query: { status, kind, sort, page, page_size } }))
  const { data: settings } = useQuery({
    ...ask('GET /api/settings/', {}),
    enabled: permissions.includes('settings.read'),
  })
  const columns = useChangeColumns()
  useTitle(w.title)
  const narrow = (change: ChangesSearch) => void navigate({ search: { ...search, page: undefined, ...change } })
  return (
    <ListPage
      title={w.title}
      about={settings?.configuration_needs_approval === false ? w.off : w.hint}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      sort={sort}
      narrow={narrow}
      isNarrowed={status !== undefined || kind !== undefined}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: GitPullRequestArrow, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      <ListFilters>
        <FilterOne
          label={w.columns.status}
          values={statuses}
          names={w.statuses}
          value={status}
          onChange={next => narrow({ status: next })}
        />
        <FilterOne
          label={w.kindLabel}
          values={kinds}
          names={w.kinds}
          value={kind}
          onChange={next => narrow({ kind: next })}
        />
      </ListFilters>
    </ListPage>
  )
}

function useChangeColumns(): Column<Row>[] {
  const w = useChangesWords()
  const { day } = useFormat()
  return [
    {
      id: 'title',
      title: w.columns.title,
      isHeading: true,
      cell: row => (
        <>
          <Link to="/admin/changes/$id" params={{ id: row.id }}>
            {row.title}
          </Link>{' '}
          <span className={styles.operation}>{w.operations[row.operation]}</span>
        </>
      ),
    },
    { id: 'status', title: w.columns.status, cell: row => <ChangeStatus of={row.status} /> },
    { id: 'kind', title: w.columns.kind, rank: 2, cell: row => w.kinds[row.kind] },
    { id: 'by', title: w.columns.by, rank: 3, cell: row => <Person of={row.proposed_by} /> },
    { id: 'at', title: w.columns.at, sort: 'proposed_at', cell: row => day(row.proposed_at) },
    {
      id: 'decided',
      title: w.columns.decided,
      sort: 'decided_at',
      rank: 1,
      cell: row => (row.decided_at ? day(row.decided_at) : ''),
    },
  ]
}
