import { isIP } from 'node:net'
import type { Claims, Mapping } from './schema.ts'

export const defaultClaims: Claims = {
  username: 'preferred_username',
  email: 'email',
  full_name: 'name',
  groups: 'groups',
}
export const defaultScopes = ['openid', 'email', 'profile']

/** As long as somebody may take at the provider. */
export const attempt_ms = 10 * 60 * 1000

/** Only a path of our own pages: anything else would send a person who has just logged in to a page that looks like ours. */
export function pathOfOurs(asked: string | undefined): string {
  const ours = 'https://pages.invalid'
  if (asked === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(asked) || asked.includes('\\')) return '/'
  if (!URL.canParse(asked, ours)) return '/'
  const { origin, pathname, search, hash } = new URL(asked, ours)
  if (origin !== ours || pathname.startsWith('//') || /^\/api(\/|$)/i.test(pathname)) return '/'
  return pathname + search + hash
}

/** The text of a claim, without what no text of ours may hold; undefined if there is none. */
export function textOf(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text === '' ? undefined : text.slice(0, maxLength).toWellFormed().trim()
}

/** What a user name begins with: the part of the claim before an `@`, as user names are spelled; undefined if nothing is left. */
export function usernameFrom(value: unknown): string | undefined {
  const name = textOf(value, 200)
    ?.replace(/@.*$/s, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '.')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/\.{2,}/g, '.')
    .slice(0, 60)
    .replace(/[._-]+$/, '')
  return name !== undefined && name.length >= 2 ? name : undefined
}

/** An address as `users` takes it. */
export function emailFrom(value: unknown): string | undefined {
  const email = textOf(value, 300)
  if (email === undefined || email.length > 254 || !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) return undefined
  return isIP(email.slice(email.lastIndexOf('@') + 1)) === 0 ? email : undefined
}

type Sent = Readonly<Record<string, unknown>>

/**
 * The groups that the provider sent of a person; undefined where it says that it left them out, as Entra ID does above 200 of them: then
 * nothing is known, and nothing may change.
 */
export function groupsFrom(sent: Sent, claim: string): string[] | undefined {
  const elsewhere = sent._claim_names
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim)) return undefined
  if (sent.hasgroups === true) return undefined
  const value = sent[claim]
  return [value].flat().filter(each => typeof each === 'string')
}

/** The role and the groups of ours that groups of the provider give; of `mapped` groups of ours people are members by the provider alone. */
export function appliedMappings(mappings: readonly Mapping[], groups: readonly string[]) {
  const matching = mappings.filter(({ claim_value }) => groups.includes(claim_value))
  const [role] = matching
    .filter(({ role_id }) => role_id !== null)
    .toSorted((a, b) => b.priority - a.priority || a.claim_value.localeCompare(b.claim_value))
  const groupsIn = (of: readonly Mapping[]) => [...new Set(of.flatMap(({ group_id }) => group_id ?? []))]
  return { role, joined: groupsIn(matching), mapped: groupsIn(mappings) }
}

/** RFC 8176: how the provider says that the person proved who they are. */
export const methodsFrom = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).flatMap(each => textOf(each, 40) ?? []).slice(0, 10)

/** What an answer says of the moment at which its person logged in. Seconds since 1970 by the provider, milliseconds by this service. */
export interface Moments {
  auth_time: unknown
  iat: unknown
  /** The `Date` of the answer that had the token. */
  answered_at: number | undefined
  begun_ms: number
  received_ms: number
  last_auth_time: number | null
}
export type FreshnessFault = 'log_in_unknown' | 'moment_unknown' | 'log_in_old' | 'log_in_used'

/**
 * Why the person did not log in for this request: `prompt=login` in an address can be removed at the browser, and the provider does not say
 * that it was. Durations alone are compared, so that no difference of clocks matters: by the provider's clock the log-in is not longer ago
 * than by ours the request. `iat` alone would not do: Entra ID sets it five minutes back.
 */
export function freshnessFault({
  auth_time,
  iat,
  answered_at,
  begun_ms,
  received_ms,
  last_auth_time,
}: Moments): FreshnessFault | undefined {
  if (!Number.isSafeInteger(auth_time)) return 'log_in_unknown'
  if (answered_at === undefined || !Number.isFinite(answered_at) || typeof iat !== 'number') return 'moment_unknown'
  const age = Math.max(iat, answered_at) - (auth_time as number)
  if (age > Math.ceil((received_ms - begun_ms) / 1000) + 1) return 'log_in_old'
  if (last_auth_time !== null && (auth_time as number) <= last_auth_time) return 'log_in_used'
  return undefined
}

/** Whether the provider says that it asked for a second factor. */
export const namesSecondFactor = (mfaValues: readonly string[], { amr, acr }: Sent) =>
  [amr, acr].flat().some(each => typeof each === 'string' && mfaValues.includes(each))
