import { Type } from 'typebox'
import { command, query, type Services } from '#action'
import { withSession } from '#action/cookie-answer.ts'
import { conflict, invalidField, unauthorized } from '#kernel/errors.ts'
import { lockGrants } from '#modules/roles'
import { endSession } from '#modules/sessions'
import { newTotpSecret, openTotpSecret, sealTotpSecret, totpUri, verifyTotp } from '#platform/crypto/totp.ts'
import { platformTenantId } from './actors.ts'
import { goOn } from './log-in/begin.ts'
import { requirePassword, requirePasswordAndCode } from './log-in/identity.ts'
import { messages } from './messages.ts'
import { acceptPassword, allHashes, previousOf } from './passwords.ts'
import {
  endSessions,
  findCredentials,
  isAssistantOn,
  lockCredentials,
  offerTotp,
  replacePassword,
  storeTotp,
} from './queries.ts'
import {
  Me,
  PasswordChange,
  RenewedSession,
  TotpConfirmation,
  TotpEnrolment,
  TotpEnrolmentStart,
  TotpRemoval,
} from './schema.ts'
import { readSettings, type TenantSettings } from './tenants/settings.ts'
import { requireBreakGlassBeside } from './tenants/sso-required.ts'

const permission = 'account.manage_own'
const answersSession =
  'Ends all sessions of the caller, browsers and tokens. That of the request goes on: with a new token, or with a new cookie where it came with one.'

/** The settings of tenant and installation that pages need before anybody types something, whoever the reader is. */
const featuresFor = (
  { upload_types, signature_otp_required, signature_reauth_minutes, signature_methods, password }: TenantSettings,
  { config, post }: Services,
  assistant: boolean,
) => ({
  upload_types,
  max_upload_bytes: config.max_upload_bytes,
  signature: {
    otp: signature_otp_required,
    reauth_minutes:
      signature_otp_required || !signature_methods.includes('session')
        ? 0
        : (signature_reauth_minutes ?? config.signature_reauth_minutes),
    methods: signature_methods,
  },
  password: { min_length: password.min_length },
  assistant,
  mail: post !== undefined,
  passkeys: config.public_url !== undefined,
})

export const me = query({
  summary: 'Read your own account and permissions',
  permission,
  input: {},
  response: Me,
  async run({ tx, actor, services }) {
    const { tenant_id, tenant_name, tenant_slug, totp_confirmed_at, ...own } = (await findCredentials(
      tx,
      actor.userId!,
    ))!
    const settings = await readSettings(tx)
    const { signature_statement } = settings
    return {
      id: own.id,
      username: own.username,
      email: own.email,
      full_name: own.full_name,
      role: own.role,
      permissions: [...actor.permissions].sort(),
      tenant:
        tenant_id === platformTenantId
          ? null
          : { id: tenant_id, name: tenant_name, slug: tenant_slug, time_zone: settings.time_zone },
      is_platform_user: tenant_id === platformTenantId,
      totp_enrolled: totp_confirmed_at !== null,
      must_change_password: own.must_change_password,
      signature_statement: signature_statement && {
        ...signature_statement,
        is_accepted: own.signature_statement_version === signature_statement.version,
      },
      features: featuresFor(settings, services, services.languageModel !== undefined && (await isAssistantOn(tx))),
      revision: own.revision,
    }
  },
})

export const changePassword = command({
  summary: "Change one's own password",
  description: answersSession,
  permission,
  input: { body: PasswordChange },
  response: RenewedSession,
  async prepare(context, { body }) {
    const credentials = await requirePassword(context, body.current_password)
    const { password } = await context.read(readSettings)
    const previousHashes = allHashes(credentials)
    const hash = await acceptPassword(
      body.new_password,
      { ...credentials, min_length: password.min_length, previousHashes },
      'new_password',
    )
    return { credentials, hash }
  },
  async run(context) {
    const { tx, services, prepared, record, afterCommit } = context
    const { credentials, hash } = prepared
    const change = {
      from: credentials.password_hash,
      to: hash,
      previous: previousOf(credentials),
      must_change_password: false,
      at: services.clock.now(),
    }
    const replaced = await replacePassword(tx, credentials.id, change)
    if (!replaced) throw conflict(messages.password_changed_meanwhile())
    record('user.password_changed', credentials.id, { notify: [credentials.id] })
    afterCommit(() => services.accounts.changed())
    return goOn(context, credentials, { amr: ['pwd'], ver: replaced.session_version })
  },
})

