import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { UsersRound } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { ListPage } from '../../records/list/list-page.tsx'
import { Outcome } from '../../records/outcome.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
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
  const found = useQuery(
    askPage('GET /api/users/access-reviews/', { query: { outcome, page, page_size, sort: 'id:desc' } }),
  )
  const columns = useReviewColumns()
  useTitle(access.title)
  return (
    <ListPage
      title={access.title}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      narrow={next => void navigate({ search: { outcome, page: next.page } })}
      begin={
        permissions.includes('users.review_access') && (
          <Button look="main" onPress={() => void navigate({ to: paths.newAccessReview })}>
            {access.begin}
          </Button>
        )
      }
      isNarrowed={outcome !== undefined}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: UsersRound, title: w.none, hint: w.noneHint, none: w.noneMatches }}
    >
      <AccessNav />
      <ListFilters>
        <FilterOne
          label={w.outcome}
          values={['no_findings', 'findings']}
          names={w.outcomes}
          value={outcome}
          onChange={next => void navigate({ search: { outcome: next } })}
        />
      </ListFilters>
    </ListPage>
  )
}

function useReviewColumns(): Column<Row>[] {
  const { reviews: w } = useEvidenceWords().access
  const { moment } = useFormat()
  return [
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
}
