import type { Actor, ActorSession } from '#action'
import { messages } from '#action/messages.ts'
import { type Permission, permissions } from '#kernel/catalogue.ts'
import type { Clock } from '#kernel/clock.ts'
import { type AuditedRefusal, unauthorized } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { keyStateOf, noteKeyUsed, usedEveryMs, within as withinNetworks } from '#modules/api-keys'
import { effectivePermissions, everybodys, grantsOfSystemRole, isAdminChain, withoutPersonal } from '#modules/roles'
import {
  defaultSessionSettings,
  endsOf,
  type Lasting,
  lifeOf,
  noteSeen,
  type SessionSettings,
  seenEveryMs,
} from '#modules/sessions'
import { isApiSecret, looksLikeApiKey, nameOfApiKey, readApiKey } from '#platform/crypto/api-key.ts'
import { tokenReader } from '#platform/crypto/jwt.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import { isSessionSecret, openSessionCookie } from '#platform/crypto/session-secret.ts'
import { type Database, isDatabaseError, type Tx } from '#platform/db/database.ts'
import type { Ending } from '#platform/files/media-type.ts'
import { Limit } from '#platform/limit.ts'
import { within } from '#platform/within.ts'
import { messages as accountMessages, reasons } from './messages.ts'
import { findAccountRow, findKeyAccountRow, findUploadTypes } from './queries.ts'
import { usualRequestsPerSecond } from './rules.ts'

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
  amr: readonly string[]
  isEnded: boolean
  provider: ActorSession['provider']
}

/** An API key as the database has it. */
export interface KnownKey {
  id: number
  name: string
  secret_hash: Buffer
  isGoodFrom(address: string): boolean
  expires_at: string
  revoked_at: string | null
  last_used_at: string | null
}

/** The facts about a user and a session that a token does not hold, because they can change while it is valid. */
export interface Account {
  actor: Omit<Actor, 'authTime'>
  isActive: boolean
  sessionVersion: number
  /** Undefined if it is not the account's, or none was asked for. */
  session: KnownSession | undefined
  /** Of a service account, which has no session. */
  key?: KnownKey
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
        amr: row.amr!,
        auth_time: row.auth_time!,
        last_seen_at: row.last_seen_at!,
        expires_at: row.expires_at!,
        idle_minutes: row.idle_minutes,
        isEnded: row.is_ended,
        provider: row.provider_id === null ? null : { id: row.provider_id, sid: row.provider_sid },
      }

/** By the roles and by the single grants of the account. */
function heldBy(row: Pick<Row, 'roles' | 'granted' | 'denied'>) {
  const farthestFirst = row.roles.toReversed().map(role => (role.is_system ? grantsOfSystemRole(role.name) : role))
  return effectivePermissions([...farthestFirst, row])
}

/** The user as one on whose behalf work goes on, also where their account is closed by now. */
export const actorOfUser = async (tx: Tx, userId: number): Promise<Actor | undefined> => {
  const account = await findAccount(tx, userId)
  return account && { ...account.actor, authTime: 0 }
}

export async function findAccount(
  tx: Tx,
  userId: number,
  sessionId: number | null = null,
): Promise<Account | undefined> {
  const row = await findAccountRow(tx, userId, sessionId)
  if (!row) return undefined
  const names = row.roles.map(({ name }) => name)
  const session = sessionOf(row)
  // A passkey is two factors by itself, in the session that it began. What a provider calls its methods says nothing of ours.
  const has_second_factor = row.has_totp || (session?.provider === null && session.amr.includes('user'))
  const { permissions, restriction } = permitted(heldBy(row), { ...row, has_second_factor })
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
    session,
    settings: {
      session_idle_minutes: row.session_idle_minutes ?? defaultSessionSettings.session_idle_minutes,
      session_max_hours: row.session_max_hours ?? defaultSessionSettings.session_max_hours,
    },
  }
}

/** The service account of a key, with what both of them allow. */
async function findKeyAccount(tx: Tx, keyId: number): Promise<Account | undefined> {
  const row = await findKeyAccountRow(tx, keyId)
  if (!row) return undefined
  const names = row.roles.map(({ name }) => name)
  const held = withoutPersonal(heldBy(row))
  const { key_id: id, key_name: name, secret_hash, networks, expires_at, revoked_at, last_used_at } = row
  return {
    actor: {
      tenantId: row.tenant_id,
      userId: row.id,
      username: row.username,
      fullName: row.full_name,
      role: names[0]!,
      roles: names,
      isAdmin: false,
      permissions: new Set(row.key_permissions.filter(each => held.has(each as Permission)) as Permission[]),
      apiKey: {
        ...{ id, owner_id: row.owner_id! },
        requests_per_second: row.requests_per_second ?? usualRequestsPerSecond,
      },
    },
    isActive: row.is_active,
    sessionVersion: 0,
    session: undefined,
    key: { id, name, secret_hash, isGoodFrom: withinNetworks(networks), expires_at, revoked_at, last_used_at },
    settings: defaultSessionSettings,
  }
}

