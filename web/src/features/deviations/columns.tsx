import { Repeat } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { useCaseColumns, useWhen } from '../../records/case/case-columns.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Person } from '../../ui/person.tsx'
import { SeverityMark } from '../../ui/severity.tsx'
import { useDeviationWords } from './words.ts'

type Row = Answer<'GET /api/deviations/'>['items'][number]

export const shownAtFirst = ['number', 'severity', 'status', 'department', 'assigned', 'due', 'updated']

export function useDeviationColumns(): Column<Row>[] {
  const w = useDeviationWords()
  const when = useWhen()
  const { number, title, status, assigned, due, updated } = useCaseColumns<Row>(
    'deviations',
    row =>
      row.is_recurrence && (
        <>
          {' '}
          <Repeat size={13} role="img" aria-label={w.recurrence} />
        </>
      ),
  )
  return [
    number,
    title,
    { id: 'severity', title: w.severity, sort: 'severity', cell: row => <SeverityMark of={row.severity} /> },
    status,
    {
      id: 'category',
      title: w.category,
      sort: 'category',
      rank: 1,
      cell: row => row.category && w.categories[row.category],
    },
    { id: 'department', title: w.department, sort: 'department', rank: 2, cell: row => row.department },
    assigned,
    { id: 'reporter', title: w.reportedBy, sort: 'reported_by', rank: 1, cell: row => <Person of={row.reported_by} /> },
    due,
    { id: 'detected', title: w.detected, sort: 'detected_at', rank: 1, cell: row => when(row.detected_at) },
    { id: 'reported', title: w.reported, sort: 'reported_at', rank: 1, cell: row => when(row.reported_at) },
    updated,
  ]
}
