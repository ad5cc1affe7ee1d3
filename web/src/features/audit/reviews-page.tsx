import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import styles from '../../records/list/list-page.module.css'
import { Outcome } from '../../records/outcome.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Person } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat, useWords } from '../../words/index.ts'
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
  const { documents } = useWords()
  const search = useSearch({ from: '/app/audit/reviews' })
  const navigate = useNavigate({ from: paths.auditReviews })
  const { permissions } = useMe()
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/audit/reviews/', {
      query: { outcome: search.outcome, page: search.page ?? 1, page_size, sort: 'id:desc' },
    }),
  )
  useTitle(w.title)
  const narrow = (change: ReviewsSearch) => void navigate({ search: { ...search, page: undefined, ...change } })
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div>
          <h1>{w.title}</h1>
          <p className="soft">{w.about}</p>
        </div>
        {permissions.includes('audit.review') && (
          <div className={styles.tools} data-print="none">
            <Button look="main" onPress={() => void navigate({ to: paths.newAuditReview })}>
              {w.begin}
            </Button>
          </div>
        )}
      </header>
      <AuditNav />
      <search className={styles.filters} aria-label={w.outcome} data-print="none">
        <Filter
          label={w.outcome}
          options={(['no_findings', 'findings'] as const).map(id => ({ id, name: w.outcomes[id] }))}
          value={search.outcome ? [search.outcome] : []}
          onChange={next => narrow({ outcome: next.find(each => each !== search.outcome) as ReviewsSearch['outcome'] })}
        />
      </search>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={8} />
      ) : data.items.length === 0 ? (
        <Empty icon={ScrollText} title={search.outcome === undefined ? w.none : w.noneMatches}>
          {search.outcome === undefined ? (
            <p>{w.noneHint}</p>
          ) : (
            <Button onPress={() => narrow({ outcome: undefined })}>{documents.clear}</Button>
          )}
        </Empty>
      ) : (
        <>
          <List rows={data.items} isOld={isPlaceholderData} />
          <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
        </>
      )}
    </div>
  )
}

function List({ rows, isOld }: { rows: Row[]; isOld: boolean }) {
  const { reviews: w } = useEvidenceWords().audit
  const { locale, moment } = useFormat()
  const period = usePeriod()
  const columns: Column<Row>[] = [
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
  return (
    <DataTable
      label={w.title}
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