/** Removes permissions that the account cannot use yet, and gives the reason. */
function permitted(
  held: ReadonlySet<Permission>,
  {
    tenant_id,
    has_second_factor,
    must_change_password,
    provider_id,
  }: { tenant_id: number; has_second_factor: boolean; must_change_password: boolean; provider_id: number | null },
) {
  // Whoever came by a provider has not used the temporary password.
  if (must_change_password && provider_id === null)
    return {
      permissions: new Set([everybodys]),
      restriction: messages.temporary_password(),
    }
  // AUTH-07: without a second factor a platform user has no platform permission; a tenant's user never has one.
  const isPlatform = tenant_id === platformTenantId
  const permissions = new Set(
    [...held].filter(each => !each.startsWith('platform.') || (isPlatform && has_second_factor)),
  )
  return {
    permissions,
    restriction: isPlatform && !has_second_factor ? messages.platform_second_factor_missing() : undefined,
  }
}

const keptMs = 1000
const maxKept = 10_000
const rememberedMs = 15 * 60 * 1000
const patienceMs = 250

/** The account that is looked for, and the session with it. */
interface WhoseSession {
  tenantId: number
  userId: number
  sessionId: number | null
}
/** The service account is that of the key. */
interface WhoseKey {
  tenantId: number
  keyId: number
}
type Whose = WhoseSession | WhoseKey
const keyOf = (whose: Whose) =>
  'keyId' in whose
    ? `${whose.tenantId} key ${whose.keyId}`
    : `${whose.tenantId} ${whose.userId} ${whose.sessionId ?? '-'}`

interface Kept {
  account: Account
  until: number
  /** A session version of a token that the database did not have when the account was read. */
  missing?: number
}
/** Answers whether a decision may rest on this account from memory. */
type Suffices = (kept: Kept) => boolean

/**
 * Keeps accounts, and the types of files that tenants accept, for a second, and forgets them at once when this process changes one. A
 * deactivation or another role holds from the next request on, and a second later in every other process.
 */
export class Accounts {
  readonly #database: Database
  /** By account and session, as all of them are. */
  readonly #kept = new Map<string, Kept>()
  /** Only platform users, who are few. */
  readonly #remembered = new Map<string, Kept>()
  readonly #uploadTypes = new Map<number, { types: readonly Ending[]; until: number }>()
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
    const { tenantId } = whose
    const account = await this.#database.transaction({ tenantId, userId: null }, 'read only', tx =>
      'keyId' in whose ? findKeyAccount(tx, whose.keyId) : findAccount(tx, whose.userId, whose.sessionId),
    )
    if (account && 'userId' in whose) {
      const { userId } = whose
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

  /** The endings of files that the tenant accepts, kept as its accounts are. */
  async uploadTypes(tenantId: number): Promise<readonly Ending[]> {
    const kept = this.#uploadTypes.get(tenantId)
    const now = performance.now()
    if (kept && kept.until > now) return kept.types
    const changes = this.#changes
    const types = await this.#database.transaction({ tenantId, userId: null }, 'read only', findUploadTypes)
    if (changes === this.#changes) {
      if (this.#uploadTypes.size >= maxKept) this.#uploadTypes.clear()
      this.#uploadTypes.set(tenantId, { types, until: now + keptMs })
    }
    return types
  }

  /** Whether a token of this version has ended for certain: versions only grow. */
  isPast(userId: number, version: number) {
    return version < (this.#versions.get(userId) ?? 0)
  }

  /** Writes down that the session is used, at most once a minute. Nobody is kept from reading because the database takes no writes. */
  async noteUse({ tenantId, userId }: WhoseSession, session: KnownSession, now: Date) {
    if (now.getTime() - Date.parse(session.last_seen_at) < seenEveryMs) return
    // At once for all who share it in memory.
    session.last_seen_at = now.toISOString()
    await this.#writeUse({ tenantId, userId }, tx => noteSeen(tx, session.id, now))
  }

  /** The same of a key, with the address that it came from. */
  async noteKeyUse(
    { tenantId, userId }: Pick<Actor, 'tenantId' | 'userId'>,
    key: KnownKey,
    address: string,
    now: Date,
  ) {
    if (key.last_used_at !== null && now.getTime() - Date.parse(key.last_used_at) < usedEveryMs) return
    key.last_used_at = now.toISOString()
    await this.#writeUse({ tenantId, userId }, tx => noteKeyUsed(tx, key.id, { at: now, address }))
  }

  async #writeUse(binding: Pick<Actor, 'tenantId' | 'userId'>, write: (tx: Tx) => Promise<unknown>) {
    await this.#database.transaction(binding, 'read write', write).catch(error => {
      if (!isDatabaseError(error)) throw error
    })
  }

  /** Called after each commit that changed a user, a role, a session or a tenant. */
  changed() {
    this.#changes += 1
    this.#kept.clear()
    this.#remembered.clear()
    this.#uploadTypes.clear()
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
  /** Of the client; a key may be good from some networks alone. */
  address?: string
  /** Writes the entry of a key that is known and refused. */
  auditRefusedKey?(actor: Actor, entry: AuditedRefusal): Promise<void>
}

