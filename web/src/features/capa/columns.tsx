import { Link } from '@tanstack/react-router'
import type { Answer } from '../../api/client.ts'
import { Late } from '../../records/case/late.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Person } from '../../ui/person.tsx'
import { PriorityMark } from '../../ui/severity.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat, useWords } from '../../words/index.ts'

type Row = Answer<'GET /api/capa/'>['items'][number]

export const shownAtFirst = ['number', 'priority', 'status', 'actions', 'assigned', 'due', 'updated']

export function useCapaColumns(): Column<Row>[] {
  const { capa: w, cases } = useWords()
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
        <Link to="/capa/$id" params={{ id: row.id }}>
          {row.title}
        </Link>
      ),
    },
    { id: 'priority', title: w.priority, sort: 'priority', cell: row => <PriorityMark of={row.priority} /> },
    { id: 'status', title: cases.columns.status, sort: 'status', cell: row => <Status of={row.status} /> },
    {
      id: 'actions',
      title: w.actions,
      rank: 2,
      cell: ({ action_counts: { open, done } }) => (open + done > 0 ? w.doneOf(done, open + done) : <span>–</span>),
    },
    { id: 'type', title: w.type, sort: 'type', rank: 1, cell: row => w.types[row.type] },
    { id: 'source', title: w.source, sort: 'source', rank: 1, cell: row => w.sources[row.source] },
    {
      id: 'assigned',
      title: cases.columns.assigned,
      sort: 'assigned_to',
      rank: 2,
      cell: row => (row.assigned_to ? <Person of={row.assigned_to} /> : <span className="soft">{cases.nobody}</span>),
    },
    {
      id: 'due',
      title: cases.columns.due,
      sort: 'due_date',
      rank: 3,
      cell: row => <Late isLate={row.overdue}>{day(row.due_date)}</Late>,
    },
    { id: 'created', title: w.created, sort: 'created_at', rank: 1, cell: row => when(row.created_at) },
    { id: 'updated', title: cases.columns.updated, sort: 'updated_at', rank: 1, cell: row => when(row.updated_at) },
  ]
}
