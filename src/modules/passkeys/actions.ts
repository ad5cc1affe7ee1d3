import { Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { revoke } from './answers.ts'
import { findShown, hasUser, type KnownPasskey, listPasskeys, lockPasskey, renamePasskey } from './queries.ts'
import { Passkey, PasskeyName, UserPasskeyParams } from './schema.ts'

const permission = 'account.manage_own'

const shown = ({
  credential_id: _credential,
  transports: _transports,
  ...passkey
}: Awaited<ReturnType<typeof listPasskeys>>[number]) => passkey

async function requirePasskey({ tx }: ActionContext<unknown>, id: number, userId: number): Promise<KnownPasskey> {
  const passkey = await lockPasskey(tx, id)
  if (!passkey || passkey.user_id !== userId || passkey.revoked_at !== null) throw notFound('Passkey')
  return passkey
}

export const list = query({
  summary: "List one's own passkeys",
  permission,
  input: {},
  response: Type.Array(Passkey),
  run: async ({ tx, actor }) => (await listPasskeys(tx, actor.userId!)).map(shown),
})

export const listOfUser = query({
  summary: 'List the passkeys of a user',
  permission: 'users.manage',
  input: { params: IdParams },
  response: Type.Array(Passkey),
  async run({ tx }, { params: { id } }) {
    if (!(await hasUser(tx, id))) throw notFound('User')
    return (await listPasskeys(tx, id)).map(shown)
  },
})

export const rename = command({
  summary: "Rename one of one's own passkeys",
  permission,
  input: { params: IdParams, body: PasskeyName },
  response: Passkey,
  async run(context, { params: { id }, body: { name } }) {
    const { tx, actor, record } = context
    const before = await requirePasskey(context, id, actor.userId!)
    await renamePasskey(tx, id, name)
    record('passkey.renamed', id, { before: { name: before.name }, after: { name } })
    return findShown(tx, id)
  },
})

export const revokeOwn = command({
  summary: "Revoke one of one's own passkeys",
  description: 'It lets nobody in and signs nothing from then on. Sessions that it began go on.',
  permission,
  input: { params: IdParams },
  response: Type.Null(),
  async run(context, { params: { id } }) {
    const { actor, services } = context
    const passkey = await requirePasskey(context, id, actor.userId!)
    await revoke(context, passkey, { at: services.clock.now(), by: actor.userId, cause: 'revoked_by_user' })
    return null
  },
})

export const revokeOfUser = command({
  summary: 'Revoke a passkey of a user',
  description: 'It lets nobody in and signs nothing from then on; the user is told. Sessions that it began go on.',
  permission: 'users.manage',
  input: { params: UserPasskeyParams },
  response: Type.Null(),
  async run(context, { params: { id, passkey_id } }) {
    const { actor, services } = context
    const passkey = await requirePasskey(context, passkey_id, id)
    await revoke(context, passkey, { at: services.clock.now(), by: actor.userId, cause: 'revoked_by_admin' })
    return null
  },
})
