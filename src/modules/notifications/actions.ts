import { type Actor, command, query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { countOwn, findOwn, hasUnreadBeyond, listOwn, markRead, markUnread } from './queries.ts'
import { MarkedRead, Notification, NotificationFilter, UnreadCount } from './schema.ts'

/** The system is told nothing. */
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

/** So many in a transaction: nobody waits for the locks of a million. */
export const most_marked_at_once = 20_000

export const markEveryRead = (most_at_once = most_marked_at_once) =>
  command({
    summary: "Mark all of one's own notifications as read",
    description:
      'All that there are when it is asked for. Of very many, each part stays marked whatever becomes of the rest.',
    permission: 'notifications.read',
    input: {},
    response: MarkedRead,
    async prepare({ actor, services, read, inSeparateTransaction }) {
      let marked = 0
      while (await read(tx => hasUnreadBeyond(tx, self(actor), most_at_once)))
        marked += await inSeparateTransaction(async ({ tx, record }) => {
          const part = await markUnread(tx, self(actor), services.clock.now(), most_at_once)
          record('notification.read', null, { after: { marked_read: part } })
          return part
        })
      return marked
    },
    async run({ tx, actor, services, record, prepared }) {
      const rest = await markUnread(tx, self(actor), services.clock.now(), most_at_once)
      record('notification.read', null, { after: { marked_read: rest } })
      return { marked_read: prepared + rest }
    },
  })
