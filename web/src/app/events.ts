/** What the service tells of by itself (docs/events.md): that it is time to read again, and nothing of a record. */
export type Told =
  | { type: 'ready' | 'unread'; unread: number }
  | { type: 'changed'; resource_type: string; id: number }
  | { type: 'job'; id: number }
  | { type: 'resync' }

type Ended = 'signed_out' | 'expired' | 'stopping'

/**
 * Listens while the page is in sight: a browser has few connections for all of its windows, and a person a few streams. It counts as no use
 * of the session. Returns what ends it.
 */
export function listen(onTold: (told: Told) => void, onEnd: (ended: Ended) => void) {
  let stream: EventSource | undefined
  const close = () => {
    stream?.close()
    stream = undefined
  }
  const open = () => {
    close()
    stream = new EventSource('/api/events')
    stream.addEventListener('piece', ({ data }) => onTold(JSON.parse(data as string) as Told))
    stream.addEventListener('done', ({ data }) => {
      const { ended } = JSON.parse(data as string) as { ended: Ended }
      // By itself the browser would connect again, also where nobody is logged in any more.
      if (ended === 'signed_out') close()
      onEnd(ended)
    })
  }
  const follow = () => (document.hidden ? close() : open())
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    close()
  }
}
