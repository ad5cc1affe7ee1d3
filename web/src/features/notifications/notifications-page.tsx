import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowUp, BellOff, Check, CheckCheck, ChevronLeft, ChevronRight } from 'lucide-react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, askPage, refresh } from '../../api/queries.ts'
import { pageOf } from '../../app/addresses.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { byDay } from './days.ts'
import styles from './notifications.module.css'
import { Preferences } from './preferences.tsx'

export function NotificationsPage() {
  const { notifications: w } = useWords()
  const { tab } = useSearch({ from: '/app/notifications' })
  const navigate = useNavigate()
  useTitle(tab ? w.preferences : w.title)
  return (
    <div className={styles.page}>
      <h1>{w.title}</h1>
      <Tabs
        className={styles.tabs!}
        selectedKey={tab ?? 'list'}
        onSelectionChange={key =>
          void navigate({ to: paths.notifications, search: key === 'preferences' ? { tab: 'preferences' } : {} })
        }
      >
        <TabList aria-label={w.title}>
          <Tab id="list">{w.list}</Tab>
          <Tab id="preferences">{w.preferences}</Tab>
        </TabList>
        <TabPanel id="list" className={styles.panel!}>
          <List />
        </TabPanel>
        <TabPanel id="preferences">
          <Preferences />
        </TabPanel>
      </Tabs>
    </div>
  )
}

const page_size = 25
/** Unread ones are not paged: who has more of them reads on once these are marked. */
const most_unread = 100

function List() {
  const { notifications: w, documents: dw } = useWords()
  const { page = 1 } = useSearch({ from: '/app/notifications' })
  const navigate = useNavigate()
  const sort = 'created_at:desc'
  const unread = useQuery(ask('GET /api/notifications/', { query: { is_read: false, page_size: most_unread, sort } }))
  const read = useQuery(askPage('GET /api/notifications/', { query: { is_read: true, page, page_size, sort } }))
  const error = unread.error ?? read.error
  if (error) return <Unreadable error={error} onRetry={() => void Promise.all([unread.refetch(), read.refetch()])} />
  if (!unread.data || !read.data) return <Loading lines={10} />
  if (unread.data.total === 0 && read.data.total === 0)
    return (
      <Empty icon={BellOff} title={w.empty}>
        {w.emptyHint}
      </Empty>
    )
  const { items, total, pages } = read.data
  const turnTo = (next: number) => void navigate({ to: paths.notifications, search: next > 1 ? { page: next } : {} })
  return (
    <>
      <section aria-labelledby="unread">
        <header className={styles.head}>
          <h2 id="unread">
            {w.unread} <span className={styles.howMany}>{unread.data.total}</span>
          </h2>
          {unread.data.total > 0 && <MarkAllRead />}
        </header>
        {unread.data.total === 0 ? (
          <p className={styles.none}>
            <CheckCheck size={16} aria-hidden="true" /> {w.noneUnread}
          </p>
        ) : (
          <Days items={unread.data.items} />
        )}
        {unread.data.items.length < unread.data.total && (
          <p className="soft">{w.more(unread.data.items.length, unread.data.total)}</p>
        )}
      </section>
      {total > 0 && (
        <section aria-labelledby="read" aria-busy={read.isPlaceholderData}>
          <header className={styles.head}>
            <h2 id="read">
              {w.read} <span className={styles.howMany}>{total}</span>
            </h2>
          </header>
          <Days items={items} />
          {pages > 1 && (
            <footer className={styles.pages}>
              {dw.range((page - 1) * page_size + 1, Math.min(page * page_size, total), total)}
              <Button
                look="icon"
                label={dw.previous}
                icon={ChevronLeft}
                isDisabled={page === 1}
                onPress={() => turnTo(page - 1)}
              />
              <Button
                look="icon"
                label={dw.next}
                icon={ChevronRight}
                isDisabled={page >= pages}
                onPress={() => turnTo(page + 1)}
              />
            </footer>
          )}
        </section>
      )}
    </>
  )
}

function MarkAllRead() {
  const { work: w } = useWords()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation<Answer<'POST /api/notifications/mark-all-read'>, Problem>({
    mutationFn: () => call('POST /api/notifications/mark-all-read', {}),
    onSuccess: () => refresh(client, 'notifications/'),
  })
  return (
    <>
      {error && <Refused error={error} />}
      <Button icon={CheckCheck} isPending={isPending} onPress={() => mutate()}>
        {w.markAllRead}
      </Button>
    </>
  )
}

type Notification = Answer<'GET /api/notifications/'>['items'][number]

function Days({ items }: { items: Notification[] }) {
  const { day, away, today } = useFormat()
  const { tenant } = useMe()
  const timeZone = tenant?.time_zone ?? 'UTC'
  const now = today(timeZone)
  const yesterday = new Date(Date.parse(now) - 86_400_000).toISOString().slice(0, 10)
  return byDay(items, timeZone).map(each => (
    <div key={each.day} className={styles.day}>
      <h3>{each.day >= yesterday ? away(each.day, now) : day(each.day)}</h3>
      <ul>
        {each.items.map(notification => (
          <Line key={notification.id} notification={notification} />
        ))}
      </ul>
    </div>
  ))
}

function Line({
  notification: { id, title, message, created_at, priority, link, is_read },
}: {
  notification: Notification
}) {
  const { notifications: w, work } = useWords()
  const { moment, clock } = useFormat()
  const { tenant } = useMe()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation<Notification, Problem>({
    mutationFn: () => call('POST /api/notifications/{id}/mark-read', { path: { id } }),
    onSuccess: () => refresh(client, 'notifications/'),
  })
  const page = pageOf(link)
  return (
    <li className={`${styles[priority]} ${is_read ? '' : styles.unread}`}>
      <span className={styles.sign}>
        {(priority === 'high' || priority === 'urgent') && (
          <ArrowUp size={15} role="img" aria-label={work.priority[priority]} />
        )}
      </span>
      <div>
        {page === undefined ? (
          <b>{title}</b>
        ) : (
          <Link to={page} onClick={() => is_read || mutate()}>
            {title}
          </Link>
        )}
        <p className="soft">{message}</p>
        {error && <Refused error={error} />}
      </div>
      <time className="soft" dateTime={created_at} title={moment(created_at)}>
        {clock(created_at, tenant?.time_zone)}
      </time>
      {!is_read && (
        <Button look="icon" label={w.markRead(title)} icon={Check} isPending={isPending} onPress={() => mutate()} />
      )}
    </li>
  )
}
