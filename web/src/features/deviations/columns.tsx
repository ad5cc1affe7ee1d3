import { Link } from '@tanstack/react-router'
import { Repeat } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { Late } from '../../records/case/late.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Person } from '../../ui/person.tsx'
import { SeverityMark } from '../../ui/severity.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat, useWords } from '../../words/index.ts'

type Row = Answer<'GET /api/deviations/'>['items'][number]

export const shownAtFirst = ['number', 'severity', 'status', 'department', 'assigned', 'due', 'updated']

export function useDeviationColumns(): Column<Row>[] {
  const { deviations: w, cases } = useWords()
  const { day, ago, moment } = useFormat()
  const when = (iso: string) => (
    <time className="soft" dateTime={iso} title={moment(iso)}>
      {ago(iso)}
    </time>
  )
  return [
    {
      id: 'number',
      title: cases.columns.number,
      sort: 'number',
      cell: row => <span className="number">{row.number}</span>,
    },
    {
      id: 'title',
      title: cases.columns.title,
      sort: 'title',
      isHeading: true,
      cell: row => (
        <Link to="/deviations/$id" params={{ id: row.id }}>
          {row.title}
          {row.is_recurrence && (
            <>
              {' '}
              <Repeat size={13} role="img" aria-label={w.recurrence} />
            </>
          )}
        </Link>
      ),
    },
    { id: 'severity', title: w.severity, sort: 'severity', cell: row => <SeverityMark of={row.severity} /> },
    { id: 'status', title: cases.columns.status, sort: 'status', cell: row => <Status of={row.status} /> },
    {
      id: 'category',
      title: w.category,
      sort: 'category',
      rank: 1,
      cell: row => row.category && w.categories[row.category],
    },
    { id: 'department', title: w.department, sort: 'department', rank: 2, cell: row => row.department },
    {
      id: 'assigned',
      title: cases.columns.assigned,
      sort: 'assigned_to',
      rank: 2,
      cell: row => (row.assigned_to ? <Person of={row.assigned_to} /> : <span className="soft">{cases.nobody}</span>),
    },
    { id: 'reporter', title: w.reportedBy, sort: 'reported_by', rank: 1, cell: row => <Person of={row.reported_by} /> },
    {
      id: 'due',
      title: cases.columns.due,
      sort: 'due_date',
      rank: 3,
      cell: row => <Late isLate={row.overdue}>{day(row.due_date)}</Late>,
    },
    { id: 'detected', title: w.detected, sort: 'detected_at', rank: 1, cell: row => when(row.detected_at) },
    { id: 'reported', title: w.reported, sort: 'reported_at', rank: 1, cell: row => when(row.reported_at) },
    { id: 'updated', title: cases.columns.updated, sort: 'updated_at', rank: 1, cell: row => when(row.updated_at) },
  ]
}
