import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { pageOfRecord } from '../../app/addresses.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat } from '../../words/index.ts'
import { useMetricsWords } from '../../words/metrics.ts'
import { pageOfList, queryOfList } from './lists.ts'
import styles from './metrics.module.css'

interface Props {
  /** The request whose records are behind the figure, or the page that has them. */
  list: string | undefined
  /** What is counted, as the heading of its records. */
  title: string
  children: ReactNode
}

/** A figure that leads to its records: to the page of their list where that can show exactly these, or to a list here. */
export function RecordsLink({ list, title, children }: Props) {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  if (list === undefined) return children
  const page = list.startsWith('/api/') ? pageOfList(list) : list
  if (page !== undefined) {
    const go = (event: MouseEvent) => {
      // With a key held, the browser opens it elsewhere.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
      event.preventDefault()
      void navigate({ href: page })
    }
    return (
      <a href={page} onClick={go}>
        {children}
      </a>
    )
  }
  return (
    <>
      <button type="button" className={styles.asLink} onClick={() => setOpen(true)}>
        {children}
      </button>
      {isOpen && <RecordsDialog list={list} title={title} onClose={() => setOpen(false)} />}
    </>
  )
}

interface Row {
  id: number
  number: string
  title: string
  status: string
  type: string
  person?: string | undefined
  day?: string | null
}
const most = 50

/** The first records of a list, whichever kind they are. */
async function readRecords(list: string, signal: AbortSignal): Promise<{ rows: Row[]; total: number }> {
  const query = { ...queryOfList(list), page_size: most }
  if (list.startsWith('/api/dashboard/records')) {
    const { items, total } = await call('GET /api/dashboard/records', { query: query as never }, signal)
    const rows = items.map(({ resource_type, person, ...each }) => ({
      ...{ ...each, type: resource_type },
      ...(person && { person: nameOf(person) }),
    }))
    return { rows, total }
  }
  if (list.startsWith('/api/training/assignments/')) {
    const { items, total } = await call('GET /api/training/assignments/', { query: query as never }, signal)
    const rows = items.map(({ assignment_id, number, title, status, user }) => ({
      ...{ id: assignment_id, number, title, status, type: 'training_assignment' },
      person: nameOf(user),
    }))
    return { rows, total }
  }
  const [name, type] = list.startsWith('/api/documents/')
    ? (['GET /api/documents/', 'document'] as const)
    : list.startsWith('/api/capa/')
      ? (['GET /api/capa/', 'capa'] as const)
      : (['GET /api/deviations/', 'deviation'] as const)
  const { items, total } = await call(name, { query: query as never }, signal)
  return { rows: items.map(({ id, number, title, status }) => ({ id, number, title, status, type })), total }
}

function RecordsDialog({ list, title, onClose }: { list: string; title: string; onClose: () => void }) {
  const { records: w } = useMetricsWords()
  const { locale } = useFormat()
  const { data, error, refetch } = useQuery({
    queryKey: [`GET ${list}`, 'behind a figure'],
    queryFn: ({ signal }) => readRecords(list, signal),
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      about={
        data &&
        (data.total > data.rows.length
          ? w.first(data.rows.length.toLocaleString(locale), data.total.toLocaleString(locale))
          : w.count(data.total.toLocaleString(locale)))
      }
      size="m"
    >
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} />
      ) : (
        <ul className={styles.records}>
          {data.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one person may have one training twice, and the lines never move
            <RecordLine key={index} row={row} />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

function RecordLine({ row: { id, number, title, status, type, person, day } }: { row: Row }) {
  const format = useFormat()
  const page = pageOfRecord(type, id)
  const name = (
    <>
      <span className="number">{number}</span> {title}
      {person !== undefined && `, ${person}`}
    </>
  )
  return (
    <li>
      {page === undefined ? <span>{name}</span> : <Link to={page}>{name}</Link>}
      <span className={styles.recordState}>
        {day && <span className="soft">{format.day(day)}</span>}
        <Status of={status} size="s" />
      </span>
    </li>
  )
}