/** A token or a cookie whose seal is ours. */
interface Credential {
  whose: WhoseSession
  /** Of a token: the session version that it was issued for. */
  version?: number
  isOf(session: KnownSession): boolean
  /** Of a token without a session. */
  claims?: { auth_time: number; exp: number; amr: readonly string[] }
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

/** Why the key of the account is refused at this moment. */
function flawOf({ isActive, key }: Account, address: string, now: Date): Message | undefined {
  const state = keyStateOf(key!, now)
  if (state === 'revoked') return reasons.reason_key_revoked()
  if (state === 'expired') return reasons.reason_key_expired()
  if (!isActive) return reasons.reason_key_account_inactive()
  return key!.isGoodFrom(address) ? undefined : reasons.reason_key_network({ address })
}

const bearerOf = (authorization = '') => /^bearer ([^\s,]+)$/i.exec(authorization)?.[1]

const moment = (ms: number) => new Date(ms).toISOString()

/** Of the session, or of a token of before there were sessions. */
function signedInBy(
  { session, settings }: Account,
  { claims }: Credential,
): { authTime: number; session: ActorSession } {
  if (!session)
    return {
      authTime: claims!.auth_time,
      session: {
        ...{ id: null, kind: 'token', idleEndsAt: null, endsAt: moment(claims!.exp * 1000) },
        ...{ amr: claims!.amr, provider: null },
      },
    }
  const { ends_at, idle_ends_at } = endsOf(session, settings)
  const idleEndsAt = idle_ends_at === null ? null : moment(idle_ends_at)
  return {
    authTime: Math.floor(Date.parse(session.auth_time) / 1000),
    session: {
      ...{ id: session.id, kind: session.kind, idleEndsAt, endsAt: moment(ends_at) },
      ...{ amr: session.amr, provider: session.provider },
    },
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
    const token = bearerOf(authorization)
    if (!token) throw unauthorized()
    const { sub, tid = platformTenantId, sid = null, ver, auth_time, exp, amr } = await read(token, clock.now())
    return {
      whose: { tenantId: tid, userId: Number(sub), sessionId: sid },
      version: ver,
      claims: { auth_time, exp, amr },
      // After a restore the id may be that of another session.
      isOf: session => session.kind === 'token' && Date.parse(session.auth_time) === auth_time * 1000,
    }
  }

  /** A machine that goes on with a refused key would fill the audit trail: one entry an hour for each key and reason. */
  const refusedKeys = new Limit({ most: 1, window_ms: 60 * 60 * 1000 })

  /** KEY-01: the service account of a key. Whether a key is known at all is not answered, and a mistyped one costs no look-up. */
  async function ofKey(
    text: string,
    { permission, isUse = false, address = '', auditRefusedKey }: Asking,
  ): Promise<Actor> {
    const refused = () => unauthorized(accountMessages.api_key_not_accepted(), 'error="invalid_token"')
    const asked = readApiKey(text)
    if (!asked) throw refused()
    const whose = { tenantId: asked.tenantId, keyId: asked.keyId }
    const isIts = ({ actor, key }: Account) =>
      isApiSecret({ tenantId: actor.tenantId, userId: actor.userId! }, asked.secret, key!.secret_hash)
    // Nothing brings a key back: only a permission that is missing may have been given a moment ago.
    const account = await accounts.find(
      whose,
      ({ account }) =>
        !isIts(account) ||
        flawOf(account, address, clock.now()) !== undefined ||
        permission === undefined ||
        account.actor.permissions.has(permission),
    )
    if (!account || !isIts(account)) throw refused()
    const actor: Actor = { ...account.actor, authTime: 0 }
    const flaw = flawOf(account, address, clock.now())
    if (flaw) {
      if (auditRefusedKey && refusedKeys.count(`${keyOf(whose)} ${flaw.code}`, clock.now()))
        await auditRefusedKey(actor, {
          event: 'auth.key_refused',
          outcome: 'denied',
          id: actor.userId,
          reason: flaw.text,
          after: { api_key: nameOfApiKey(whose), name: account.key!.name },
        })
      throw refused()
    }
    if (isUse) await accounts.noteKeyUse(actor, account.key!, address, clock.now())
    return actor
  }

  return async function authenticate(by: Presented, asking: Asking = {}): Promise<Actor> {
    const { fromMemory = false, permission, isUse = false } = asking
    const key = 'cookie' in by ? undefined : bearerOf(by.authorization)
    if (key !== undefined && looksLikeApiKey(key)) return ofKey(key, asking)
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
