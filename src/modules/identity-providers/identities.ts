import { Type } from 'typebox'
import { type ActionContext, command, query, type Writing } from '#action'
import { withLogin } from '#action/cookie-answer.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { Id, IdParams } from '#kernel/schema.ts'
import {
  findAccount,
  lockUserById,
  openAccount,
  requirePassword,
  requirePasswordOrRecentLogin,
} from '#modules/accounts'
import { lockGrants } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { isGenuine, isSsoRequired } from './access.ts'
import { messages } from './messages.ts'
import { beginFor, requireProvider } from './providers.ts'
import {
  deleteIdentity,
  findIdentity,
  findIdentityBySubject,
  findIdentityOfUser,
  hasOwnLogin,
  type IdentityRow,
  insertIdentity,
  listIdentities,
  type ProviderRow,
  sealLink,
} from './queries.ts'
import { ChangeReason, Identity, IdentityCreate, LinkOwn, Started, UnlinkOwn } from './schema.ts'
import { openIdentitySeal, sealIdentity } from './seals.ts'

/** Whoever logged in so lately is still there. */
const recentMinutes = 10

const shown = ({ id, provider_id, provider_name, subject, linked_at, linked_by }: IdentityRow): Identity => ({
  ...{ id, subject, linked_at, linked_by },
  provider: { id: provider_id, name: provider_name },
})

/** Refuses a subject that is somebody else's, a second one of the user, and a break-glass account. */
export async function link(
  { tx, record, services }: Writing & Pick<ActionContext<unknown>, 'services'>,
  {
    user,
    provider,
    subject,
    now,
    reason = null,
  }: {
    user: { id: number; is_break_glass: boolean }
    provider: ProviderRow
    subject: string
    now: Date
    reason?: string | null
  },
): Promise<number> {
  if (user.is_break_glass) throw conflict(messages.identity_of_break_glass())
  if (await findIdentityBySubject(tx, provider.id, subject)) throw conflict(messages.identity_taken())
  if (await findIdentityOfUser(tx, provider.id, user.id)) throw conflict(messages.identity_user_linked())
  const { id } = await insertIdentity(tx, {
    ...{ user_id: user.id, provider_id: provider.id, subject },
    linked_at: now.toISOString(),
  })
  await sealLink(tx, id, sealIdentity(services.keys, provider, { id, user_id: user.id, subject }))
  record('user.identity_linked', user.id, {
    after: { provider: provider.name, subject },
    reason,
    notify: [user.id],
  })
  return id
}

export const listOfUser = query({
  summary: 'List who a user is at providers',
  permission: 'users.manage',
  input: { params: IdParams },
  response: Type.Array(Identity),
  async run({ tx }, { params: { id } }) {
    if ((await findAccount(tx, id)) === undefined) throw notFound('User')
    return (await listIdentities(tx, id)).map(shown)
  },
})

export const listOwn = query({
  summary: "List who one's own account is at providers",
  permission: 'account.manage_own',
  input: {},
  response: Type.Array(Identity),
  run: async ({ tx, actor }) => (await listIdentities(tx, actor.userId!)).map(shown),
})

export const add = command({
  summary: 'Link a user to who they are at a provider',
  description:
    'Whoever logs in at the provider as `subject` logs in as the user from then on. The user is told, and whoever made the link cannot verify who the user is.',
  permission: 'users.manage',
  input: { params: IdParams, body: IdentityCreate },
  response: Identity,
  async run(context, { params: { id }, body: { provider_id, subject, change_reason } }) {
    const { tx, services } = context
    await lockGrants(tx)
    const provider = await requireProvider(tx, provider_id)
    const user = await openAccount(context, id)
    const identity = await link(context, {
      ...{ user, provider, subject, now: services.clock.now(), reason: change_reason ?? null },
    })
    return shown((await findIdentity(tx, { id: identity, userId: id }))!)
  },
})

async function requireIdentity(tx: Tx, which: { id: number; userId: number }): Promise<IdentityRow> {
  const identity = await findIdentity(tx, which)
  if (!identity) throw notFound('Link')
  return identity
}

async function unlink(
  { tx, record }: Writing,
  { id, user_id, provider_name, subject }: IdentityRow,
  reason: string | null,
) {
  await deleteIdentity(tx, id)
  record('user.identity_unlinked', user_id, {
    before: { provider: provider_name, subject },
    reason,
    notify: [user_id],
  })
}

export const remove = command({
  summary: 'Remove the link of a user to a provider',
  description: 'The user no longer logs in by it. Sessions go on.',
  permission: 'users.manage',
  input: { params: Type.Object({ id: Id, identity_id: Id }), body: ChangeReason },
  response: Type.Null(),
  async run(context, { params: { id, identity_id }, body }) {
    await lockUserById(context.tx, id)
    await unlink(
      context,
      await requireIdentity(context.tx, { id: identity_id, userId: id }),
      body.change_reason ?? null,
    )
    return null
  },
})

/** Whether the user gets in by something else than the link. */
async function hasOtherWayIn({ tx, services }: ActionContext<unknown>, { id, user_id }: IdentityRow): Promise<boolean> {
  for (const other of await listIdentities(tx, user_id)) {
    const provider = await requireProvider(tx, other.provider_id)
    const opens = provider.is_active && isGenuine(services, provider)
    if (other.id !== id && opens && openIdentitySeal(services.keys, provider, other) !== undefined) return true
  }
  return !(await isSsoRequired(tx)) && hasOwnLogin(tx, user_id)
}

export const unlinkOwn = command({
  summary: "Remove a link of one's own account to a provider",
  description: `Needs the password, and the code of the second factor where there is one, or a log-in of the last ${recentMinutes} minutes. One does not log in by it from then on; sessions go on. Refused for the only way in.`,
  permission: 'account.manage_own',
  input: { params: IdParams, body: UnlinkOwn },
  response: Type.Null(),
  async prepare(context, { params: { id }, body }) {
    await context.read(tx => requireIdentity(tx, { id, userId: context.actor.userId! }))
    await requirePasswordOrRecentLogin(context, body, recentMinutes)
  },
  async run(context, { params: { id } }) {
    const { tx, actor } = context
    // Two links that are removed at the same moment wait for each other here, so that one stays.
    await lockUserById(tx, actor.userId!)
    const identity = await requireIdentity(tx, { id, userId: actor.userId! })
    if (!(await hasOtherWayIn(context, identity))) throw conflict(messages.identity_last_way_in())
    await unlink(context, identity, null)
    return null
  },
})

export const linkOwn = command({
  summary: "Link one's own account to a provider",
  description:
    'The browser that got the answer opens `start`, logs in at the provider, and comes back to `return_to` with `single_sign_on=linked`, or with the reason why not.',
  permission: 'account.manage_own',
  // The link is recorded when the browser comes back.
  mayRecordNothing: true,
  input: { body: LinkOwn },
  response: Started,
  async prepare(context, { body: { provider_id, password, return_to } }) {
    const provider = await context.read(tx => requireProvider(tx, provider_id))
    if (!provider.is_active) throw conflict(messages.identity_provider_inactive())
    await requirePassword(context, password)
    return beginFor(context, provider, { kind: 'link', returnTo: return_to })
  },
  run: async ({ prepared: { location, cookie } }) => withLogin({ start: location }, cookie),
})
