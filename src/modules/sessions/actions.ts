import { Type } from 'typebox'
import { type Actor, command, query } from '#action'
import { withSession } from '#action/cookie-answer.ts'
import { notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { endAllSessions, endSession, hasUser, listOpenSessions, type OpenSession } from './queries.ts'
import { defaultSessionSettings, endsOf, lifeOf } from './rules.ts'
import { CurrentSession, EndedSessions, Session } from './schema.ts'

const permission = 'account.manage_own'
const moment = (ms: number) => new Date(ms).toISOString()

const settingsOf = ({ session_idle_minutes, session_max_hours }: OpenSession) => ({
  session_idle_minutes: session_idle_minutes ?? defaultSessionSettings.session_idle_minutes,
  session_max_hours: session_max_hours ?? defaultSessionSettings.session_max_hours,
})

async function listLive(tx: Tx, userId: number, { session }: Actor, now: Date): Promise<Session[]> {
  const open = (await listOpenSessions(tx, userId, now)).map(each => ({ each, ends: endsOf(each, settingsOf(each)) }))
  return open
    .filter(({ ends }) => lifeOf(ends, now) === 'live')
    .map(({ each, ends: { ends_at, idle_ends_at } }) => ({
      id: each.id,
      kind: each.kind,
      is_current: each.id === session?.id,
      // A passkey is two factors by itself; a provider says so in its own words.
      second_factor: ['otp', 'user', 'mfa'].some(method => each.amr.includes(method)),
      client_addr: each.client_addr,
      user_agent: each.user_agent,
      created_at: each.created_at,
      last_seen_at: each.last_seen_at,
      idle_ends_at: idle_ends_at === null ? null : moment(idle_ends_at),
      ends_at: moment(ends_at),
    }))
}

const currentOf = ({ userId, username, fullName, role, session }: Actor) => ({
  id: session!.id,
  kind: session!.kind,
  user: { id: userId!, username, full_name: fullName, role },
  idle_ends_at: session!.idleEndsAt,
  ends_at: session!.endsAt,
})

export const current = query({
  summary: 'Read the session of the request',
  description:
    'Who is logged in, and when the session ends. A page may ask it as often as it likes: it does not count as use. The moments are those of the service, whose clock is in the header `Date`.',
  permission,
  isPolled: true,
  input: {},
  response: CurrentSession,
  run: async ({ actor }) => currentOf(actor),
})

export const extend = query({
  summary: 'Keep the session of the request from becoming idle',
  description: 'Counts as use, as every other request by a person does. The absolute end stays.',
  permission,
  input: {},
  response: CurrentSession,
  run: async ({ actor }) => currentOf(actor),
})

export const list = query({
  summary: "List one's own sessions",
  description: 'Those that are live, the last used first: browsers and access tokens.',
  permission,
  input: {},
  response: Type.Array(Session),
  run: ({ tx, actor, services }) => listLive(tx, actor.userId!, actor, services.clock.now()),
})

export const listOfUser = query({
  summary: 'List the sessions of a user',
  description: 'Those that are live, the last used first: browsers and access tokens.',
  permission: 'users.manage',
  input: { params: IdParams },
  response: Type.Array(Session),
  async run({ tx, actor, services }, { params: { id } }) {
    if (!(await hasUser(tx, id))) throw notFound('User')
    return listLive(tx, id, actor, services.clock.now())
  },
})

export const end = command({
  summary: "End one of one's own sessions",
  permission,
  input: { params: IdParams },
  response: Type.Null(),
  async run({ tx, actor, services, record, afterCommit }, { params: { id } }) {
    const end = { at: services.clock.now(), by: actor.userId, reason: 'ended_by_user' } as const
    if (!(await endSession(tx, { id, userId: actor.userId! }, end))) throw notFound('Session')
    record('auth.session_ended', actor.userId, { after: { sessions: [id], cause: end.reason } })
    afterCommit(() => services.accounts.changed())
    return id === actor.session?.id && actor.session.kind === 'browser' ? withSession(null, null) : null
  },
})

export const endOthers = command({
  summary: "End one's own sessions but that of the request",
  description:
    'Browsers and access tokens. A token that was issued by an earlier release has no session: it ends by itself, or when its holder logs out with it.',
  permission,
  // There may be no other session.
  mayRecordNothing: true,
  input: {},
  response: EndedSessions,
  async run({ tx, actor, services, record, afterCommit }) {
    const end = { at: services.clock.now(), by: actor.userId, reason: 'ended_by_user' } as const
    const sessions = await endAllSessions(tx, actor.userId!, end, { except: actor.session?.id ?? null })
    if (sessions.length > 0) record('auth.session_ended', actor.userId, { after: { sessions, cause: end.reason } })
    afterCommit(() => services.accounts.changed())
    return { ended: sessions.length }
  },
})
