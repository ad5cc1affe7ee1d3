import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Column } from '../../ui/data-table.tsx'
import { Person, type PersonShape } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat } from '../../words/index.ts'
import type { CaseKind } from './case.ts'
import { Late } from './late.tsx'
import { useCaseWords } from './words.ts'

interface Row {
  id: number
  number: string
  title: string
  status: string
  assigned_to: PersonShape | null
  due_date: string
  overdue: boolean
  updated_at: string
}

/** How long ago something was, in a cell. */
export function useWhen() {
  const { ago, moment } = useFormat()
  return (iso: string) => (
    <time className="soft" dateTime={iso} title={moment(iso)}>
      {ago(iso)}
    </time>
  )
}

/** The columns that both lists have; `mark` stands behind the title. */
export function useCaseColumns<T extends Row>(kind: CaseKind, mark?: (row: T) => ReactNode) {
  const w = useCaseWords()
  const { day } = useFormat()
  const when = useWhen()
  return {
    number: {
      id: 'number',
      title: w.columns.number,
      sort: 'number',
      cell: row => <span className="number">{row.number}</span>,
    },
    title: {
      id: 'title',
      title: w.columns.title,
      sort: 'title',
      isHeading: true,
      cell: row => (
        <Link to={`/${kind}/$id`} params={{ id: row.id }} search={{}}>
          {row.title}
          {mark?.(row)}
        </Link>
      ),
    },
    status: { id: 'status', title: w.columns.status, sort: 'status', cell: row => <Status of={row.status} /> },
    assigned: {
      id: 'assigned',
      title: w.columns.assigned,
      sort: 'assigned_to',
      rank: 2,
      cell: row => (row.assigned_to ? <Person of={row.assigned_to} /> : <span className="soft">{w.nobody}</span>),
    },
    due: {
      id: 'due',
      title: w.columns.due,
      sort: 'due_date',
      rank: 3,
      cell: row => <Late isLate={row.overdue}>{day(row.due_date)}</Late>,
    },
    updated: {
      id: 'updated',
      title: w.columns.updated,
      sort: 'updated_at',
      rank: 1,
      cell: row => when(row.updated_at),
    },
  } satisfies Record<string, Column<T>>
}
