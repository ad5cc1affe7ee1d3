import type { ServerMetadata } from 'openid-client'
import { Type } from 'typebox'
import { type ActionContext, type Actor, command, type PrepareContext, query, type Services } from '#action'
import { withLogin } from '#action/cookie-answer.ts'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalidField, notFound, permissionRequired } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { hasSigners, listAdmins, readSettings } from '#modules/accounts'
import { effectivePermissions, linksOf, lockGrants, readRoles, refuseUnheld } from '#modules/roles'
import { sealText } from '#platform/crypto/sealed-text.ts'
import type { Tx } from '#platform/db/database.ts'
import { isGenuine, isSsoRequired, publicUrl, recorded, sealSettings, secretPlace, shown } from './access.ts'
import { beginAttempt } from './attempts.ts'
import { makeClientKey } from './client-key.ts'
import { messages, reasons } from './messages.ts'
import { ProviderFailed, ProviderUnusable, readMetadata } from './oidc.ts'
import {
  completeProvider,
  deleteIdentity,
  findProvider,
  hasOtherActiveProvider,
  insertProvider,
  isClientTaken,
  isSlugTaken,
  listIdentitiesOfProvider,
  listProviders,
  lockProvider,
  type ProviderRow,
  updateProvider,
} from './queries.ts'
import { defaultClaims, defaultScopes } from './rules.ts'
import { ChangeReason, Metadata, Provider, ProviderCreate, ProviderUpdate, Started, TestStart } from './schema.ts'

const permission = 'sso.manage'

export async function requireProvider(tx: Tx, id: number): Promise<ProviderRow> {
  const provider = await findProvider(tx, id)
  if (!provider) throw notFound('Provider')
  return provider
}

/** Locks the provider until the end of the transaction, or throws the 404 or 409. */
async function lockedProvider(context: ActionContext<unknown>, id: number): Promise<ProviderRow> {
  if (!(await lockProvider(context.tx, id))) throw notFound('Provider')
  const provider = await requireProvider(context.tx, id)
  await refuseStale(context, 'identity_provider', { id, revision: provider.revision })
  return provider
}

/** Another change of an altered provider would seal the alteration with it. */
export async function lockedGenuineProvider(context: ActionContext<unknown>, id: number): Promise<ProviderRow> {
  const provider = await lockedProvider(context, id)
  if (!isGenuine(context.services, provider)) throw conflict(messages.identity_provider_altered())
  return provider
}

/** Whoever decides which role people get by a provider gives roles. */
export async function requireRoleGiver({ tx, actor }: { tx: Tx; actor: Actor }, roleIds: readonly number[]) {
  if (roleIds.length === 0) return
  if (!actor.permissions.has('roles.assign')) throw permissionRequired('roles.assign')
  const roles = await readRoles(tx)
  for (const id of new Set(roleIds)) {
    if (!roles.has(id)) throw notFound('Role')
    refuseUnheld(actor, new Set(), effectivePermissions(linksOf(roles, id)))
  }
}

const usualTokenAuth = 'client_secret_basic'

const metadataOf = async ({ outbound }: Pick<Services, 'outbound'>, issuer: string) =>
  readMetadata(outbound, issuer).catch(error => {
    throw error instanceof ProviderUnusable ? invalidField('issuer', error.reason) : error
  })

/** The secret that is stored, which is a key of our own making with `private_key_jwt`. */
function newSecret(token_auth: Provider['token_auth'], entered: string | undefined): string {
  if (token_auth === 'private_key_jwt') {
    if (entered !== undefined) throw invalidField('client_secret', messages.identity_provider_secret_needless())
    return makeClientKey()
  }
  if (entered === undefined) throw invalidField('client_secret', messages.identity_provider_secret_missing())
  return entered
}

/** A provider that says how clients prove themselves, and not by a key, would refuse every log-in. */
function requireTaken({ token_endpoint_auth_methods_supported: taken }: ServerMetadata, token_auth: string) {
  if (token_auth === 'private_key_jwt' && Array.isArray(taken) && !taken.includes(token_auth))
    throw invalidField('token_auth', messages.identity_provider_key_not_taken())
}

