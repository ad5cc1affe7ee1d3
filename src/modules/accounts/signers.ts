import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Body, IdParams, Timestamp, Words } from '#kernel/schema.ts'
import { messages } from './messages.ts'
import { acceptStatement, findCredentials, updateUser } from './queries.ts'
import { User } from './schema.ts'
import { readSettings } from './settings.ts'
import { lockedUser, readUser, refuseOneself } from './users.ts'

/** 21 CFR 11.100(b): another person verifies the identity of a signer before the first signature. */
export const verifyIdentity = command({
  summary: 'Record that the identity of a user was verified',
  description:
    'Verify another person, by identity papers or in person. A later verification replaces the earlier one; the audit trail keeps both.',
  permission: 'users.manage',
  input: { params: IdParams, body: Body({ method: Words(200), note: Type.Optional(Words(2000)) }) },
  response: User,
  async run(context, { params, body: { method, note = null } }) {
    const { tx, actor, services, record } = context
    refuseOneself(context, params.id, messages.user_own_identity())
    const before = await lockedUser(context, params.id)
    await updateUser(tx, params.id, {
      identity_verified_at: services.clock.now().toISOString(),
      identity_verified_by: actor.userId,
      identity_verified_method: method,
      identity_verified_note: note,
    })
    const after = await readUser(tx, params.id)
    record('user.identity_verified', params.id, { before, after, reason: note, notify: [params.id] })
    return after
  },
})

/** 21 CFR 11.10(j): a signer accepts in writing what a signature means, and each new wording again. */
export const acceptSignatureStatement = command({
  summary: 'Accept the statement of responsibility for signatures',
  description:
    'The statement that `GET /api/auth/me` shows. If the tenant has one, nobody can sign before accepting it.',
  permission: 'account.manage_own',
  input: { body: Body({ version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }) },
  response: Type.Object({ version: Type.Integer(), accepted_at: Timestamp }),
  async run({ tx, actor, services, record }, { body: { version } }) {
    const { signature_statement: statement } = await readSettings(tx)
    if (!statement) throw conflict(messages.signature_statement_none())
    if (statement.version !== version)
      throw conflict(messages.signature_statement_outdated({ version: statement.version }))
    const { signature_statement_version } = (await findCredentials(tx, actor.userId!))!
    if (signature_statement_version === version) throw conflict(messages.signature_statement_already_accepted())
    const accepted_at = services.clock.now().toISOString()
    await acceptStatement(tx, actor.userId!, { version, accepted_at })
    record('user.signature_statement_accepted', actor.userId, {
      before: { signature_statement_version },
      after: { signature_statement_version: version },
    })
    return { version, accepted_at }
  },
})
