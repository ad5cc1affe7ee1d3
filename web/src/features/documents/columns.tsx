import { Link } from '@tanstack/react-router'
import { OctagonAlert } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import styles from '../../records/list/list-page.module.css'
import { Disposed } from '../../records/retention.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'

type Row = Answer<'GET /api/documents/'>['items'][number]

export const shownAtFirst = ['number', 'status', 'version', 'type', 'owner', 'review', 'updated']
/** The version that the line is about, and one that is on its way to replace it. */
const Versions = ({ of: { version, pending_version } }: { of: Row }) => (
  <span className={styles.versions}>
    {version}
    {pending_version && <Status of={pending_version.status} version={pending_version.version} size="s" />}
  </span>
)

export function useDocumentColumns(): Column<Row>[] {
  const { documents: w, lists } = useWords()
  const { day, ago, moment, today } = useFormat()
  const now = today(useMe().tenant?.time_zone)
  const when = (iso: string) => (
    <time className="soft" dateTime={iso} title={moment(iso)}>
      {ago(iso)}
    </time>
  )
  return [
    {
      id: 'number',
      title: w.columns.number,
      sort: 'number',
      cell: row => <span className="number">{row.number}</span>,
    },
    {
      id: 'title',
      title: w.columns.title,
      sort: 'title',
      isHeading: true,
      cell: row => (
        <>
          <Link to="/documents/$id" params={{ id: row.id }}>
            {row.title}
          </Link>{' '}
          <Disposed of={row.disposal} />
        </>
      ),
    },
    { id: 'status', title: w.columns.status, sort: 'status', cell: row => <Status of={row.status} /> },
    { id: 'version', title: w.columns.version, rank: 3, cell: row => <Versions of={row} /> },
    { id: 'type', title: w.columns.type, sort: 'document_type', rank: 2, cell: row => row.document_type.name },
    { id: 'category', title: lists.column.category, sort: 'category', rank: 2, cell: row => row.category },
    { id: 'owner', title: w.columns.owner, sort: 'owner', rank: 2, cell: row => <Person of={row.owner} /> },
    {
      id: 'effective',
      title: lists.column.effective,
      sort: 'effective_date',
      rank: 1,
      cell: row => row.effective_date && day(row.effective_date),
    },
    {
      id: 'review',
      title: w.columns.review,
      sort: 'review_due_date',
      rank: 1,
      cell: ({ review_due_date: due }) =>
        due && (
          <span className={due < now ? styles.late : undefined}>
            {due < now && <OctagonAlert size={14} aria-hidden="true" />}
            {day(due)}
          </span>
        ),
    },
    {
      id: 'created',
      title: lists.column.created,
      sort: 'created_at',
      rank: 1,
      cell: row => when(row.created_at),
    },
    { id: 'updated', title: w.columns.updated, sort: 'updated_at', rank: 1, cell: row => when(row.updated_at) },
  ]
}