function requireOpenId(scopes: readonly string[] | undefined) {
  if (scopes && !scopes.includes('openid')) throw invalidField('scopes', messages.identity_provider_scope_missing())
}

export const list = query({
  summary: 'List the providers for single sign-on',
  permission,
  input: {},
  response: Type.Array(Provider),
  run: async ({ tx, services }) => (await listProviders(tx)).map(each => shown(services, each)),
})

export const details = query({
  summary: 'Read a provider for single sign-on',
  permission,
  input: { params: IdParams },
  response: Provider,
  run: async ({ tx, services }, { params: { id } }) => shown(services, await requireProvider(tx, id)),
})

const admins = 'Every Admin is told: whoever controls a provider can log in as the people who are linked to it.'

export const create = command({
  summary: 'Add a provider for single sign-on',
  description: `An OpenID Connect provider, whose metadata is read before it is stored. Without \`is_active\` nobody logs in by it yet. ${admins}`,
  permission,
  input: { body: ProviderCreate },
  response: Provider,
  async prepare({ actor, services, read }, { body }) {
    // Before the network is asked.
    await read(tx => requireRoleGiver({ tx, actor }, body.default_role_id ? [body.default_role_id] : []))
    publicUrl(services)
    requireOpenId(body.scopes)
    newSecret(body.token_auth ?? usualTokenAuth, body.client_secret)
    requireTaken(await metadataOf(services, body.issuer), body.token_auth ?? usualTokenAuth)
  },
  async run(context, { body }) {
    const { tx, actor, services, record } = context
    const { client_secret, token_auth = usualTokenAuth, ...others } = body
    const { is_active = false, claims, scopes = defaultScopes, ...rest } = others
    // Nobody deletes the role meanwhile.
    await lockGrants(tx)
    await requireRoleGiver(context, rest.default_role_id ? [rest.default_role_id] : [])
    if (await isSlugTaken(tx, rest.slug)) throw conflict(messages.identity_provider_slug_taken({ slug: rest.slug }))
    if (await isClientTaken(tx, { ...rest, except: 0 })) throw conflict(messages.identity_provider_client_taken())
    const { id } = await insertProvider(tx, {
      ...{ token_auth, subject_claim: 'sub', provisioning: 'linked', roles_from: 'service' },
      ...{ default_role_id: null, provider_mfa_values: [], ...rest, scopes },
      claims: JSON.stringify({ ...defaultClaims, ...claims }),
    })
    const place = secretPlace({ ...rest, token_auth, tenant_id: actor.tenantId, id })
    const secret = newSecret(token_auth, client_secret)
    await completeProvider(tx, id, { client_secret: sealText(services.keys.secrets, place, secret), is_active })
    await sealSettings(context, id)
    const provider = await requireProvider(tx, id)
    record('identity_provider.created', id, {
      number: provider.name,
      after: recorded(provider),
      notify: await listAdmins(tx),
    })
    return shown(services, provider)
  },
})

/** Sees whether the issuer or the client of the stored provider changes. */
const isOther = (
  { issuer, client_id }: Pick<ProviderRow, 'issuer' | 'client_id'>,
  change: Pick<ProviderUpdate, 'issuer' | 'client_id'>,
) => (change.issuer ?? issuer) !== issuer || (change.client_id ?? client_id) !== client_id

/** The secret to be stored from now on; undefined if the one that is there stays. */
function changedSecret(
  before: ProviderRow,
  {
    client_secret,
    new_client_key,
    ...change
  }: Pick<ProviderUpdate, 'issuer' | 'client_id' | 'token_auth' | 'client_secret' | 'new_client_key'>,
): string | undefined {
  const token_auth = change.token_auth ?? before.token_auth
  if (new_client_key && token_auth !== 'private_key_jwt')
    throw invalidField('new_client_key', messages.identity_provider_key_not_used())
  const isOtherKind = (token_auth === 'private_key_jwt') !== (before.token_auth === 'private_key_jwt')
  return isOther(before, change) || isOtherKind || new_client_key || client_secret !== undefined
    ? newSecret(token_auth, client_secret)
    : undefined
}

