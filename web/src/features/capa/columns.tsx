import type { Answer } from '../../api/client.ts'
import { useCaseColumns, useWhen } from '../../records/case/case-columns.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PriorityMark } from '../../ui/severity.tsx'
import { useCapaWords } from './words.ts'

type Row = Answer<'GET /api/capa/'>['items'][number]

export const shownAtFirst = ['number', 'priority', 'status', 'actions', 'assigned', 'due', 'updated']

export function useCapaColumns(): Column<Row>[] {
  const w = useCapaWords()
  const when = useWhen()
  const { number, title, status, assigned, due, updated } = useCaseColumns<Row>('capa')
  return [
    number,
    title,
    { id: 'priority', title: w.priority, sort: 'priority', cell: row => <PriorityMark of={row.priority} /> },
    status,
    {
      id: 'actions',
      title: w.actions,
      rank: 2,
      cell: ({ action_counts: { open, done } }) => (open + done > 0 ? w.doneOf(done, open + done) : <span>–</span>),
    },
    { id: 'type', title: w.type, sort: 'type', rank: 1, cell: row => w.types[row.type] },
    { id: 'source', title: w.source, sort: 'source', rank: 1, cell: row => w.sources[row.source] },
    assigned,
    due,
    { id: 'created', title: w.created, sort: 'created_at', rank: 1, cell: row => when(row.created_at) },
    updated,
  ]
}
