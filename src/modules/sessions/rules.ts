export const sessionKinds = ['browser', 'token'] as const
export type SessionKind = (typeof sessionKinds)[number]

/** Who or what ended a session before its time. */
export const endReasons = ['logged_out', 'ended_by_user', 'ended_by_admin', 'ended_by_provider', 'too_many'] as const
export type EndReason = (typeof endReasons)[number]

/** What a tenant decides about the sessions of browsers. */
export interface SessionSettings {
  session_idle_minutes: number
  session_max_hours: number
  sessions_most: number
}
export const defaultSessionSettings: SessionSettings = {
  session_idle_minutes: 30,
  session_max_hours: 12,
  sessions_most: 10,
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The use of a session is written down at most once in so long, so that reading costs no write each time. */
export const seenEveryMs = minuteMs

export interface Lasting {
  kind: SessionKind
  auth_time: string
  last_seen_at: string
  expires_at: string
  idle_minutes: number | null
}

/**
 * When the session ends by itself, in milliseconds. A setting that was shortened since the log-in holds at once; a longer one would bring
 * ended sessions back to life, so it holds from the next log-in. A token is used by a program, which is never idle.
 */
export function endsOf(
  { kind, auth_time, last_seen_at, expires_at, idle_minutes }: Lasting,
  { session_idle_minutes, session_max_hours }: Pick<SessionSettings, 'session_idle_minutes' | 'session_max_hours'>,
): { ends_at: number; idle_ends_at: number | null } {
  const expires = Date.parse(expires_at)
  if (kind === 'token' || idle_minutes === null) return { ends_at: expires, idle_ends_at: null }
  return {
    ends_at: Math.min(expires, Date.parse(auth_time) + session_max_hours * hourMs),
    idle_ends_at: Date.parse(last_seen_at) + Math.min(idle_minutes, session_idle_minutes) * minuteMs,
  }
}

/** `over`: the absolute end has come. */
export function lifeOf({ ends_at, idle_ends_at }: ReturnType<typeof endsOf>, now: Date): 'live' | 'over' | 'idle' {
  if (ends_at <= now.getTime()) return 'over'
  return idle_ends_at !== null && idle_ends_at <= now.getTime() ? 'idle' : 'live'
}

/** Those that a further session of a browser leaves no room for: the ones that were unused longest. */
export const surplusOf = <S extends { last_seen_at: string }>(live: readonly S[], most: number): S[] =>
  live
    .toSorted((a, b) => Date.parse(a.last_seen_at) - Date.parse(b.last_seen_at))
    .slice(0, Math.max(0, live.length + 1 - most))
