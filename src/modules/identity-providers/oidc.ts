import { createRemoteJWKSet, customFetch as customFetchOfKeys, decodeProtectedHeader, exportJWK, jwtVerify } from 'jose'
import * as client from 'openid-client'
import type { Outside } from '#action'
import type { Message } from '#kernel/message.ts'
import { OutboundError } from '#platform/outbound/failure.ts'
import type { Outbound } from '#platform/outbound/send.ts'
import { signingHalf } from './client-key.ts'
import { messages } from './messages.ts'
import type { Provider } from './schema.ts'

/** A provider as it is reached. */
export interface ProviderAccess {
  tenantId: number
  id: number
  revision: number
  issuer: string
  client_id: string
  token_auth: Provider['token_auth']
  /** The client secret; with private_key_jwt the private key, as PEM. */
  secret: string
}

/** Asymmetric, so that nobody who only checks a token can make one. */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']

const most_bytes = 256 * 1024
const timeout_ms = 5000
/** Metadata and keys: a provider that changes its keys publishes the new one before. */
const kept_ms = 10 * 60 * 1000
const maxKept = 1000

/** What the provider answered, or that it did not: no fault of ours. `message` is for the audit trail and the log. */
export class ProviderFailed extends Error {}

/** The provider cannot be used, for a reason that its administrator can mend. */
export class ProviderUnusable extends ProviderFailed {
  readonly reason: Message
  constructor(reason: Message) {
    super(reason.text)
    this.reason = reason
  }
}

const failed = (error: unknown): never => {
  throw error instanceof ProviderFailed ? error : new ProviderFailed(causeOf(error), { cause: error })
}

/** The libraries send forms and nothing else. */
function textOf(body: unknown): { body?: string } {
  if (body === undefined || body === null) return {}
  if (typeof body === 'string') return { body }
  if (body instanceof URLSearchParams) return { body: body.toString() }
  throw new TypeError('a body that is no form')
}

const fetchBy =
  ({ send }: Outbound, seen: (response: Response) => void = () => {}) =>
  async (
    address: string,
    {
      method = 'GET',
      headers,
      body,
    }: {
      method?: string
      headers?: Headers | Record<string, string> | undefined
      body?: unknown
    },
  ): Promise<Response> => {
    const response = await send(address, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...textOf(body),
      ...{ most_bytes, timeout_ms },
    })
    // Only what gives a token is posted.
    if (method === 'POST') seen(response)
    return response
  }

/** Throws ProviderUnusable. */
export async function readMetadata(outbound: Outbound, issuer: string): Promise<client.ServerMetadata> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await outbound
    .send(address, { headers: { accept: 'application/json' }, most_bytes, timeout_ms })
    .catch(error => {
      if (!(error instanceof OutboundError)) throw error
      throw new ProviderUnusable(messages.identity_provider_unreachable({ failure: error.failure }))
    })
  if (response.status !== 200)
    throw new ProviderUnusable(messages.identity_provider_unreachable({ failure: `status ${response.status}` }))
  const sent: unknown = await response.json().catch(() => undefined)
  const metadata = typeof sent === 'object' && sent !== null ? (sent as Record<string, unknown>) : {}
  const isAddress = (name: string) => typeof metadata[name] === 'string' && URL.canParse(metadata[name])
  if (typeof metadata.issuer !== 'string' || !['authorization_endpoint', 'token_endpoint', 'jwks_uri'].every(isAddress))
    throw new ProviderUnusable(messages.identity_provider_metadata_malformed())
  if (metadata.issuer !== issuer)
    throw new ProviderUnusable(messages.identity_provider_issuer_other({ issuer: metadata.issuer.slice(0, 500) }))
  const flows = metadata.response_types_supported
  if (Array.isArray(flows) && !flows.includes('code'))
    throw new ProviderUnusable(messages.identity_provider_code_flow_missing())
  const offered = metadata.id_token_signing_alg_values_supported
  const allowed = (Array.isArray(offered) ? offered : ['RS256']).filter(each => algorithms.includes(each))
  if (allowed.length === 0)
    throw new ProviderUnusable(messages.identity_provider_algorithms_missing({ allowed: algorithms }))
  // The library accepts what the metadata lists, so it lists no more than we accept.
  return { ...metadata, issuer, id_token_signing_alg_values_supported: allowed } as client.ServerMetadata
}

