import { type Actor, command, query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { countOwn, findOwn, hasUnreadBeyond, listOwn, markRead, markUnread } from './queries.ts'
import { MarkedRead, Notification, NotificationFilter, UnreadCount } from './schema.ts'

/** The system has no notifications. */
export const self = ({ userId }: Actor) => userId ?? 0

export const list = query({
  summary: "List one's own notifications",
  description: 'The newest first.',
  permission: 'notifications.read',
  input: { query: NotificationFilter },
  response: Page(Notification),
  async run({ tx, actor }, { query }) {
    const sort = parseSort(query.sort, ['id', 'created_at', 'priority'], { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      (limit, offset) => listOwn(tx, self(actor), query, sort, limit, offset) as Promise<Notification[]>,
      () => countOwn(tx, self(actor), query),
    )
  },
})

export const unreadCount = query({
  summary: "Count one's own notifications that are not read",
  permission: 'notifications.read',
  isPolled: true,
  input: {},
  response: UnreadCount,
  run: async ({ tx, actor }) => ({ unread: await countOwn(tx, self(actor), { is_read: false }) }),
})

export const markOneRead = command({
  summary: 'Mark a notification as read',
  permission: 'notifications.read',
  input: { params: IdParams },
  response: Notification,
  async run({ tx, actor, services, record }, { params: { id } }) {
    const before = await findOwn(tx, self(actor), id)
    if (!before) throw notFound('Notification')
    await markRead(tx, self(actor), id, services.clock.now())
    const after = (await findOwn(tx, self(actor), id))!
    record('notification.read', id, { before: { is_read: before.is_read }, after: { is_read: true } })
    return after as Notification
  },
})

/** A transaction that marked a million rows would keep others waiting for its locks. */
export const maxMarkedAtOnce = 20_000

export const markEveryRead = (maxAtOnce = maxMarkedAtOnce) =>
  command({
    summary: "Mark all of one's own notifications as read",
    description:
      'Marks those that exist at the time of the request. Very many are marked in parts, and each part stays marked if a later one fails.',
    permission: 'notifications.read',
    input: {},
    response: MarkedRead,
    async prepare({ actor, services, read, inSeparateTransaction }) {
      let marked = 0
      while (await read(tx => hasUnreadBeyond(tx, self(actor), maxAtOnce)))
        marked += await inSeparateTransaction(async ({ tx, record }) => {
          const part = await markUnread(tx, self(actor), services.clock.now(), maxAtOnce)
          record('notification.read', null, { after: { marked_read: part } })
          return part
        })
      return marked
    },
    async run({ tx, actor, services, record, prepared }) {
      const rest = await markUnread(tx, self(actor), services.clock.now(), maxAtOnce)
      record('notification.read', null, { after: { marked_read: rest } })
      return { marked_read: prepared + rest }
    },
  })
