import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Services } from '#action'
import { nonceOf } from '#modules/accounts'
import { accessTo, redirectUri } from './access.ts'
import { type Attempt, findAttempt, insertAttempt, type ProviderRow } from './queries.ts'
import { attempt_ms, pathOfOurs } from './rules.ts'
import type { AttemptKind } from './schema.ts'

const derive = (key: KeyObject, purpose: string, of: string) =>
  createHmac('sha256', key).update(`login attempt ${purpose} ${of}`).digest()

/** What a state is stored as: a login to the database makes none. */
const hashOf = (key: KeyObject, purpose: 'state' | 'browser', tenantId: number, secret: string) =>
  derive(key, purpose, `${tenantId} ${secret}`)

export interface State {
  tenantId: number
  attemptId: number
  secret: string
  text: string
}

/** Undefined if the text is no state of ours. */
export function parseState(text: string | undefined): State | undefined {
  const [, tenantId, attemptId, secret] = /^(\d{1,15})\.(\d{1,15})\.([A-Za-z0-9_-]{43})$/.exec(text ?? '') ?? []
  return secret === undefined
    ? undefined
    : { tenantId: Number(tenantId), attemptId: Number(attemptId), secret, text: text! }
}

/** What the provider has to answer with. Made from the state with a key of ours, so that neither is stored. */
export const expectedOf = (
  { keys }: Pick<Services, 'keys'>,
  { text }: Pick<State, 'text'>,
  { challenge_sha256 }: Pick<Attempt, 'challenge_sha256'>,
) => ({
  state: text,
  // The nonce is what the provider signs, so of a signature it is what is signed.
  nonce:
    challenge_sha256 === null ? derive(keys.links, 'nonce', text).toString('base64url') : nonceOf(challenge_sha256),
  verifier: derive(keys.links, 'verifier', text).toString('base64url'),
})

const challengeOf = async (verifier: string) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url')

interface Beginning {
  provider: ProviderRow
  kind: AttemptKind
  /** Who links or tests; null for a log-in. */
  userId: number | null
  returnTo: string | undefined
  /** Of what is signed. */
  challengeSha256?: string
  /** The first round of a test. */
  tested?: { subject: string; auth_time: number }
  /** Asks the provider to let nobody through who does not log in now. */
  isAnew?: { login_hint?: string }
}

/** Begins a log-in: the address of the provider, and the cookie of the browser that may come back. Throws what the provider makes fail. */
export async function beginAttempt(
  services: Services,
  { provider, kind, userId, returnTo, challengeSha256, tested, isAnew }: Beginning,
): Promise<{ location: string; cookie: string }> {
  const { database, keys, clock, providers } = services
  const access = accessTo(services, provider)
  const [secret, cookie] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const now = clock.now()
  const tenantId = provider.tenant_id
  const challenge_sha256 = challengeSha256 ?? null
  const id = await database.transaction({ tenantId, userId: null }, 'read write', tx =>
    insertAttempt(tx, {
      ...{ kind, provider_id: provider.id, user_id: userId, return_to: pathOfOurs(returnTo) },
      state_hash: hashOf(keys.links, 'state', tenantId, secret),
      browser_hash: hashOf(keys.links, 'browser', tenantId, cookie),
      begun_at: now.toISOString(),
      expires_at: new Date(now.getTime() + attempt_ms).toISOString(),
      ...{ challenge_sha256, tested_subject: tested?.subject ?? null, tested_auth_time: tested?.auth_time ?? null },
    }),
  )
  const { state, nonce, verifier } = expectedOf(services, { text: `${tenantId}.${id}.${secret}` }, { challenge_sha256 })
  const location = await providers.authorizationUrl(access, {
    redirect_uri: redirectUri(services),
    scope: provider.scopes.join(' '),
    ...{ state, nonce },
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
    ...(isAnew && { prompt: 'login', max_age: '0', ...isAnew }),
  })
  return { location, cookie }
}

/** The attempt that a state belongs to; undefined if none does. */
export async function attemptOf({ database, keys }: Services, state: State): Promise<Attempt | undefined> {
  const { tenantId, attemptId, secret } = state
  const found = await database.transaction({ tenantId, userId: null }, 'read only', tx => findAttempt(tx, attemptId))
  return found && timingSafeEqual(found.state_hash, hashOf(keys.links, 'state', tenantId, secret)) ? found : undefined
}

/** Whether the browser with this cookie began the attempt. */
export const isBegunBy = (
  { keys }: Pick<Services, 'keys'>,
  tenantId: number,
  { browser_hash }: Attempt,
  cookie: string | undefined,
) =>
  cookie !== undefined &&
  cookie !== '' &&
  timingSafeEqual(browser_hash, hashOf(keys.links, 'browser', tenantId, cookie))