interface Expected {
  state: string
  nonce: string
  verifier: string
}
interface Exchanged {
  idToken: string
  claims: Record<string, unknown>
  readUser: () => Promise<Record<string, unknown>>
}
interface ExchangedWithProof extends Exchanged {
  answered_at: number | undefined
  key: Record<string, string>
}

interface Connection {
  config: client.Configuration
  authenticate: client.ClientAuth
  keys: ReturnType<typeof createRemoteJWKSet>
}

/** As forms write it. The library escapes `-`, `.` and `_` too, which is right, and which providers that undo no escapes take for another secret. */
const formText = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
const secretInHeader =
  (secret: string): client.ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const credentials = Buffer.from(`${formText(client_id)}:${formText(secret)}`).toString('base64')
    headers.set('authorization', `Basic ${credentials}`)
  }

async function authenticationOf({ token_auth, secret }: ProviderAccess): Promise<client.ClientAuth> {
  switch (token_auth) {
    case 'client_secret_basic':
      return secretInHeader(secret)
    case 'client_secret_post':
      return client.ClientSecretPost(secret)
    case 'private_key_jwt':
      return client.PrivateKeyJwt(await signingHalf(secret))
  }
}

function configurationOf(
  { client_id }: ProviderAccess,
  {
    metadata,
    authenticate,
    send,
  }: Pick<Connection, 'authenticate'> & {
    metadata: client.ServerMetadata
    send: client.CustomFetch
  },
): client.Configuration {
  const config = new client.Configuration(metadata, client_id, undefined, authenticate)
  config[client.customFetch] = send
  config.timeout = timeout_ms / 1000
  // Without it a token that came over TLS is taken without its signature.
  client.enableNonRepudiationChecks(config)
  return config
}

async function connectionOf(
  outbound: Outbound,
  access: ProviderAccess,
  metadata: client.ServerMetadata,
): Promise<Connection> {
  const authenticate = await authenticationOf(access)
  const config = configurationOf(access, { metadata, authenticate, send: fetchBy(outbound) })
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri!), {
    [customFetchOfKeys]: fetchBy(outbound),
    ...{ timeoutDuration: timeout_ms, cacheMaxAge: kept_ms },
  })
  return { config, authenticate, keys }
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const logout_seconds = 600

/** Keeps what is known of providers for ten minutes, in this process alone. */
export class ProviderConnections {
  readonly #outbound: Outbound
  readonly #kept = new Map<string, { until: number; connection: Promise<Connection> }>()

  constructor({ outbound }: Pick<Outside, 'outbound'>) {
    this.#outbound = outbound
  }

  /** Asks anew the next time if it fails. */
  #connect(access: ProviderAccess): Promise<Connection> {
    const key = `${access.tenantId} ${access.id} ${access.revision}`
    const kept = this.#kept.get(key)
    if (kept && kept.until > performance.now()) return kept.connection
    const connection = readMetadata(this.#outbound, access.issuer).then(metadata =>
      connectionOf(this.#outbound, access, metadata),
    )
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(key, { until: performance.now() + kept_ms, connection })
    connection.catch(() => this.#kept.delete(key))
    return connection
  }

  /** The address of the provider that a browser is sent to. */
  async authorizationUrl(access: ProviderAccess, parameters: Record<string, string>): Promise<string> {
    const { config } = await this.#connect(access)
    if (config.serverMetadata().pushed_authorization_request_endpoint === undefined)
      return client.buildAuthorizationUrl(config, parameters).href
    return (await client.buildAuthorizationUrlWithPAR(config, parameters).catch(failed)).href
  }

  /** The claims of an answer whose every check has passed. */
  async exchange(access: ProviderAccess, answer: URL, expected: Expected): Promise<Exchanged> {
    const { config } = await this.#connect(access)
    return this.#exchange(config, answer, expected)
  }

  /** The same, with when the provider answered by its own clock, in seconds, and the key that verifies the ID token. */
  async exchangeWithProof(access: ProviderAccess, answer: URL, expected: Expected): Promise<ExchangedWithProof> {
    const connection = await this.#connect(access)
    let date: string | null = null
    // Its answers are those of this exchange alone.
    const config = configurationOf(access, {
      metadata: connection.config.serverMetadata(),
      authenticate: connection.authenticate,
      send: fetchBy(this.#outbound, ({ headers }) => {
        date = headers.get('date')
      }),
    })
    const exchanged = await this.#exchange(config, answer, expected)
    const header = decodeProtectedHeader(exchanged.idToken)
    const [protectedPart, payload, signature] = exchanged.idToken.split('.') as [string, string, string]
    const key = await connection
      .keys({ ...header, alg: header.alg! }, { payload, signature, protected: protectedPart })
      .then(exportJWK)
      .catch(failed)
    const answered_at = date === null ? undefined : Math.floor(Date.parse(date) / 1000)
    const kid = typeof header.kid === 'string' && header.kid.length <= 255 ? { kid: header.kid } : {}
    return { ...exchanged, answered_at, key: { ...(key as Record<string, string>), alg: header.alg!, ...kid } }
  }

