import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { openAction, query, type Services } from '#action'
import { badRequest } from '#kernel/errors.ts'
import { Nullable, Text } from '#kernel/schema.ts'
import { systemActor } from '#modules/accounts'
import { endSessionsOfProvider, listUsersOfProviderSession } from '#modules/sessions'
import { openText } from '#platform/crypto/sealed-text.ts'
import type { Tx } from '#platform/db/database.ts'
import { accessTo, providerAt, publicUrl } from './access.ts'
import { messages } from './messages.ts'
import { ProviderFailed } from './oidc.ts'
import { findIdentityBySubject, findIdToken, findProvider, type ProviderRow, spendLogoutToken } from './queries.ts'
import { StartParams } from './schema.ts'

/** A token is good for ten minutes; a copy of it that comes later is too old by itself. */
const remembered_ms = 15 * 60 * 1000

/** The users whose sessions the provider ends, by its name of the session and by the person. */
async function usersOf(tx: Tx, provider: ProviderRow, { sid, subject }: { sid: string | null; subject: unknown }) {
  const bySession = sid === null ? [] : await listUsersOfProviderSession(tx, provider.id, sid)
  const person = typeof subject === 'string' ? await findIdentityBySubject(tx, provider.id, subject) : undefined
  return [...new Set([...bySession, ...(person ? [person.user_id] : [])])]
}

export const backChannelLogout = openAction({
  summary: 'End sessions for a provider',
  description:
    'OpenID Connect Back-Channel Logout 1.0: the provider sends a logout token, and the sessions of its `sid`, or of its `sub`, end at once. A token is taken once, within ten minutes.',
  takesForm: true,
  input: {
    params: StartParams,
    body: Type.Object({ logout_token: Text({ minLength: 1, maxLength: 16_384 }) }),
  },
  response: Type.Null(),
  async run({ services, origin }, { params, body: { logout_token } }) {
    const { runner, clock, accounts } = services
    const provider = await providerAt(services, params)
    const now = clock.now()
    const token = await readToken(services, provider, logout_token, now)
    await runner.inSeparateTransaction(systemActor(provider.tenant_id), origin, async ({ tx, record, afterCommit }) => {
      const isFirst = await spendLogoutToken(tx, {
        provider_id: provider.id,
        jti_hash: createHash('sha256').update(token.jti).digest(),
        expires_at: new Date(now.getTime() + remembered_ms).toISOString(),
      })
      if (!isFirst) throw badRequest(messages.logout_token_refused())
      const { sid } = token
      for (const userId of await usersOf(tx, provider, { sid, subject: token.claims[provider.subject_claim] })) {
        const end = { at: now, by: null, reason: 'ended_by_provider' } as const
        const sessions = await endSessionsOfProvider(tx, { userId, providerId: provider.id, sid }, end)
        if (sessions.length > 0)
          record('auth.session_ended', userId, { after: { sessions, cause: end.reason, provider: provider.name } })
      }
      afterCommit(() => accounts.changed())
    })
    return null
  },
})

const readToken = (services: Services, provider: ProviderRow, token: string, now: Date) =>
  Promise.resolve()
    .then(() => services.providers.readLogoutToken(accessTo(services, provider), token, now))
    .catch(error => {
      if (!(error instanceof ProviderFailed)) throw error
      services.log
        .child({ logger: 'attest.accounts' })
        .warn(`provider ${provider.id}: a logout token was refused: ${error.message}`)
      throw badRequest(messages.logout_token_refused())
    })

export const providerLogout = query({
  summary: 'Read the address that ends the session at the provider',
  description:
    'Asked before `POST /api/auth/logout`, and opened after it. Null for a session that no provider began, and where the provider has no such address or does not answer.',
  permission: 'account.manage_own',
  isPolled: true,
  input: {},
  response: Type.Object({ end_session_url: Nullable(Type.String()) }),
  async prepare({ actor, services, read }) {
    const { session } = actor
    if (!session?.provider || session.id === null) return null
    const { id: sessionId, provider } = { ...session, id: session.id }
    const found = await read(async tx => ({
      provider: await findProvider(tx, provider!.id),
      kept: await findIdToken(tx, sessionId),
    }))
    if (!found.provider) return null
    const { kept } = found
    const place = { table: 'login_attempts', column: 'id_token', tenantId: actor.tenantId, id: kept?.id ?? 0 }
    const idToken = kept?.id_token ? openText(services.keys.secrets, place, kept.id_token) : undefined
    try {
      return await services.providers.endSessionUrl(accessTo(services, found.provider), {
        post_logout_redirect_uri: `${publicUrl(services)}/sign-in`,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      })
    } catch (error) {
      if (!(error instanceof ProviderFailed)) throw error
      return null
    }
  },
  run: async ({ prepared }) => ({ end_session_url: prepared }),
})
