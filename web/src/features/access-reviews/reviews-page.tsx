import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { UsersRound } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import list from '../../records/list/list-page.module.css'
import { Outcome } from '../../records/outcome.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Person } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { AccessNav } from './access-nav.tsx'

type Row = Answer<'GET /api/users/access-reviews/'>['items'][number]
const page_size = 25

export function AccessReviewsPage() {
  const { access } = useEvidenceWords()
  const w = access.reviews
  const { outcome, page = 1 } = useSearch({ from: '/app/access-review/reviews' })
  const navigate = useNavigate({ from: paths.accessReviews })
  const { permissions } = useMe()
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/users/access-reviews/', { query: { outcome, page, page_size, sort: 'id:desc' } }),
  )
  useTitle(access.title)
  return (
    <div className={list.page}>
      <header className={list.head}>
        <h1>{access.title}</h1>
        {permissions.includes('users.review_access') && (
          <div className={list.tools} data-print="none">
            <Button look="main" onPress={() => void navigate({ to: paths.newAccessReview })}>
              {access.begin}
            </Button>
          </div>
        )}
      </header>
      <AccessNav />
      <search className={list.filters} aria-label={access.filters} data-print="none">
        <Filter
          label={w.outcome}
          options={(['no_findings', 'findings'] as const).map(id => ({ id, name: w.outcomes[id] }))}
          value={outcome ? [outcome] : []}
          onChange={next =>
            void navigate({ search: { outcome: next.find(each => each !== outcome) as typeof outcome } })
          }
        />
      </search>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={8} />
      ) : data.items.length === 0 ? (
        <Empty icon={UsersRound} title={outcome === undefined ? w.none : w.noneMatches}>
          {outcome === undefined ? (
            <p>{w.noneHint}</p>
          ) : (
            <Button onPress={() => void navigate({ search: {} })}>{access.clear}</Button>
          )}
        </Empty>
      ) : (
        <>
          <List rows={data.items} isOld={isPlaceholderData} />
          <Pager of={data} size={page_size} onPage={next => void navigate({ search: { outcome, page: next } })} />
        </>
      )}
    </div>
  )
}

function List({ rows, isOld }: { rows: Row[]; isOld: boolean }) {
  const { reviews: w } = useEvidenceWords().access
  const { moment } = useFormat()
  const columns: Column<Row>[] = [
    { id: 'number', title: w.columns.number, cell: row => <span className="soft">{row.id}</span> },
    {
      id: 'signed',
      title: w.columns.signed,
      isHeading: true,
      cell: row => (
        <Link to={paths.accessReview} params={{ id: row.id }}>
          {moment(row.signature.signed_at)}
        </Link>
      ),
    },
    {
      id: 'outcome',
      title: w.columns.outcome,
      cell: row => <Outcome of={row.outcome} name={w.outcomes[row.outcome]} />,
    },
    { id: 'reviewer', title: w.columns.reviewer, rank: 3, cell: row => <Person of={row.reviewer} /> },
    { id: 'accounts', title: w.columns.accounts, rank: 2, cell: row => row.accounts },
  ]
  return (
    <DataTable
      label={w.back}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      sort="id:desc"
      onSort={() => undefined}
      sortLabel={String}
      isOld={isOld}
    />
  )
}
