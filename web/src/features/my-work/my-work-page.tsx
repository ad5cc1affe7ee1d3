import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import {
  ArrowUp,
  BellOff,
  CalendarClock,
  CheckCheck,
  CircleCheck,
  Copy,
  FileCheck,
  FileText,
  FileX2,
  GraduationCap,
  ListChecks,
  type LucideIcon,
  OctagonAlert,
  SearchCheck,
  Settings2,
  TriangleAlert,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { pageOf } from '../../app/addresses.ts'
import { useSeries } from '../../app/series.ts'
import { nextOf } from '../../app/series-members.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, NotRead, Unreadable } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './my-work.module.css'

type Item = Answer<'GET /api/dashboard/pending-approvals'>['documents'][number]

const icons: Record<Item['kind'], LucideIcon> = {
  document_approval: FileText,
  document_review: SearchCheck,
  document: FileText,
  training_assignment: GraduationCap,
  deviation: TriangleAlert,
  capa: FileCheck,
  capa_action: FileCheck,
  effectiveness_review: SearchCheck,
  controlled_copy: Copy,
  configuration_change: Settings2,
  file_removal: FileX2,
  disposal: FileX2,
}

/** Of each kind. */
const limit = 50

export function MyWorkPage() {
  const { work: w } = useWords()
  const { day } = useFormat()
  const decide = useQuery(ask('GET /api/dashboard/pending-approvals', { query: { limit } }))
  const act = useQuery(ask('GET /api/dashboard/assigned-items', { query: { limit } }))
  const soon = useQuery(ask('GET /api/dashboard/approaching-deadlines', { query: { yours: true, page_size: 1 } }))
  useTitle(w.title)

  const error = decide.error ?? act.error
  if (error) return <Unreadable error={error} onRetry={() => void Promise.all([decide.refetch(), act.refetch()])} />
  if (!decide.data || !act.data) return <Loading lines={10} />

  const { today } = decide.data
  const {
    documents,
    deviations,
    draft_capas,
    capas,
    configuration_changes,
    controlled_copies,
    file_removals,
    disposals,
  } = decide.data
  const toDecide = [
    ...documents,
    ...deviations,
    ...draft_capas,
    ...capas,
    ...configuration_changes,
    ...controlled_copies,
    ...file_removals,
    ...disposals,
  ]
  const toDo = [...act.data.training, ...act.data.deviations, ...act.data.capas, ...act.data.controlled_copies]
  const overdue = decide.data.counts.overdue + act.data.counts.overdue
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{w.title}</h1>
        <p className="soft">{day(today)}</p>
        <ul className={styles.figures}>
          <li className={overdue > 0 ? styles.late : ''}>
            <OctagonAlert size={15} aria-hidden="true" />
            <b>{overdue}</b> {w.overdue}
          </li>
          <li>
            <CalendarClock size={15} aria-hidden="true" />
            <b>{soon.data?.total ?? 0}</b> {w.dueSoon}
          </li>
        </ul>
      </header>
      <div className={styles.columns}>
        {toDecide.length === 0 && toDo.length === 0 ? (
          <UpToDate />
        ) : (
          <div className={styles.lists}>
            <Section
              title={w.decide}
              empty={w.nothingToDecide}
              today={today}
              items={toDecide}
              counts={decide.data.counts}
            >
              <OneAfterTheOther items={documents} />
            </Section>
            <Section title={w.act} empty={w.nothingToDo} today={today} items={toDo} counts={act.data.counts} />
          </div>
        )}
        <News />
      </div>
    </div>
  )
}

/** Nothing to decide and nothing to do: said once, with where one could go from here. */
function UpToDate() {
  const { upToDate: w } = useWords()
  const { permissions } = useMe()
  return (
    <Empty icon={CircleCheck} title={w.title}>
      <p>{w.hint}</p>
      {permissions.includes('documents.read') && (
        <p>
          <Link to="/documents">{w.documents}</Link>
        </p>
      )}
    </Empty>
  )
}

/** What is due soonest comes first; what has no day comes last. */
const byDay = (a: Item, b: Item) =>
  (a.due_date ?? '9').localeCompare(b.due_date ?? '9') || a.number.localeCompare(b.number)

interface SectionProps {
  title: string
  empty: string
  items: Item[]
  /** By kind, of all that there are; the items may be the first of them. */
  counts: { overdue: number } & Record<string, number>
  today: string
  /** Beside the title. */
  children?: ReactNode
}

function Section({ title, empty, items, counts: { overdue, ...counts }, today, children }: SectionProps) {
  const { work: w } = useWords()
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0)
  return (
    <section aria-label={title}>
      <header>
        <h2>
          {title} <span className={styles.howMany}>{total}</span>
        </h2>
        {children}
      </header>
      {items.length === 0 ? (
        <p className={styles.nothing}>
          <CircleCheck size={16} aria-hidden="true" /> {empty}
        </p>
      ) : (
        <ul className={styles.items}>
          {items.toSorted(byDay).map(item => (
            <WorkItem key={`${item.kind} ${item.id}`} item={item} today={today} />
          ))}
        </ul>
      )}
      {items.length < total && <p className={`soft ${styles.more}`}>{w.more(items.length, total)}</p>}
    </section>
  )
}