export const update = command({
  summary: 'Change a provider for single sign-on',
  description: `Fields that are left out stay as they are. Another issuer or client needs its secret (with \`private_key_jwt\` it gets a new key), and takes all links to the provider away, and \`may_sign\` too: its subjects are other people's. ${admins}`,
  permission,
  input: { params: IdParams, body: ProviderUpdate },
  response: Provider,
  async prepare({ actor, services, read }, { params: { id }, body }) {
    const provider = await read(tx => requireProvider(tx, id))
    // Before the network is asked.
    await read(tx => requireRoleGiver({ tx, actor }, body.default_role_id ? [body.default_role_id] : []))
    requireOpenId(body.scopes)
    changedSecret(provider, body)
    const { issuer = provider.issuer, token_auth = provider.token_auth } = body
    if (isOther(provider, body) || token_auth !== provider.token_auth)
      requireTaken(await metadataOf(services, issuer), token_auth)
  },
  async run(context, { params: { id }, body }) {
    const { tx, services, record } = context
    const { revision: _revision, change_reason: reason = null, ...fields } = body
    const { client_secret: _secret, new_client_key: _key, claims, ...change } = fields
    // Before the provider, as where single sign-on begins to be required.
    await lockGrants(tx)
    const before = await lockedGenuineProvider(context, id)
    await requireRoleGiver(context, change.default_role_id ? [change.default_role_id] : [])
    const isOtherClient = isOther(before, change)
    const secret = changedSecret(before, fields)
    const now = { ...before, ...change }
    if (isOtherClient && (await isClientTaken(tx, { ...now, except: id })))
      throw conflict(messages.identity_provider_client_taken())
    if (before.is_active && change.is_active === false && (await isSsoRequired(tx)))
      if (!(await hasOtherActiveProvider(tx, id))) throw conflict(messages.identity_provider_needed())
    if (change.may_sign === true && (before.signing_tested_at === null || isOtherClient))
      throw conflict(messages.identity_provider_signing_untested())
    await updateProvider(tx, id, {
      ...change,
      ...(isOtherClient && { signing_tested_at: null, may_sign: false }),
      ...(claims && { claims: JSON.stringify({ ...before.claims, ...claims }) }),
      ...(secret !== undefined && { client_secret: sealText(services.keys.secrets, secretPlace(now), secret) }),
    })
    if (isOtherClient) await unlinkAll(context, before)
    await sealSettings(context, id)
    const provider = await requireProvider(tx, id)
    if (isSigning(before) && !isSigning(provider)) await requireSignersWithout(tx)
    record('identity_provider.updated', id, {
      number: provider.name,
      before: recorded(before),
      after: { ...recorded(provider), secret_changed: secret !== undefined },
      reason,
      notify: await listAdmins(tx),
    })
    return shown(services, provider)
  },
})

const isSigning = ({ is_active, may_sign }: Pick<ProviderRow, 'is_active' | 'may_sign'>) => is_active && may_sign

/** The settings cannot change meanwhile: they are written under the lock of `lockGrants` too. */
async function requireSignersWithout(tx: Tx) {
  const settings = await readSettings(tx)
  if (!(await hasSigners(tx, settings)))
    throw conflict(messages.identity_provider_signs_alone({ methods: settings.signature_methods }))
}

export const confirmSettings = command({
  summary: 'Confirm the settings of a provider that were changed past the service',
  description: `Compare them with the audit trail first. Afterwards the provider is switched off and may not sign: correct it, try it, and switch it on. Needs \`roles.assign\` too where the provider gives roles, and each permission of them. ${admins}`,
  permission,
  input: { params: IdParams, body: ChangeReason },
  response: Provider,
  async run(context, { params: { id }, body: { change_reason: reason = null } }) {
    const { tx, services, record } = context
    await lockGrants(tx)
    const before = await lockedProvider(context, id)
    if (isGenuine(services, before)) throw conflict(messages.identity_provider_not_altered())
    await requireRoleGiver(
      context,
      [before.default_role_id, ...before.mappings.map(({ role_id }) => role_id)].filter(role => role !== null),
    )
    // What an insider admitted is tried again. Nobody is left without a way in or to sign by it: an altered provider has been none.
    await updateProvider(tx, id, { is_active: false, may_sign: false, signing_tested_at: null })
    await sealSettings(context, id)
    const provider = await requireProvider(tx, id)
    record('identity_provider.settings_confirmed', id, {
      number: provider.name,
      before: recorded(before),
      after: recorded(provider),
      reason,
      notify: await listAdmins(tx),
    })
    return shown(services, provider)
  },
})

