import type { Actor } from '#action'
import { messages } from '#action/messages.ts'
import { type Permission, permissions } from '#kernel/catalogue.ts'
import type { Clock } from '#kernel/clock.ts'
import { unauthorized } from '#kernel/errors.ts'
import { effectivePermissions, everybodys, grantsOfSystemRole, isAdminChain } from '#modules/roles'
import { tokenReader } from '#platform/crypto/jwt.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
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

/** The facts about a user that a token does not hold, because they can change while it is valid. */
export interface Account {
  actor: Omit<Actor, 'authTime'>
  isActive: boolean
  sessionVersion: number
}

export async function findAccount(tx: Tx, userId: number): Promise<Account | undefined> {
  const row = await findAccountRow(tx, userId)
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
  }
}

/** Removes permissions that the account cannot use yet, and gives the reason. */
function permitted(
  held: ReadonlySet<Permission>,
  {
    tenant_id,
    has_totp,
    must_change_password,
  }: { tenant_id: number; has_totp: boolean; must_change_password: boolean },
) {
  if (must_change_password)
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
const rememberedMs = 15 * 60 * 1000
const patienceMs = 250

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
  readonly #kept = new Map<number, Kept>()
  /** Only platform users, who are few. */
  readonly #remembered = new Map<number, Kept>()
  /** By user: the running look-up, and the next one for all who asked meanwhile. */
  readonly #looks = new Map<string, { running: Promise<Account | undefined>; next?: Promise<Account | undefined> }>()
  #changes = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** If `suffices` rejects the kept account, the database is read, with one look-up at a time for each account. */
  async find(tenantId: number, userId: number, suffices: Suffices = () => true): Promise<Account | undefined> {
    const kept = this.#kept.get(userId)
    if (!kept || kept.until <= performance.now() || kept.account.actor.tenantId !== tenantId)
      return this.#read(tenantId, userId)
    return suffices(kept) ? kept.account : this.#readInTurn(tenantId, userId)
  }

  async #read(tenantId: number, userId: number): Promise<Account | undefined> {
    const until = performance.now() + keptMs
    const changes = this.#changes
    const account = await this.#database.transaction({ tenantId, userId: null }, 'read only', tx =>
      findAccount(tx, userId),
    )
    // An account that was read during a change may be out of date.
    if (account && changes === this.#changes) {
      if (this.#kept.size >= 10_000) this.#kept.clear()
      this.#kept.set(userId, { account, until })
    }
    return account
  }

  /** A look-up that began before this call may have missed the change that the caller's token comes from, so the next one answers. */
  #readInTurn(tenantId: number, userId: number): Promise<Account | undefined> {
    const key = `${tenantId} ${userId}`
    const look = this.#looks.get(key)
    if (look) {
      look.next ??= look.running.then(
        () => this.#readInTurn(tenantId, userId),
        () => this.#readInTurn(tenantId, userId),
      )
      return look.next
    }
    const running = this.#read(tenantId, userId).finally(() => this.#looks.delete(key))
    this.#looks.set(key, { running })
    return running
  }

  /** Until the account is read again, a token of this version is refused without a look-up. */
  missed(userId: number, version: number) {
    const kept = this.#kept.get(userId)
    if (kept && kept.account.sessionVersion < version) kept.missing = version
  }

  /**
   * As `find`, but if the database does not answer within a quarter of a second, the platform's account as it was at most 15 minutes
   * ago: an outage must not lock out the operator who looks for its cause. Only for actions that show no record.
   */
  async recall(tenantId: number, userId: number, suffices: Suffices = () => true): Promise<Account | undefined> {
    const changes = this.#changes
    const found = this.find(tenantId, userId, suffices).then(account => {
      if (account && tenantId === platformTenantId && changes === this.#changes)
        this.#remembered.set(userId, { account, until: performance.now() + rememberedMs })
      return account
    })
    const remembered = this.#remembered.get(userId)
    if (
      remembered?.account.actor.tenantId !== tenantId ||
      remembered.until < performance.now() ||
      !suffices(remembered)
    )
      return found
    const account = found.catch(error => {
      if (isDatabaseError(error)) return remembered.account
      throw error
    })
    return within(account, patienceMs, remembered.account)
  }

  /** Called after each commit that changed a user, a role or a tenant. */
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

export interface Asking {
  /** Accepts the account from memory if the database does not answer. */
  fromMemory?: boolean
  /** The permission of the action: an account from memory that lacks it is looked up again before it is refused. */
  permission?: Permission
}

/**
 * AUTH-04, AUTH-05: the actor of a bearer token, or a 401 that does not say what is wrong with it.
 *
 * Another process may have changed the account a moment ago. A grant may rest on memory, a refusal may not: a token newer than the
 * account in memory, and a permission that it lacks, are looked up again.
 */
export function authenticator(accounts: Accounts, keys: DerivedKeys, clock: Clock) {
  const read = tokenReader(keys.jwt)
  return async function authenticate(
    authorization: string | undefined,
    { fromMemory = false, permission }: Asking = {},
  ): Promise<Actor> {
    const token = /^bearer ([^\s,]+)$/i.exec(authorization ?? '')?.[1]
    if (!token) throw unauthorized()
    const claims = await read(token, clock.now())
    const whose = [claims.tid ?? platformTenantId, Number(claims.sub)] as const
    const suffices = ({ account: { sessionVersion, isActive, actor }, missing }: Kept) => {
      // Versions only grow: an older token stays refused, whatever has changed since.
      if (claims.ver !== sessionVersion) return claims.ver < sessionVersion || claims.ver === missing
      return !isActive || permission === undefined || actor.permissions.has(permission)
    }
    const account = await (fromMemory ? accounts.recall(...whose, suffices) : accounts.find(...whose, suffices))
    if (account && account.sessionVersion < claims.ver) accounts.missed(account.actor.userId!, claims.ver)
    if (!account?.isActive || account.sessionVersion !== claims.ver)
      throw unauthorized(accountMessages.token_no_longer_valid(), 'error="invalid_token"')
    return { ...account.actor, authTime: claims.auth_time }
  }
}