/** Several approvals without the way back to the list. What is decided for somebody else is not among them. */
function OneAfterTheOther({ items }: { items: Item[] }) {
  const { series: w } = useWords()
  const navigate = useNavigate()
  const { members, begin } = useSeries()
  const next = nextOf(members, undefined)
  const waiting = items
    .filter(each => each.for === null)
    .toSorted(byDay)
    .map(({ link, number, title }) => ({ page: pageOf(link)!, number, title }))
  const isRunning = next !== undefined && waiting.some(({ page }) => page === next.page)
  if (!isRunning && waiting.length < 2) return null
  const start = () => {
    begin(waiting)
    void navigate({ href: waiting[0]!.page })
  }
  return (
    <span data-print="none">
      <Button icon={ListChecks} onPress={isRunning ? () => void navigate({ href: next.page }) : start}>
        {isRunning ? w.resume(members.filter(each => each.outcome === undefined).length) : w.begin(waiting.length)}
      </Button>
    </span>
  )
}

function WorkItem({ item, today }: { item: Item; today: string }) {
  const { work: w } = useWords()
  const { away, day } = useFormat()
  const { id: ownId } = useMe()
  const { kind, number, title, status, due_date, is_overdue, person, link, for: principal } = item
  const Icon = icons[kind]
  const todo = (w.inState as Record<string, string>)[`${kind}_${status}`] ?? w.kinds[kind]
  return (
    <li>
      <Icon size={17} aria-hidden="true" />
      <div>
        <Titled link={link} person={principal?.id}>
          {title}
        </Titled>
        <p className="soft">
          <span className="number">{number}</span> · {todo}
          {person && person.id !== ownId && ` · ${w.from(nameOf(person))}`}
          {principal && <b className={styles.principal}>{w.onBehalf(nameOf(principal))}</b>}
        </p>
      </div>
      <span className={is_overdue ? styles.late : styles.due} title={due_date ? day(due_date) : undefined}>
        {is_overdue && <OctagonAlert size={14} aria-hidden="true" />}
        {due_date ? `${is_overdue ? `${w.overdue}, ` : ''}${away(due_date, today)}` : ''}
      </span>
    </li>
  )
}

interface TitledProps {
  link: string | null
  /** The person whose deputy opens it. */
  person?: number | undefined
  onOpen?: () => void
  children: string
}

/** A link where the record has a page. */
function Titled({ link, person, onOpen, children }: TitledProps) {
  const page = pageOf(link)
  if (page === undefined) return <span className={styles.title}>{children}</span>
  return (
    <Link to={page} {...(person !== undefined && { search: { for: person } })} onClick={onOpen}>
      {children}
    </Link>
  )
}

type Notification = Answer<'GET /api/notifications/'>['items'][number]

function News(): ReactNode {
  const { work: w } = useWords()
  const { data, error, refetch } = useQuery(
    ask('GET /api/notifications/', { query: { is_read: false, page_size: 8, sort: 'created_at:desc' } }),
  )
  return (
    <aside className={styles.news} aria-label={w.news}>
      <header>
        <h2>
          {w.news} {data && <span className={styles.howMany}>{data.total}</span>}
        </h2>
        {data && data.total > 0 && (
          <span data-print="none">
            <MarkAllRead />
          </span>
        )}
      </header>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} />
      ) : data.items.length === 0 ? (
        <Empty icon={BellOff} title={w.noNews} />
      ) : (
        <ol>
          {data.items.map(notification => (
            <NewsItem key={notification.id} notification={notification} />
          ))}
        </ol>
      )}
    </aside>
  )
}

function MarkAllRead() {
  const { work: w } = useWords()
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('POST /api/notifications/mark-all-read', {}),
    onSuccess: () => refresh(client, 'notifications/'),
  })
  return <Button look="icon" label={w.markAllRead} isPending={isPending} icon={CheckCheck} onPress={() => mutate()} />
}

/** What one opens is read. */
function NewsItem({
  notification: { id, title, message, created_at, priority, link },
}: {
  notification: Notification
}) {
  const { work: w } = useWords()
  const { ago } = useFormat()
  const client = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: () => call('POST /api/notifications/{id}/mark-read', { path: { id } }),
    onSuccess: () => refresh(client, 'notifications/'),
  })
  return (
    <li className={styles[priority]}>
      {(priority === 'high' || priority === 'urgent') && (
        <ArrowUp size={14} role="img" aria-label={w.priority[priority]} />
      )}
      <Titled link={link} onOpen={() => mutate()}>
        {title}
      </Titled>
      <p className="soft">{message}</p>
      <time className="soft" dateTime={created_at}>
        {ago(created_at)}
      </time>
    </li>
  )
}
