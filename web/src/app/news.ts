import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ask, refresh } from '../api/queries.ts'

/**
 * Asks every minute whether there is something new, which counts as no use of the session. The lists are read anew once somebody is
 * there to see it: their reading does count, and a page that is left alone must not keep its session alive.
 */
export function useNews() {
  const client = useQueryClient()
  const { data } = useQuery({ ...ask('GET /api/notifications/unread-count', {}), refetchInterval: 60_000 })
  const unread = data?.unread
  const before = useRef(unread)
  useEffect(() => {
    const isNew = before.current !== undefined && unread !== before.current
    before.current = unread
    if (!isNew) return
    const read = () => {
      stop()
      void refresh(client, 'dashboard/', 'documents/', 'training/', 'notifications/')
    }
    const stop = () => {
      for (const each of signs) removeEventListener(each, read)
    }
    const signs = ['pointermove', 'pointerdown', 'keydown', 'focus'] as const
    for (const each of signs) addEventListener(each, read)
    return stop
  }, [client, unread])
}
