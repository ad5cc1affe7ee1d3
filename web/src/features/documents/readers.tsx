import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleX, GraduationCap, type LucideIcon, OctagonAlert } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { Empty, Loading, NotRead, Unreadable } from '../../ui/notes.tsx'
import { Person } from '../../ui/person.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { useReaderWords } from './reader-words.ts'
import styles from './readers.module.css'

type Program = Answer<'GET /api/training/'>['items'][number]
type Assignment = Answer<'GET /api/training/assignments/'>['items'][number]

/** Who has read the document, of how many who must: a part for each training program on it. */
export function Readers({ id }: { id: number }) {
  const w = useReaderWords()
  const { data, error, refetch } = useQuery(
    ask('GET /api/training/', { query: { document_id: id, page_size: 100, sort: 'id:asc' } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  if (data.items.length === 0)
    return (
      <Empty icon={GraduationCap} title={w.none}>
        <p>{w.noneHint}</p>
      </Empty>
    )
  return (
    <div className={styles.programs}>
      {data.items.map(program => (
        <ReadersOf key={program.id} program={program} />
      ))}
    </div>
  )
}

/** What is over without a result counts for nobody. */
const counted = ['assigned', 'in_progress', 'completed', 'failed'] as const
const page_size = 100

function ReadersOf({ program: { id, number, title, type } }: { program: Program }) {
  const w = useReaderWords()
  const all = useQuery(
    ask('GET /api/training/assignments/', {
      query: { training_id: [id], status: [...counted], page_size, sort: 'due_date:asc' },
    }),
  )
  const done = useQuery(
    ask('GET /api/training/assignments/', { query: { training_id: [id], status: ['completed'], page_size: 1 } }),
  )
  const error = all.error ?? done.error
  if (error) return <Unreadable error={error} onRetry={() => void Promise.all([all.refetch(), done.refetch()])} />
  if (!all.data || !done.data) return <Loading lines={3} />
  const { items, total } = all.data
  const completed = done.data.total
  return (
    <section aria-label={`${number} ${title}`}>
      <header className={styles.head}>
        <h2>
          <span className="number">{number}</span> {title}
        </h2>
        <p className="soft">{w.types[type]}</p>
      </header>
      {total === 0 ? (
        <p className="soft">{w.nobody}</p>
      ) : (
        <>
          <p className={styles.figure}>
            <b>{w.read(completed, total)}</b>
            <span className={styles.track} aria-hidden="true">
              <span style={{ width: `${(completed / total) * 100}%` }} />
            </span>
          </p>
          <ul className={styles.people}>
            {items.map(assignment => (
              <Reader key={assignment.assignment_id} assignment={assignment} />
            ))}
          </ul>
          {items.length < total && <p className={`soft ${styles.more}`}>{w.first(items.length, total)}</p>}
        </>
      )}
    </section>
  )
}

const icons: Partial<Record<Assignment['status'], LucideIcon>> = { completed: CircleCheck, failed: CircleX }

function Reader({ assignment }: { assignment: Assignment }) {
  const w = useReaderWords()
  const { document: dw } = useWords()
  const { day } = useFormat()
  const { user, status, is_overdue, due_date, completed_at, document_version } = assignment
  const Icon = is_overdue ? OctagonAlert : (icons[status] ?? CircleDashed)
  return (
    <li>
      <Person of={user} />
      <span className={is_overdue ? styles.late : styles[status]}>
        <Icon size={14} aria-hidden="true" />
        {is_overdue ? w.overdue : w.states[status]}
      </span>
      <span className="soft">
        {completed_at ? day(completed_at) : w.due(day(due_date))}
        {document_version && ` · ${dw.versionOf(document_version)}`}
      </span>
    </li>
  )
}
