import { query } from '#action'
import { readState } from './hub.ts'
import { EventsState, LiveEvent } from './schema.ts'

export const follow = query({
  summary: 'Follow what changes',
  description:
    'With `Accept: text/event-stream`, as the EventSource of browsers sends it: `ready` with the present state, `changed` for each record that somebody else changed and the reader may read, `unread` with the number of unread notifications, `job` with the progress of a background job of the reader, and `resync` where too much changed. An event says nothing but that it is time to read again. The answer ends with the session, after an hour, and when the service stops; then connect again and read anew what is shown: `Last-Event-ID` is not looked at. Without that header it is the present state alone.',
  permission: 'notifications.read',
  isPolled: true,
  isStream: true,
  input: {},
  response: EventsState,
  pieces: LiveEvent,
  prepare: async ({ actor, services, signal, sendPiece, renewActor }) =>
    sendPiece && signal && renewActor
      ? services.events.follow({ actor, renew: renewActor, send: sendPiece, signal })
      : null,
  run: async ({ tx, actor, prepared }) =>
    prepared === null ? { ...(await readState(tx, actor)), ended: null } : { unread: 0, jobs: [], ended: prepared },
})
