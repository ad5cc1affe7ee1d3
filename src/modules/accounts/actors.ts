import type { Actor, ActorSession } from '#action'
import { messages } from '#action/messages.ts'
import { type Permission, permissions } from '#kernel/catalogue.ts'
import type { Clock } from '#kernel/clock.ts'
import { unauthorized } from '#kernel/errors.ts'
import { effectivePermissions, everybodys, grantsOfSystemRole, isAdminChain } from '#modules/roles'
import {
  defaultSessionSettings,
  endsOf,
  type Lasting,
  lifeOf,
  noteSeen,
  type SessionSettings,
  seenEveryMs,
} from '#modules/sessions'
import { tokenReader } from '#platform/crypto/jwt.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import { isSessionSecret, openSessionCookie } from '#platform/crypto/session-secret.ts'
import { type Database, isDatabaseError, type Tx } from '#platform/db/database.ts'
import { within } from '#platform/within.ts'
import { messages as accountMessages } from './messages.ts'
import { findAccountRow } from './queries.ts'

/** The tenant of the installation itself; see migrations/0001_foundation.sql. */
export const platformTenantId = 1

/** The actor of schedules, jobs, the command line and the first start. */
export const systemActor = (tenantId: number): Actor => ({
  tenantId,
  userId: null,
  username: 'system',
  fullName: null,
  role: 'System',
  roles: [],
  isAdmin: false,
  permissions: new Set(Object.keys(permissions) as Permission[]),
  authTime: 0,
})

/** A session as the database has it. */
export interface KnownSession extends Lasting {
  id: number
  /** Of a browser alone. */
  secret_hash: Buffer | null
  session_version: number
  isEnded: boolean
  provider: ActorSession['provider']
}

/** The facts about a user and a session that a token does not hold, because they can change while it is valid. */
export interface Account {
  actor: Omit<Actor, 'authTime'>
  isActive: boolean
  sessionVersion: number
  /** Undefined if it is not the account's, or none was asked for. */
  session: KnownSession | undefined
  settings: Pick<SessionSettings, 'session_idle_minutes' | 'session_max_hours'>
}

type Row = NonNullable<Awaited<ReturnType<typeof findAccountRow>>>

const sessionOf = (row: Row): KnownSession | undefined =>
  row.session_id === null
    ? undefined
    : {
        id: row.session_id,
        kind: row.session_kind!,
        secret_hash: row.secret_hash,
        session_version: row.version_of_session!,
        auth_time: row.auth_time!,
        last_seen_at: row.last_seen_at!,
        expires_at: row.expires_at!,
        idle_minutes: row.idle_minutes,
        isEnded: row.is_ended,
        provider: row.provider_id === null ? null : { id: row.provider_id, sid: row.provider_sid },
      }

export async function findAccount(
  tx: Tx,
  userId: number,
  sessionId: number | null = null,
): Promise<Account | undefined> {
  const row = await findAccountRow(tx, userId, sessionId)
  if (!row) return undefined
  const names = row.roles.map(({ name }) => name)
  const farthestFirst = row.roles.toReversed().map(role => (role.is_system ? grantsOfSystemRole(role.name) : role))
  const held = effectivePermissions([...farthestFirst, row])
  const { permissions, restriction } = permitted(held, row)
  return {
    actor: {
      tenantId: row.tenant_id,
      userId: row.id,
      username: row.username,
      fullName: row.full_name,
      role: names[0]!,
      roles: names,
      isAdmin: isAdminChain(names),
      permissions,
      ...(restriction && { restriction }),
    },
    isActive: row.is_active,
    sessionVersion: row.session_version,
    session: sessionOf(row),
    settings: {
      session_idle_minutes: row.session_idle_minutes ?? defaultSessionSettings.session_idle_minutes,
      session_max_hours: row.session_max_hours ?? defaultSessionSettings.session_max_hours,
    },
  }
}

/** Removes permissions that the account cannot use yet, and gives the reason. */
function permitted(
  held: ReadonlySet<Permission>,
  {
    tenant_id,
    has_totp,
    must_change_password,
    provider_id,
  }: { tenant_id: number; has_totp: boolean; must_change_password: boolean; provider_id: number | null },
) {
  // Whoever came by a provider has not used the temporary password.
  if (must_change_password && provider_id === null)
    return {
      permissions: new Set([everybodys]),
      restriction: messages.temporary_password(),
    }
  // AUTH-07: without a second factor a platform user has no platform permission; a tenant's user never has one.
  const isPlatform = tenant_id === platformTenantId
  const permissions = new Set([...held].filter(each => !each.startsWith('platform.') || (isPlatform && has_totp)))
  return {
    permissions,
    restriction: isPlatform && !has_totp ? messages.platform_second_factor_missing() : undefined,
  }
}

const keptMs = 1000
const maxKept = 10_000
const rememberedMs = 15 * 60 * 1000
const patienceMs = 250

/** The account that is looked for, and the session with it. */
interface Whose {
  tenantId: number
  userId: number
  sessionId: number | null
}
const keyOf = ({ tenantId, userId, sessionId }: Whose) => `${tenantId} ${userId} ${sessionId ?? '-'}`

