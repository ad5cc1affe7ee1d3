import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, Download, FolderOpen, Hourglass, OctagonAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Answer, addressOf } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { save } from '../../ui/save.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './my-training.module.css'
import { byNearness, heldOf, isSoon, overviewOf } from './own-training.ts'
import { isOpen, Standing, standingOf, typeIcons } from './standing.tsx'
import { TrainingNav } from './training-nav.tsx'
import { useTrainingWords } from './words.ts'

export type Own = Answer<'GET /api/training/my-training'>['items'][number]

const page_size = 100

export function MyTrainingPage() {
  const { mine: w } = useTrainingWords()
  const { id, tenant } = useMe()
  const { today: dayNow } = useFormat()
  const today = dayNow(tenant?.time_zone)
  const open = useQuery(
    ask('GET /api/training/my-training', { query: { status: ['assigned', 'in_progress'], page_size } }),
  )
  const over = useQuery(
    ask('GET /api/training/my-training', {
      query: { status: ['completed', 'failed'], page_size, sort: 'completed_at:desc' },
    }),
  )
  useTitle(w.title)
  const error = open.error ?? over.error
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{w.title}</h1>
        <div className={styles.tools} data-print="none">
          <Link to="/training/records/$user_id" params={{ user_id: id }} className={styles.record}>
            <FolderOpen size={15} aria-hidden="true" />
            {w.record}
          </Link>
          <Button
            icon={Download}
            onPress={() =>
              save(
                addressOf('GET /api/training/records/{user_id}', { path: { user_id: id }, query: { format: 'pdf' } }),
              )
            }
          >
            {w.recordPdf}
          </Button>
        </div>
      </header>
      <TrainingNav />
      {error ? (
        <Unreadable error={error} onRetry={() => void Promise.all([open.refetch(), over.refetch()])} />
      ) : !open.data || !over.data ? (
        <Loading lines={10} />
      ) : (
        <Overview open={open.data.items} over={over.data.items} total={over.data.total} today={today} />
      )}
    </div>
  )
}

function Overview({ open, over, total, today }: { open: Own[]; over: Own[]; total: number; today: string }) {
  const { mine: w } = useTrainingWords()
  const { day } = useFormat()
  const { waiting, failed } = overviewOf(open, over)
  const held = heldOf(over)
  return (
    <div className={styles.sections}>
      {open.length === 0 ? (
        <Empty icon={CircleCheck} title={w.none}>
          <p>{w.noneHint}</p>
        </Empty>
      ) : (
        <section aria-label={w.open}>
          {byNearness(open, today).map(({ when, items }) => (
            <section key={when} className={styles.due} aria-label={w.when[when]}>
              <h2 className={when === 'overdue' ? styles.late : ''}>
                {when === 'overdue' && <OctagonAlert size={15} aria-hidden="true" />}
                {w.when[when]} <span className={styles.howMany}>{items.length}</span>
              </h2>
              <ul className={styles.cards}>
                {items.map(each => (
                  <Card key={each.assignment_id} of={each} today={today} />
                ))}
              </ul>
            </section>
          ))}
        </section>
      )}
      <Lines title={w.verification} hint={w.verificationHint} items={waiting}>
        {each => each.completed_at && w.completedOn(day(each.completed_at))}
      </Lines>
      <Lines title={w.failed} hint={w.failedHint} items={failed}>
        {each => each.reason}
      </Lines>
      {held.length > 0 ? (
        <Lines title={w.held} items={held} total={total} shown={over.length}>
          {({ valid_until }) =>
            valid_until === null ? (
              w.noEnd
            ) : isSoon(valid_until, today) ? (
              <span className={styles.soon}>
                <Hourglass size={13} aria-hidden="true" />
                {w.endsSoon(day(valid_until))}
              </span>
            ) : (
              w.validUntil(day(valid_until))
            )
          }
        </Lines>
      ) : (
        open.length > 0 && (
          <section aria-label={w.held}>
            <h2>{w.held}</h2>
            <p className="soft">{w.heldNothing}</p>
          </section>
        )
      )}
    </div>
  )
}

function Card({ of: each, today }: { of: Own; today: string }) {
  const { mine: w, types, versionOf } = useTrainingWords()
  const { day, away, list } = useFormat()
  const { id, number, title, type, status, is_overdue, due_date, document, document_version, attempts, prerequisites } =
    each
  const Icon = typeIcons[type]
  const waits = prerequisites.length > 0
  return (
    <li className={waits ? styles.waits : ''}>
      <p className={styles.type}>
        <Icon size={15} aria-hidden="true" />
        {types[type]}
        <span className={styles.number}>{number}</span>
      </p>
      <h3>
        <Link to="/training/$id" params={{ id }}>
          {title}
        </Link>
      </h3>
      <p className="soft">
        {[document?.number, document_version && versionOf(document_version), attempts > 0 && w.attempts(attempts)]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {waits && (
        <p className={styles.before}>
          <Hourglass size={14} aria-hidden="true" />
          {w.waitsFor(
            list(
              prerequisites.map(before => `${before.number} ${before.title}`),
              'conjunction',
            ),
          )}
        </p>
      )}
      <p className={styles.next}>
        {!waits && <b>{status === 'in_progress' ? w.goOn : w.begin[type]}</b>}
        <span className={is_overdue ? styles.late : ''}>{w.dueOn(day(due_date), away(due_date, today))}</span>
      </p>
    </li>
  )
}

interface LinesProps {
  title: string
  hint?: string
  items: Own[]
  /** Of all that the lines were taken from, and how many of these were looked at. */
  total?: number
  shown?: number
  children: (each: Own) => ReactNode
}

function Lines({ title, hint, items, total = 0, shown = 0, children }: LinesProps) {
  const { mine: w, types, versionOf } = useTrainingWords()
  if (items.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className={styles.howMany}>{items.length}</span>
      </h2>
      {hint && <p className="soft">{hint}</p>}
      <ul className={styles.lines}>
        {items.map(each => {
          const Icon = typeIcons[each.type]
          return (
            <li key={each.assignment_id}>
              <Icon size={16} aria-label={types[each.type]} />
              <div>
                <Link to="/training/$id" params={{ id: each.id }}>
                  {each.title}
                </Link>
                <p className="soft">
                  {each.number}
                  {each.document_version && ` · ${each.document?.number} ${versionOf(each.document_version)}`}
                </p>
              </div>
              {standingOf(each) !== 'completed' && !isOpen(each) && <Standing of={each} size="s" />}
              <span className={styles.until}>{children(each)}</span>
            </li>
          )
        })}
      </ul>
      {shown < total && <p className="soft">{w.more(shown, total)}</p>}
    </section>
  )
}
