import { Type } from 'typebox'
import { command } from '#action'
import { conflict, forbidden } from '#kernel/errors.ts'
import { Body, IdParams, Timestamp, Words } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { acceptStatement, findCredentials, findIdentityReset, findUser, lockUser, updateUser } from './queries.ts'
import { verificationRefusal } from './rules.ts'
import { KnownUser } from './schema.ts'
import { readSettings } from './tenants/settings.ts'
import { lockedUser, readUser, shownTo } from './users.ts'

/** 21 CFR 11.100(b): another person verifies the identity of a signer before the first signature, and after each reset. */
export const verifyIdentity = command({
  summary: 'Record that the identity of a user was verified',
  description:
    'Verify another person, by identity papers or in person. Whoever created the account, reset its password or changed its e-mail address since the last verification cannot verify it. A later verification replaces the earlier one; the audit trail keeps both.',
  permission: 'users.verify_identity',
  input: { params: IdParams, body: Body({ method: Words(200), note: Type.Optional(Words(2000)) }) },
  response: KnownUser,
  async run(context, { params, body: { method, note = null } }) {
    const { tx, actor, services, record } = context
    const before = await lockedUser(context, params.id)
    const [user, verifier] = [await lockUser(tx, params.id), await findUser(tx, actor.userId!)]
    const refusal = verificationRefusal(verifier!, user!)
    if (refusal) throw forbidden(refusal)
    await updateUser(tx, params.id, {
      identity_reset_at: null,
      account_openers: [],
      identity_verified_at: services.clock.now().toISOString(),
      identity_verified_by: actor.userId,
      identity_verified_method: method,
      identity_verified_note: note,
    })
    const after = await readUser(tx, params.id)
    record('user.identity_verified', params.id, { before, after, reason: note, notify: [params.id] })
    return shownTo(actor, after)
  },
})

/** A request to verify an identity asks nobody any more once it was verified. */
export const requestsOfUsers = {
  permission: 'users.verify_identity',
  async stillAsks(tx: Tx, _type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
    return (await findIdentityReset(tx, id))?.identity_reset_at ? user_ids : []
  },
} as const

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
