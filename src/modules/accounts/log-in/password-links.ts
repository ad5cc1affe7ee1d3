import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Type } from 'typebox'
import { type Actor, type Origin, openAction, type Services, type Writing } from '#action'
import { AppError, conflict, invalidField } from '#kernel/errors.ts'
import { networkOf } from '#platform/client-network.ts'
import { isLinkToken, type LinkToken, newLinkToken, parseLinkToken } from '#platform/crypto/link-token.ts'
import { hashPassword } from '#platform/crypto/password.ts'
import type { Tx } from '#platform/db/database.ts'
import { findAccount, platformTenantId, systemActor } from '../actors.ts'
import {
  countRequestedLinks,
  endPasswordLinks,
  findPasswordLink,
  insertPasswordLinks,
  type LinkPurpose,
  lockPasswordLink,
  type PasswordLink,
  spendPasswordLink,
  storeToken,
} from '../link-queries.ts'
import { messages, reasons } from '../messages.ts'
import { acceptPassword, allHashes, previousOf } from '../passwords.ts'
import {
  clearAllFailures,
  findCredentials,
  findUser,
  lockCredentials,
  lockUser,
  replacePassword,
  updateUser,
} from '../queries.ts'
import { addressHeldUntil, isLinkOpen, isLinkSendable, linkLifetimeMs, maxLinksAnHour } from '../rules.ts'
import { ChosenPassword, ForgottenPassword } from '../schema.ts'
import { readSettings } from '../tenants/settings.ts'
import { identityReset, listVerifiers } from '../verifiers.ts'
import { tooManyFailures } from './by-proof.ts'
import { findByLogin } from './login.ts'

/** The hash of a password that nobody knows, for an account whose owner is to choose one. */
export const hashUnknownPassword = () => hashPassword(randomBytes(32).toString('base64'))

interface LinkRequest {
  userId: number
  purpose: LinkPurpose
}

type Posting = Pick<Services, 'post' | 'clock'>

/**
 * Queues the e-mail with a new link, and ends the one before for the same purpose. The caller holds the lock of the user and records the
 * request.
 */
export async function requestPasswordLink(tx: Tx, services: Posting, { userId, purpose }: LinkRequest): Promise<void> {
  await endPasswordLinks(tx, userId, services.clock.now(), purpose)
  await requestPasswordLinks(tx, services, { users: [userId], purpose })
}

/** As `requestPasswordLink`, for users who have no open link. Many messages at once are sent after all others. */
export async function requestPasswordLinks(
  tx: Tx,
  { post, clock }: Posting,
  { users, purpose }: { users: readonly number[]; purpose: LinkPurpose },
): Promise<void> {
  if (!post) throw conflict(messages.mail_not_set_up())
  const links = await insertPasswordLinks(tx, { users, purpose, requested_at: clock.now().toISOString() })
  const mails = links.map(({ id, user_id }) => ({
    ...{ user_id, kind: 'password_link' as const, notification_ids: [], password_link_id: id },
  }))
  await post(tx, mails, { isBulk: links.length > 1 })
}

export type SentLink = Pick<PasswordLink, 'purpose' | 'requested_by'> & { token: string; minutes: number }

/** The link for the message that is about to be sent; undefined if it ended meanwhile. A message that is sent again has another one. */
export const issuePasswordLink = (
  { runner, clock, keys }: Services,
  tenantId: number,
  linkId: number,
  origin: Origin,
): Promise<SentLink | undefined> =>
  runner.inSeparateTransaction(systemActor(tenantId), origin, async ({ tx, record }) => {
    const link = await lockPasswordLink(tx, linkId)
    const now = clock.now()
    if (!link || !isLinkSendable(link, now)) return undefined
    const { user_id, purpose, requested_by } = link
    const lifetime = linkLifetimeMs[purpose]
    const { token, hash } = newLinkToken(keys.links, { tenantId, linkId, userId: user_id })
    const expires_at = new Date(now.getTime() + lifetime).toISOString()
    await storeToken(tx, linkId, { token_hash: hash, expires_at })
    record('user.password_link_sent', user_id, { after: { purpose, expires_at } })
    return { purpose, requested_by, token, minutes: lifetime / 60_000 }
  })

/** Longer than the look-up takes, which is the same for every name. */
const answerMs = 250
const minutesOf = (seconds: number) => ({ minutes: Math.ceil(seconds / 60) })

export const forgotPassword = openAction({
  summary: 'Ask for a link to choose a new password',
  description:
    'Sends a link by e-mail that works once, within 30 minutes. The answer is the same whether the account exists, and the password stays until the link is used. Where the service sends no e-mail the answer is a 409 for every name; `GET /api/auth/options` says so before.',
  input: { body: ForgottenPassword },
  response: Type.Null(),
  async run({ services, origin }, { body }) {
    if (!services.post) throw conflict(messages.mail_not_set_up())
    const network = networkOf(origin.clientAddr)
    const { linkRequests, linkWork } = services.loginLimits
    const now = services.clock.now()
    const seconds = linkRequests.secondsLeft(network, now)
    if (seconds !== undefined)
      throw new AppError(503, messages.too_many_link_requests(minutesOf(seconds)), { 'retry-after': String(seconds) })
    linkRequests.count(network, now)
    const [owner] = await Promise.all([findOwner(services, body.username), setTimeout(answerMs / 2)])
    // The answer does not wait for the link, because the wait would show that the account exists.
    if (owner) linkWork.begin(network, () => requestForgotten(services, origin, owner))
    await setTimeout(answerMs / 2)
    return null
  },
})

interface Owner {
  tenantId: number
  userId: number
}

