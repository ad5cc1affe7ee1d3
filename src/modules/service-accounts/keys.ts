import { Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { conflict, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { listAdmins } from '#modules/accounts'
import {
  countLiveKeys,
  endKeyAt,
  findKey,
  insertKey,
  type KeyRow,
  keyStateOf,
  listKeys,
  lockKey,
  maxLifetimeDays,
  maxLiveKeys,
  networkOf,
  noticeDueAt,
  revokeKey,
} from '#modules/api-keys'
import { refuseUnheld } from '#modules/roles'
import { hashOfApiSecret, nameOfApiKey, newApiSecret, textOfApiKey } from '#platform/crypto/api-key.ts'
import { lockedServiceAccount, managing, readServiceAccount, refusePersonal, requireOwnHand } from './actions.ts'
import { messages, reasons } from './messages.ts'
import { ApiKey, IssuedKey, KeyCreate, KeyParams, KeyRotation, type ServiceAccount } from './schema.ts'

const dayMs = 24 * 60 * 60 * 1000
const hourMs = 60 * 60 * 1000

const shown = (tenantId: number, { user_id: _, ...key }: KeyRow, now: Date): ApiKey => ({
  ...key,
  prefix: nameOfApiKey({ tenantId, keyId: key.id }),
  status: keyStateOf(key, now),
})

interface KeyToIssue {
  name: string
  permissions: readonly string[]
  networks: readonly string[]
  expires_at: Date
  replaces_id: number | null
}

/** A key gives what the caller holds, and nothing that the account does not. */
function requirePermissions(
  { actor }: ActionContext<unknown>,
  account: ServiceAccount,
  permissions: readonly string[],
) {
  refusePersonal(permissions)
  refuseUnheld(actor, new Set(), new Set(permissions as Permission[]))
  const missing = permissions.filter(each => !account.permissions.includes(each)).sort()
  if (missing.length > 0) throw forbidden(messages.api_key_permission_not_of_account({ permissions: missing }))
}

async function issue(context: ActionContext<unknown>, account: ServiceAccount, key: KeyToIssue) {
  const { tx, actor, services } = context
  const now = services.clock.now()
  requirePermissions(context, account, key.permissions)
  // A rotation is not refused: it is how a key comes to its end.
  if (key.replaces_id === null && (await countLiveKeys(tx, account.id, now)) >= maxLiveKeys)
    throw conflict(messages.api_key_limit_reached({ maximum: maxLiveKeys }))
  const of = { tenantId: actor.tenantId, userId: account.id }
  const secret = newApiSecret()
  const { id } = await insertKey(tx, {
    ...{ user_id: account.id, name: key.name, secret_hash: hashOfApiSecret(of, secret) },
    ...{ permissions: [...key.permissions], networks: [...key.networks], replaces_id: key.replaces_id },
    ...{ expires_at: key.expires_at.toISOString(), created_at: now.toISOString(), created_by: actor.userId },
    // Nobody is told at once that a key ends that was made for a few days.
    warned_days: noticeDueAt(key.expires_at.getTime() - now.getTime()) ?? null,
  })
  const made = shown(of.tenantId, (await findKey(tx, { id, userId: account.id }))!, now)
  return { ...made, api_key: textOfApiKey({ tenantId: of.tenantId, keyId: id, secret }) }
}

const recorded = (account: ServiceAccount, { api_key: _, ...key }: ApiKey & { api_key?: string }) => ({
  ...{ service_account: account.username, name: key.name, prefix: key.prefix, permissions: key.permissions },
  ...{ networks: key.networks, expires_at: key.expires_at, replaces_id: key.replaces_id },
})

export const list = query({
  summary: 'List the keys of a service account',
  description: 'All that it ever had, the newest first. The keys themselves are shown nowhere.',
  permission: managing,
  input: { params: IdParams },
  response: Type.Array(ApiKey),
  async run(context, { params: { id } }) {
    const { tx, actor, services } = context
    await readServiceAccount(context, id)
    return (await listKeys(tx, id)).map(key => shown(actor.tenantId, key, services.clock.now()))
  },
})

export const create = command({
  summary: 'Issue a key for a service account',
  description:
    'The answer holds the key, which is shown this once. It does what both the key and the account allow, at each request. Needs a log-in of the last ten minutes.',
  permission: managing,
  input: { params: IdParams, body: KeyCreate },
  response: IssuedKey,
  async run(context, { params: { id }, body: { name, permissions, networks = [], expires_at } }) {
    requireOwnHand(context)
    const { tx, actor, services, record } = context
    const account = await lockedServiceAccount(context, id)
    const invalid = networks.findIndex(each => networkOf(each) === undefined)
    if (invalid >= 0) throw invalidField(`networks.${invalid}`, messages.api_key_network_invalid())
    const [now, end] = [services.clock.now(), new Date(expires_at)]
    if (end <= now) throw invalidField('expires_at', messages.api_key_end_past())
    if (end.getTime() > now.getTime() + maxLifetimeDays * dayMs)
      throw invalidField('expires_at', messages.api_key_end_too_late({ days: maxLifetimeDays }))
    const key = await issue(context, account, { name, permissions, networks, expires_at: end, replaces_id: null })
    record('api_key.created', key.id, {
      after: recorded(account, key),
      notify: [...new Set([account.owner.id, ...(await listAdmins(tx))])].filter(each => each !== actor.userId),
    })
    return key
  },
})

async function lockedKey(context: ActionContext<unknown>, { id, key_id }: { id: number; key_id: number }) {
  const { tx, actor, services } = context
  if (!(await lockKey(tx, { id: key_id, userId: id }))) throw notFound('API key')
  return shown(actor.tenantId, (await findKey(tx, { id: key_id, userId: id }))!, services.clock.now())
}

export const rotate = command({
  summary: 'Rotate a key of a service account',
  description:
    'A new key with the same permissions and networks, for as long as the one before was made for. That one ends after the overlap. Needs a log-in of the last ten minutes.',
  permission: managing,
  input: { params: KeyParams, body: KeyRotation },
  response: IssuedKey,
  async run(context, { params, body: { overlap_hours } }) {
    requireOwnHand(context)
    const { tx, actor, services, record, afterCommit } = context
    const account = await lockedServiceAccount(context, params.id)
    const before = await lockedKey(context, params)
    if (before.status !== 'live') throw conflict(messages.api_key_not_live({ status: before.status }))
    if (before.replaced_by_id !== null) throw conflict(messages.api_key_already_rotated())
    const now = services.clock.now()
    const reason = reasons.reason_key_rotated().text
    if (overlap_hours === 0) await revokeKey(tx, before.id, { at: now, by: actor.userId, reason })
    else await endKeyAt(tx, before.id, new Date(now.getTime() + overlap_hours * hourMs).toISOString())
    // Without what the account has lost since.
    const permissions = before.permissions.filter(each => account.permissions.includes(each))
    if (permissions.length === 0)
      throw forbidden(messages.api_key_permission_not_of_account({ permissions: before.permissions }))
    const lasts_ms = Date.parse(before.expires_at) - Date.parse(before.created_at)
    const key = await issue(context, account, {
      ...{ name: before.name, permissions, networks: before.networks },
      ...{ expires_at: new Date(now.getTime() + lasts_ms), replaces_id: before.id },
    })
    const after = (await findKey(tx, { id: before.id, userId: account.id }))!
    record('api_key.created', key.id, { after: recorded(account, key) })
    record('api_key.rotated', before.id, {
      before: { expires_at: before.expires_at, revoked_at: before.revoked_at },
      after: { expires_at: after.expires_at, revoked_at: after.revoked_at, replaced_by: key.prefix, overlap_hours },
    })
    afterCommit(() => services.accounts.changed())
    return key
  },
})

export const revoke = command({
  summary: 'Revoke a key of a service account',
  description: 'It is refused from the next request on, and by other processes within a second.',
  permission: managing,
  input: { params: KeyParams },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx, actor, services, record, afterCommit } = context
    const account = await readServiceAccount(context, params.id)
    const before = await lockedKey(context, params)
    if (before.status === 'revoked') throw conflict(messages.api_key_already_revoked())
    const reason = reasons.reason_key_revoked_by_admin().text
    await revokeKey(tx, before.id, { at: services.clock.now(), by: actor.userId, reason })
    record('api_key.revoked', before.id, {
      after: { service_account: account.username, name: before.name, prefix: before.prefix },
    })
    afterCommit(() => services.accounts.changed())
    return null
  },
})