interface Kept {
  account: Account
  until: number
  /** A session version of a token that the database did not have when the account was read. */
  missing?: number
}
/** Answers whether a decision may rest on this account from memory. */
type Suffices = (kept: Kept) => boolean

/**
 * Keeps accounts for a second, and forgets them at once when this process changes one. A deactivation or another role holds from the
 * next request on, and a second later in every other process.
 */
export class Accounts {
  readonly #database: Database
  /** By account and session, as all of them are. */
  readonly #kept = new Map<string, Kept>()
  /** Only platform users, who are few. */
  readonly #remembered = new Map<string, Kept>()
  /** The running look-up, and the next one for all who asked meanwhile. */
  readonly #looks = new Map<string, { running: Promise<Account | undefined>; next?: Promise<Account | undefined> }>()
  /** The session versions that were read last. */
  readonly #versions = new Map<number, number>()
  #changes = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** If `suffices` rejects the kept account, the database is read, with one look-up at a time for each account. */
  async find(whose: Whose, suffices: Suffices = () => true): Promise<Account | undefined> {
    const kept = this.#kept.get(keyOf(whose))
    if (!kept || kept.until <= performance.now()) return this.#read(whose)
    return suffices(kept) ? kept.account : this.#readInTurn(whose)
  }

  async #read(whose: Whose): Promise<Account | undefined> {
    const until = performance.now() + keptMs
    const changes = this.#changes
    const { tenantId, userId, sessionId } = whose
    const account = await this.#database.transaction({ tenantId, userId: null }, 'read only', tx =>
      findAccount(tx, userId, sessionId),
    )
    if (account) {
      if (this.#versions.size >= maxKept) this.#versions.clear()
      this.#versions.set(userId, Math.max(account.sessionVersion, this.#versions.get(userId) ?? 0))
    }
    // An account that was read during a change may be out of date.
    if (account && changes === this.#changes) {
      if (this.#kept.size >= maxKept) this.#kept.clear()
      this.#kept.set(keyOf(whose), { account, until })
    }
    return account
  }

  /** A look-up that began before this call may have missed the change that the caller's token comes from, so the next one answers. */
  #readInTurn(whose: Whose): Promise<Account | undefined> {
    const key = keyOf(whose)
    const look = this.#looks.get(key)
    if (look) {
      look.next ??= look.running.then(
        () => this.#readInTurn(whose),
        () => this.#readInTurn(whose),
      )
      return look.next
    }
    const running = this.#read(whose).finally(() => this.#looks.delete(key))
    this.#looks.set(key, { running })
    return running
  }

  /** Until the account is read again, a token of this version is refused without a look-up. */
  missed(whose: Whose, version: number) {
    const kept = this.#kept.get(keyOf(whose))
    if (kept && kept.account.sessionVersion < version) kept.missing = version
  }

  /**
   * As `find`, but if the database does not answer within a quarter of a second, the platform's account as it was at most 15 minutes
   * ago: an outage must not lock out the operator who looks for its cause. Only for actions that show no record.
   */
  async recall(whose: Whose, suffices: Suffices = () => true): Promise<Account | undefined> {
    const changes = this.#changes
    const found = this.find(whose, suffices).then(account => {
      if (account && whose.tenantId === platformTenantId && changes === this.#changes)
        this.#remembered.set(keyOf(whose), { account, until: performance.now() + rememberedMs })
      return account
    })
    const remembered = this.#remembered.get(keyOf(whose))
    if (!remembered || remembered.until < performance.now() || !suffices(remembered)) return found
    const account = found.catch(error => {
      if (isDatabaseError(error)) return remembered.account
      throw error
    })
    return within(account, patienceMs, remembered.account)
  }

  /** Whether a token of this version has ended for certain: versions only grow. */
  isPast(userId: number, version: number) {
    return version < (this.#versions.get(userId) ?? 0)
  }

  /** Writes down that the session is used, at most once a minute. Nobody is kept from reading because the database takes no writes. */
  async noteUse({ tenantId, userId }: Whose, session: KnownSession, now: Date) {
    if (now.getTime() - Date.parse(session.last_seen_at) < seenEveryMs) return
    // At once for all who share it in memory.
    session.last_seen_at = now.toISOString()
    await this.#database
      .transaction({ tenantId, userId }, 'read write', tx => noteSeen(tx, session.id, now))
      .catch(error => {
        if (!isDatabaseError(error)) throw error
      })
  }

  /** Called after each commit that changed a user, a role, a session or a tenant. */
  changed() {
    this.#changes += 1
    this.#kept.clear()
    this.#remembered.clear()
  }
}

declare module '#action/definitions.ts' {
  interface Services {
    accounts: Accounts
  }
}

/** The proof that a request brings: a bearer token, or the cookie of a browser. */
type Presented = { authorization: string | undefined } | { cookie: string }

export interface Asking {
  /** Accepts the account from memory if the database does not answer. */
  fromMemory?: boolean
  /** The permission of the action: an account from memory that lacks it is looked up again before it is refused. */
  permission?: Permission
  /** A person asks, and not a page by itself: the session is not idle. */
  isUse?: boolean
}

/** A token or a cookie whose seal is ours. */
interface Credential {
  whose: Whose
  /** Of a token: the session version that it was issued for. */
  version?: number
  isOf(session: KnownSession): boolean
  /** Of a token without a session. */
  claims?: { auth_time: number; exp: number }
}

/** Whether the credential is good at this moment, by what is known of the account. */
function stateOf({ whose, version, isOf }: Credential, account: Account, now: Date): 'live' | 'ended' | 'idle' {
  const { isActive, session, sessionVersion, settings } = account
  if (!isActive || (version ?? sessionVersion) !== sessionVersion) return 'ended'
  if (whose.sessionId === null) return 'live'
  if (!session || session.isEnded || session.session_version !== sessionVersion || !isOf(session)) return 'ended'
  const life = lifeOf(endsOf(session, settings), now)
  return life === 'over' ? 'ended' : life
}

const moment = (ms: number) => new Date(ms).toISOString()

/** Of the session, or of a token of before there were sessions. */
function signedInBy(
  { session, settings }: Account,
  { claims }: Credential,
): { authTime: number; session: ActorSession } {
  if (!session)
    return {
      authTime: claims!.auth_time,
      session: { id: null, kind: 'token', idleEndsAt: null, endsAt: moment(claims!.exp * 1000), provider: null },
    }
  const { ends_at, idle_ends_at } = endsOf(session, settings)
  const idleEndsAt = idle_ends_at === null ? null : moment(idle_ends_at)
  return {
    authTime: Math.floor(Date.parse(session.auth_time) / 1000),
    session: { id: session.id, kind: session.kind, idleEndsAt, endsAt: moment(ends_at), provider: session.provider },
  }
}

/**
 * AUTH-04, AUTH-05: the actor of a bearer token or of a browser's cookie, or a 401 that says no more than that a session was idle for too
 * long. A cookie costs what a token does: its session is read with the account.
 *
 * Another process may have changed the account a moment ago. A grant may rest on memory, a refusal may not: a token newer than the
 * account in memory, a permission that it lacks, and a session that seems idle, are looked up again.
 */
export function authenticator(accounts: Accounts, keys: DerivedKeys, clock: Clock) {
  const read = tokenReader(keys.jwt)

  function ofCookie(text: string): Credential {
    const cookie = openSessionCookie(keys.sessions, text)
    if (!cookie) throw unauthorized(accountMessages.session_ended_login_again(), 'error="invalid_token"')
    return {
      whose: cookie,
      isOf: ({ secret_hash }) => secret_hash !== null && isSessionSecret(keys.sessions, cookie, secret_hash),
    }
  }

  async function ofToken(authorization: string | undefined): Promise<Credential> {
    const token = /^bearer ([^\s,]+)$/i.exec(authorization ?? '')?.[1]
    if (!token) throw unauthorized()
    const { sub, tid = platformTenantId, sid = null, ver, auth_time, exp } = await read(token, clock.now())
    return {
      whose: { tenantId: tid, userId: Number(sub), sessionId: sid },
      version: ver,
      claims: { auth_time, exp },
      // After a restore the id may be that of another session.
      isOf: session => session.kind === 'token' && Date.parse(session.auth_time) === auth_time * 1000,
    }
  }

  return async function authenticate(
    by: Presented,
    { fromMemory = false, permission, isUse = false }: Asking = {},
  ): Promise<Actor> {
    const credential = 'cookie' in by ? ofCookie(by.cookie) : await ofToken(by.authorization)
    const { whose, version } = credential
    const refused = () =>
      'cookie' in by
        ? unauthorized(accountMessages.session_ended_login_again(), 'error="invalid_token"')
        : unauthorized(accountMessages.token_no_longer_valid(), 'error="invalid_token"')
    if (version !== undefined && accounts.isPast(whose.userId, version)) throw refused()
    const suffices = ({ account, missing }: Kept) => {
      // Versions only grow: an older token stays refused, whatever has changed since.
      if (version !== undefined && version !== account.sessionVersion)
        return version < account.sessionVersion || version === missing
      const state = stateOf(credential, account, clock.now())
      return (
        state === 'ended' ||
        (state === 'live' && (permission === undefined || account.actor.permissions.has(permission)))
      )
    }
    const account = await (fromMemory ? accounts.recall(whose, suffices) : accounts.find(whose, suffices))
    if (account && version !== undefined && account.sessionVersion < version) accounts.missed(whose, version)
    const state = account ? stateOf(credential, account, clock.now()) : 'ended'
    if (!account || state === 'ended') throw refused()
    if (state === 'idle') throw unauthorized(accountMessages.session_idle(), 'error="session_idle"')
    if (isUse && account.session) await accounts.noteUse(whose, account.session, clock.now())
    return { ...account.actor, ...signedInBy(account, credential) }
  }
}