export const enrolTotp = command({
  summary: 'Begin to enrol a second factor',
  description:
    'Answers the secret for an authenticator app. It takes effect once a code is confirmed; until then each call answers a new secret.',
  permission,
  input: { body: TotpEnrolmentStart },
  response: TotpEnrolment,
  // Whoever enrols a second factor owns the account from then on, so a token alone is not enough.
  prepare: (context, { body }) => requirePassword(context, body.password),
  async run({ tx, actor, services, record, prepared }) {
    const { id, username, totp_confirmed_at, password_hash } = await lockCredentials(tx, actor.userId!)
    if (password_hash !== prepared.password_hash) throw conflict(messages.password_changed_meanwhile())
    if (totp_confirmed_at) throw conflict(messages.second_factor_already_enrolled())
    const secret = newTotpSecret()
    await offerTotp(tx, id, sealTotpSecret(services.keys.totp, id, secret))
    record('user.totp_enrolled', id)
    return { secret, otpauth_uri: totpUri(secret, { issuer: 'Attest', account: username }) }
  },
})

export const confirmTotp = command({
  summary: 'Confirm the second factor with a first code',
  description: answersSession,
  permission,
  input: { body: TotpConfirmation },
  response: RenewedSession,
  async run(context, { body }) {
    const { tx, actor, services, record, afterCommit } = context
    const credentials = await lockCredentials(tx, actor.userId!)
    const { id, totp_secret, totp_confirmed_at, totp_last_step } = credentials
    if (totp_confirmed_at) throw conflict(messages.second_factor_already_enrolled())
    const secret = totp_secret && openTotpSecret(services.keys.totp, id, totp_secret)
    if (!totp_secret || !secret) throw conflict(messages.second_factor_not_begun())
    const now = services.clock.now()
    const step = verifyTotp(secret, body.otp, now, totp_last_step)
    if (step === undefined) throw invalidField('otp', messages.second_factor_code_incorrect())
    const { session_version } = await storeTotp(tx, id, totp_secret, { at: now, step })
    record('user.totp_confirmed', id, {
      before: { totp_enrolled: false },
      after: { totp_enrolled: true },
      notify: [id],
    })
    afterCommit(() => services.accounts.changed())
    return goOn(context, credentials, { amr: ['pwd', 'otp'], ver: session_version })
  },
})

export const removeTotp = command({
  summary: 'Remove the second factor',
  description: answersSession,
  permission,
  input: { body: TotpRemoval },
  response: RenewedSession,
  prepare: (context, { body }) => requirePasswordAndCode(context, body),
  async run(context) {
    const { tx, actor, services, record, afterCommit, prepared } = context
    await lockGrants(tx)
    const credentials = await lockCredentials(tx, actor.userId!)
    if (credentials.password_hash !== prepared.password_hash) throw conflict(messages.password_changed_meanwhile())
    if (!credentials.totp_secret) throw conflict(messages.second_factor_missing())
    await requireBreakGlassBeside(tx, credentials.id)
    const { session_version } = await storeTotp(tx, credentials.id, null)
    record('user.totp_removed', credentials.id, {
      before: { totp_enrolled: credentials.totp_confirmed_at !== null },
      after: { totp_enrolled: false },
      notify: [credentials.id],
    })
    afterCommit(() => services.accounts.changed())
    return goOn(context, credentials, { amr: ['pwd'], ver: session_version })
  },
})

export const logOut = command({
  summary: 'Log out',
  description:
    'Ends the session of the request, and takes the cookie of a browser away; other sessions go on. A token that was issued by an earlier release has no session of its own: it ends all sessions and tokens of the caller.',
  permission,
  input: {},
  response: Type.Null(),
  async run({ tx, actor, services, record, afterCommit }) {
    const userId = actor.userId!
    const { id = null, kind } = actor.session ?? {}
    if (id === null) await endSessions(tx, userId)
    else if (!(await endSession(tx, { id, userId }, { at: services.clock.now(), by: userId, reason: 'logged_out' })))
      throw unauthorized(messages.session_ended_login_again(), 'error="invalid_token"')
    record('auth.logged_out', userId, { after: { session: id } })
    afterCommit(() => services.accounts.changed())
    return kind === 'browser' ? withSession(null, null) : null
  },
})
