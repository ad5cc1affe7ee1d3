import { Type } from 'typebox'
import { type ActionContext, command, query, type Writing } from '#action'
import { withLogin } from '#action/cookie-answer.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { Id, IdParams } from '#kernel/schema.ts'
import { findAccount, lockUserById, openAccount, requirePassword } from '#modules/accounts'
import { lockGrants } from '#modules/roles'
import { messages } from './messages.ts'
import { beginFor, requireProvider } from './providers.ts'
import {
  deleteIdentity,
  findIdentity,
  findIdentityBySubject,
  findIdentityOfUser,
  type IdentityRow,
  insertIdentity,
  listIdentities,
  type ProviderRow,
  sealLink,
} from './queries.ts'
import { ChangeReason, Identity, IdentityCreate, LinkOwn, Started } from './schema.ts'
import { sealIdentity } from './seals.ts'

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

export const remove = command({
  summary: 'Remove the link of a user to a provider',
  description: 'The user no longer logs in by it. Sessions go on.',
  permission: 'users.manage',
  input: { params: Type.Object({ id: Id, identity_id: Id }), body: ChangeReason },
  response: Type.Null(),
  async run(context, { params: { id, identity_id }, body }) {
    const { tx, record } = context
    await lockUserById(tx, id)
    const identity = await findIdentity(tx, { id: identity_id, userId: id })
    if (!identity) throw notFound('Link')
    await deleteIdentity(tx, identity_id)
    record('user.identity_unlinked', id, {
      before: { provider: identity.provider_name, subject: identity.subject },
      reason: body.change_reason ?? null,
      notify: [id],
    })
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