  async #exchange(config: client.Configuration, answer: URL, expected: Expected): Promise<Exchanged> {
    const tokens = await client
      .authorizationCodeGrant(config, answer, {
        expectedState: expected.state,
        expectedNonce: expected.nonce,
        pkceCodeVerifier: expected.verifier,
        idTokenExpected: true,
      })
      .catch(failed)
    const claims = tokens.claims()!
    return {
      idToken: tokens.id_token!,
      claims,
      readUser: async () =>
        config.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(config, tokens.access_token, claims.sub).catch(failed),
    }
  }

  /** The address that ends the session at the provider; null where it has none. */
  async endSessionUrl(access: ProviderAccess, parameters: Record<string, string>): Promise<string | null> {
    const { config } = await this.#connect(access)
    if (config.serverMetadata().end_session_endpoint === undefined) return null
    return client.buildEndSessionUrl(config, parameters).href
  }

  /** OpenID Connect Back-Channel Logout 1.0, 2.6. Fails where the token is not one, or not of this provider for us. */
  async readLogoutToken(access: ProviderAccess, token: string, now: Date) {
    const { keys } = await this.#connect(access)
    const { payload } = await jwtVerify(token, keys, {
      ...{ issuer: access.issuer, audience: access.client_id, algorithms, typ: 'logout+jwt' },
      ...{
        requiredClaims: ['iat', 'jti', 'events'],
        maxTokenAge: logout_seconds,
        currentDate: now,
        clockTolerance: 30,
      },
    }).catch(failed)
    const { sid, sub, jti, events, nonce } = payload
    const event = (events as Record<string, unknown> | null)?.[logoutEvent]
    if (typeof event !== 'object' || event === null || nonce !== undefined || typeof jti !== 'string' || jti === '')
      throw new ProviderFailed('the token is no logout token')
    const session = typeof sid === 'string' && sid !== '' ? sid : null
    if (session === null && typeof sub !== 'string') throw new ProviderFailed('the token names no session and nobody')
    return { claims: payload as Record<string, unknown>, sid: session, jti }
  }
}

declare module '#action/definitions.ts' {
  interface Services {
    providers: ProviderConnections
  }
}

/** What a person may read of a failure: no address of ours, and nothing that a stranger could write at will. */
function causeOf(error: unknown): string {
  const causes: unknown[] = []
  for (let each: unknown = error; each instanceof Error && causes.length < 5; each = each.cause) causes.push(each)
  const outbound = causes.find(each => each instanceof OutboundError)
  if (outbound) return `it could not be reached (${(outbound as OutboundError).failure})`
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
    return `it answered ${/^[a-z_]{1,60}$/.test(error.error) ? error.error : 'an error'}`
  // The sentences of the library are its own: what a token holds is in other fields.
  return error instanceof Error ? error.message.slice(0, 300) : 'an unknown failure'
}
