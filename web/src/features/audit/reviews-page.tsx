import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
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
import { AuditNav } from './audit-nav.tsx'
import type { ReviewsSearch } from './search.ts'

type Row = Answer<'GET /api/audit/reviews/'>['items'][number]
const page_size = 25

/** A day as it was given, or the moment. */
export function usePeriod() {
  const { reviews: w } = useEvidenceWords().audit
  const { day, moment } = useFormat()
  const text = (value: string) => (value.length === 10 ? day(value) : moment(value))
  return ({ date_from, date_to }: Pick<Row, 'date_from' | 'date_to'>) => w.period(text(date_from), text(date_to))
}

export function ReviewsPage() {
  const { reviews: w } = useEvidenceWords().audit
  const search = useSearch({ from: '/app/audit/reviews' })
  const navigate = useNavigate({ from: paths.auditReviews })
  const { permissions } = useMe()
  const found = useQuery(
    askPage('GET /api/audit/reviews/', {
      query: { outcome: search.outcome, page: search.page ?? 1, page_size, sort: 'id:desc' },
    }),
  )
  const columns = useReviewColumns()
  useTitle(w.title)
  const narrow = (change: ReviewsSearch) => void navigate({ search: { ...search, page: undefined, ...change } })
  return (
    <ListPage
      title={w.title}
      about={w.about}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      narrow={({ page }) => narrow({ page })}
      begin={
        permissions.includes('audit.review') && (
          <Button look="main" onPress={() => void navigate({ to: paths.newAuditReview })}>
            {w.begin}
          </Button>
        )
      }
      isNarrowed={search.outcome !== undefined}
      onClear={() => narrow({ outcome: undefined })}
      empty={{ icon: ScrollText, title: w.none, hint: w.noneHint, none: w.noneMatches }}
    >
      <AuditNav />
      <ListFilters>
        <FilterOne
          label={w.outcome}
          values={['no_findings', 'findings']}
          names={w.outcomes}
          value={search.outcome}
          onChange={next => narrow({ outcome: next })}
        />
      </ListFilters>
    </ListPage>
  )
}

function useReviewColumns(): Column<Row>[] {
  const { reviews: w } = useEvidenceWords().audit
  const { locale, moment } = useFormat()
  const period = usePeriod()
  return [
    { id: 'number', title: w.columns.number, cell: row => <span className="soft">{row.id}</span> },
    {
      id: 'period',
      title: w.columns.period,
      isHeading: true,
      cell: row => (
        <Link to={paths.auditReview} params={{ id: row.id }}>
          {period(row)}
        </Link>
      ),
    },
    {
      id: 'outcome',
      title: w.columns.outcome,
      cell: row => <Outcome of={row.outcome} name={w.outcomes[row.outcome]} />,
    },
    { id: 'reviewer', title: w.columns.reviewer, rank: 3, cell: row => <Person of={row.reviewer} /> },
    { id: 'entries', title: w.columns.entries, rank: 2, cell: row => row.entries.toLocaleString(locale) },
    {
      id: 'signed',
      title: w.columns.signed,
      rank: 2,
      cell: row => <time dateTime={row.signature.signed_at}>{moment(row.signature.signed_at)}</time>,
    },
  ]
}