/** Undefined for whom no link is sent. An unknown name is looked up as long as a known one. */
async function findOwner({ database }: Services, username: string): Promise<Owner | undefined> {
  const login = await findByLogin(database, username)
  const { tenant_id: tenantId, user_id: userId } = login ?? { tenant_id: null, user_id: 0 }
  const account = await database.transaction({ tenantId, userId: null }, 'read only', tx => findAccount(tx, userId))
  // Operators of the platform are made at the command line, and so are their new passwords.
  if (tenantId === null || tenantId === platformTenantId || !account?.isActive) return undefined
  return { tenantId, userId }
}

/** The system acts, because nobody knows yet who asked. */
const requestForgotten = (services: Services, origin: Origin, { tenantId, userId }: Owner) =>
  services.runner.inSeparateTransaction(systemActor(tenantId), origin, async ({ tx, record }) => {
    const { email_changed_at, is_active } = (await lockUser(tx, userId))!
    if (!is_active) return
    const { password_hash, is_break_glass } = (await findCredentials(tx, userId))!
    // A link would open a second way in, past the provider, to whoever reads the mailbox.
    if (password_hash === null || (!is_break_glass && (await readSettings(tx)).sso_required)) {
      record('user.password_link_requested', userId, {
        outcome: 'denied',
        reason: reasons.reason_sso_only().text,
      })
      return
    }
    const { last_login_at } = (await findUser(tx, userId))!
    const now = services.clock.now()
    const heldUntil = addressHeldUntil({ email_changed_at, last_login_at }, now)
    if (heldUntil !== undefined) {
      record('user.password_link_requested', userId, {
        outcome: 'denied',
        reason: reasons.reason_password_link_held({ until: heldUntil }).text,
      })
      return
    }
    const anHourAgo = new Date(now.getTime() - 60 * 60 * 1000).toISOString()
    if ((await countRequestedLinks(tx, userId, anHourAgo)) >= maxLinksAnHour) return
    await requestPasswordLink(tx, services, { userId, purpose: 'reset' })
    record('user.password_link_requested', userId, { reason: reasons.reason_password_forgotten().text })
  })

const linkEnded = () => invalidField('token', messages.password_link_ended())

/** Wrong codes count as failed log-ins of their network; a right one is let in whatever was counted. */
function refuseCode({ loginLimits: { failures }, clock, log }: Services, network: string): AppError {
  const seconds = failures.secondsLeft(network, clock.now())
  if (seconds !== undefined) return tooManyFailures(seconds)
  if (failures.count(network, clock.now()))
    log.child({ logger: 'attest.accounts' }).warn(`log-ins from ${network} are limited: too many failed`)
  return linkEnded()
}

export const choosePassword = openAction({
  summary: 'Choose a password with the code of an e-mail',
  description:
    'Ends all tokens of the user, who logs in with the new password. After a reset the user has no passkeys any more, and cannot sign until another person has verified their identity.',
  input: { body: ChosenPassword },
  response: Type.Null(),
  async run({ services, origin }, { body: { token: text, new_password } }) {
    const { database, runner } = services
    const network = networkOf(origin.clientAddr)
    const token = parseLinkToken(text)
    if (!token) throw refuseCode(services, network)
    const found = await database.transaction({ tenantId: token.tenantId, userId: null }, 'read only', async tx => {
      const link = await findPasswordLink(tx, token.linkId)
      if (!link || !opens(services, token, link)) return undefined
      const [account, credentials] = await Promise.all([
        findAccount(tx, link.user_id),
        findCredentials(tx, link.user_id),
      ])
      return {
        actor: { ...account!.actor, authTime: 0 } satisfies Actor,
        credentials: credentials!,
        settings: await readSettings(tx),
      }
    })
    if (!found?.credentials.is_active) throw refuseCode(services, network)
    const { actor, credentials, settings } = found
    const hash = await acceptPassword(
      new_password,
      {
        ...credentials,
        min_length: settings.password.min_length,
        previousHashes: allHashes(credentials),
        address: network,
      },
      'new_password',
    )
    await runner.inSeparateTransaction(actor, origin, async context => {
      await storeChosen(context, services, { userId: credentials.id, token, hash })
      context.afterCommit(() => services.accounts.changed())
    })
    return null
  },
})

const opens = ({ keys, clock }: Services, token: LinkToken, link: PasswordLink) =>
  isLinkOpen(link, clock.now()) && isLinkToken(keys.links, token, link.user_id, link.token_hash!)

async function storeChosen(
  { tx, record }: Writing,
  services: Services,
  { userId, token, hash }: { userId: number; token: LinkToken; hash: string },
) {
  const now = services.clock.now()
  await lockUser(tx, userId)
  const credentials = await lockCredentials(tx, userId)
  const link = await lockPasswordLink(tx, token.linkId)
  // Another request may have used or ended it meanwhile.
  if (!credentials.is_active || !link || !opens(services, token, link)) throw linkEnded()
  const before = (await findUser(tx, userId))!
  await spendPasswordLink(tx, link.id, now)
  await replacePassword(tx, userId, {
    from: credentials.password_hash,
    to: hash,
    previous: previousOf(credentials),
    must_change_password: false,
    at: now,
  })
  await clearAllFailures(tx, userId)
  const isReset = link.purpose === 'reset'
  // Whoever reads the mailbox has chosen the password.
  if (isReset) {
    await updateUser(tx, userId, await identityReset(tx, userId, userId, now))
    await services.passkeys.revokeAll({ tx, record }, userId, { at: now, by: null })
  }
  record('user.password_chosen', userId, {
    before,
    after: (await findUser(tx, userId))!,
    reason: (isReset ? reasons.reason_password_chosen_after_reset : reasons.reason_password_chosen_by_invitation)()
      .text,
    notify: [userId],
    assignees: isReset ? await listVerifiers(tx, userId) : [],
  })
}