/** A subject of another issuer may be anybody. */
async function unlinkAll({ tx, record }: ActionContext<unknown>, { id, name }: ProviderRow) {
  for (const { id: identity, user_id, subject } of await listIdentitiesOfProvider(tx, id)) {
    await deleteIdentity(tx, identity)
    record('user.identity_unlinked', user_id, {
      before: { provider: name, subject },
      reason: reasons.reason_issuer_changed({ provider: name }).text,
      notify: [user_id],
    })
  }
}

export const read = query({
  summary: 'Read the metadata of a provider',
  description: 'As the provider answers now: whether the service reaches it, and what it offers.',
  permission,
  input: { params: IdParams },
  response: Metadata,
  async prepare({ services, read }, { params: { id } }) {
    const { issuer } = await read(tx => requireProvider(tx, id))
    return metadataOf(services, issuer)
  },
  async run({ prepared }) {
    return {
      issuer: prepared.issuer,
      authorization_endpoint: String(prepared.authorization_endpoint),
      pushed_requests: prepared.pushed_authorization_request_endpoint !== undefined,
      algorithms: prepared.id_token_signing_alg_values_supported ?? [],
      end_session: prepared.end_session_endpoint !== undefined,
      back_channel_logout: prepared.backchannel_logout_supported === true,
    }
  },
})

/** The address of the provider for the caller's own browser, or the refusal that says what is wrong with the provider. */
export async function beginFor(
  { services, actor }: Pick<PrepareContext, 'services' | 'actor'>,
  provider: ProviderRow,
  how: Omit<Parameters<typeof beginAttempt>[1], 'provider' | 'userId'>,
) {
  publicUrl(services)
  const begun = await beginAttempt(services, { provider, userId: actor.userId, ...how }).catch(error => {
    if (!(error instanceof ProviderFailed)) throw error
    throw error instanceof ProviderUnusable
      ? conflict(error.reason)
      : conflict(messages.identity_provider_unreachable({ failure: error.message }))
  })
  return begun
}

export const test = command({
  summary: 'Try a provider by a log-in that lets nobody in',
  description:
    'The browser that got the answer opens `start`, logs in at the provider, and comes back to `return_to` with `single_sign_on=tested`, or with the reason. What the provider sent is in the audit trail, by the names of the claims.',
  permission,
  // The result is recorded when the browser comes back.
  mayRecordNothing: true,
  input: { params: IdParams, body: TestStart },
  response: Started,
  async prepare(context, { params: { id }, body }) {
    const provider = await context.read(tx => requireProvider(tx, id))
    return beginFor(context, provider, { kind: 'test', returnTo: body.return_to })
  },
  run: async ({ prepared: { location, cookie } }) => withLogin({ start: location }, cookie),
})

export const testSigning = command({
  summary: 'Try whether people can sign by a provider',
  description:
    'As `test`, in two rounds: the provider is asked for a new log-in, and then, by itself, for none, which has to be recognised by what it says of the moment of the log-in (`auth_time`). The browser comes back with `single_sign_on=signing_tested`, or with the reason, and `may_sign` can be set.',
  permission,
  // The result is recorded when the browser comes back.
  mayRecordNothing: true,
  input: { params: IdParams, body: TestStart },
  response: Started,
  async prepare(context, { params: { id }, body }) {
    const provider = await context.read(tx => requireProvider(tx, id))
    return beginFor(context, provider, { kind: 'test_signing', returnTo: body.return_to, isAnew: {} })
  },
  run: async ({ prepared: { location, cookie } }) => withLogin({ start: location }, cookie),
})
