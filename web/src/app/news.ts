import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { ask, onRefreshed, refresh, refreshRecords } from '../api/queries.ts'
import { session } from '../features/session/session.ts'
import { pageOfRecord } from './addresses.ts'
import { listen, type Told } from './events.ts'

const unreadCount = ask('GET /api/notifications/unread-count', {})

/**
 * Once somebody is there to see it: to read a list counts as use, and a page that is left alone must not keep its session alive.
 * Returns what calls it off.
 */
function oncePresent(work: () => void) {
  const signs = ['pointermove', 'pointerdown', 'keydown', 'focus'] as const
  const stop = () => {
    for (const each of signs) removeEventListener(each, act)
  }
  const act = () => {
    stop()
    work()
  }
  for (const each of signs) addEventListener(each, act)
  return stop
}

/** The pages of records that others have changed since they were read here. */
let changed: readonly string[] = []
const listeners = new Set<() => void>()
function setChanged(next: readonly string[]) {
  changed = next
  for (const each of listeners) each()
}

onRefreshed.add(() => setChanged([]))

/** Lists, and what counts them: a line that is another one by now holds nothing that somebody is about to sign. */
const isList = (name: unknown) => /^GET \/api\/([\w-]+\/)+$|^GET \/api\/(dashboard|notifications)\//.test(String(name))
const rereadLists = (client: QueryClient) =>
  client.invalidateQueries({ predicate: ({ queryKey: [name] }) => isList(name) })
/** What is in sight stays as it is, because somebody may be deciding about it; what is opened next is read anew. */
const markOld = (client: QueryClient) => client.invalidateQueries({ refetchType: 'none' })

/** Tells the pages what others do: by the service's events, and where those do not come, by asking each minute for the unread notifications. */
export function useNews() {
  const client = useQueryClient()
  const { data } = useQuery({ ...unreadCount, refetchInterval: 60_000 })
  const unread = data?.unread
  const before = useRef(unread)
  useEffect(() => {
    const isNew = before.current !== undefined && unread !== before.current
    before.current = unread
    if (isNew) return oncePresent(() => void rereadLists(client))
  }, [client, unread])
  useEffect(() => {
    let callOff: (() => void) | undefined
    const rereadLater = () => {
      callOff?.()
      callOff = oncePresent(() => void rereadLists(client))
    }
    const take = (told: Told) => {
      if (told.type === 'job') return void refresh(client, 'jobs/')
      if (told.type === 'ready' || told.type === 'unread')
        return client.setQueryData(unreadCount.queryKey, { unread: told.unread })
      void markOld(client)
      rereadLater()
      if (told.type !== 'changed') return
      const page = pageOfRecord(told.resource_type, told.id)
      if (page !== undefined && !changed.includes(page)) setChanged([...changed, page])
    }
    const stop = listen(take, ended => {
      if (ended === 'signed_out') void client.invalidateQueries({ queryKey: session.queryKey })
    })
    return () => {
      stop()
      callOff?.()
      setChanged([])
    }
  }, [client])
}

/** Whether somebody else has changed the record in sight, and how to see what it is now. */
export function useChangedRecord() {
  const client = useQueryClient()
  const { pathname } = useLocation()
  const all = useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => changed,
  )
  const page = all.find(each => pathname === each || pathname.startsWith(`${each}/`))
  // Whoever comes back to it later reads it anew.
  useEffect(() => () => setChanged(changed.filter(each => each !== page)), [page])
  return {
    isChanged: page !== undefined,
    show: () => refreshRecords(client),
  }
}
