import assert from 'node:assert/strict'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import Provider from 'oidc-provider'
import { openOutbound } from '#platform/outbound/send.ts'
import { selfSigned } from './certificate.ts'

/** Where the service of the tests is, for people and for providers. */
export const publicUrl = 'https://qms.example'
export const client = { client_id: 'attest', client_secret: 'a-secret-of-the-client-0123456789abcdef' }
export const redirect_uri = `${publicUrl}/api/auth/oidc/callback`

export const certificate = selfSigned('127.0.0.1')
/** As an operator who lets tenants' requests reach the network of a provider. */
export const outboundHere = (dns_servers?: readonly string[]) =>
  openOutbound({ networks: ['127.0.0.1/32'], ca: certificate.cert, ...(dns_servers && { dns_servers }) })

/** Somebody whom the provider knows: the claims of their account there. */
export type Claims = Record<string, unknown> & { sub: string }

/** What a provider posts to the service. */
type Deliver = (url: string, form: string) => Promise<{ status: number }>

/**
 * A real provider, the package oidc-provider, over TLS. Whoever is `idp.person` logs in when it asks; afterwards its own session answers,
 * as long as the browser keeps its cookies.
 */
export async function openIdp({
  deliver,
  par = false,
  service = publicUrl,
}: {
  deliver?: Deliver
  par?: boolean
  service?: string
} = {}) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'a key' }
  const people = new Map<string, Claims>()
  const state = { person: undefined as string | undefined, requests: [] as string[] }
  const failures: unknown[] = []
  let provider: Provider
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (incoming, response) => {
    state.requests.push(`${incoming.method} ${incoming.url?.split('?')[0]}`)
    const handled = incoming.url?.startsWith('/interaction/')
      ? interact(incoming, response)
      : provider.callback()(incoming, response)
    handled.catch((error: unknown) => {
      failures.push(error)
      response.statusCode = 500
      response.end(String(error))
    })
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const register = (different: object) =>
    new Provider(issuer, {
      clients: [
        {
          ...client,
          ...different,
          redirect_uris: [`${service}/api/auth/oidc/callback`],
          post_logout_redirect_uris: [`${service}/sign-in`],
          backchannel_logout_uri: `${service}/api/auth/oidc/acme/idp/back-channel-logout`,
          backchannel_logout_session_required: true,
          // As Entra ID with the optional claim, and Okta and Keycloak always.
          require_auth_time: true,
        },
      ],
      // As Entra ID and Keycloak do: the ID token has the claims.
      conformIdTokenClaims: false,
      claims: {
        openid: ['sub', 'groups', 'oid', 'amr'],
        profile: ['name', 'preferred_username'],
        email: ['email', 'email_verified'],
      },
      pkce: { required: () => true },
      cookies: { keys: ['a key of the cookies'] },
      jwks: { keys: [jwk] },
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => people.get(id) }),
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: deliver !== undefined },
        pushedAuthorizationRequests: { enabled: par, requirePushedAuthorizationRequests: par },
      },
      // Its own sender refuses addresses of this machine; here it is handed to the service of the test.
      fetch: async (url: URL | string, { body }: { body: URLSearchParams }) => {
        const { status } = await deliver!(String(url), body.toString())
        return new Response(null, { status })
      },
      ttl: { Session: 3600, Interaction: 600, Grant: 3600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    })
  provider = register({})

  const interact = async (...[incoming, response]: Parameters<ReturnType<Provider['callback']>>): Promise<void> => {
    const { prompt, params, session } = await provider.interactionDetails(incoming, response)
    if (prompt.name === 'login') {
      const result = state.person
        ? { login: { accountId: state.person, amr: ['pwd', 'otp'] } }
        : { error: 'access_denied', error_description: 'nobody is here' }
      return provider.interactionFinished(incoming, response, result)
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: params.client_id! })
    grant.addOIDCScope(params.scope!)
    return provider.interactionFinished(incoming, response, { consent: { grantId: await grant.save() } })
  }

  return {
    issuer,
    people,
    failures,
    requests: state.requests,
    /** Who logs in when it asks. */
    logsIn(claims: Claims) {
      people.set(claims.sub, { amr: ['pwd', 'otp'], ...claims })
      state.person = claims.sub
    },
    /** The client is another one from now on: `fields` are those of its registration. */
    registers(fields: object) {
      provider = register(fields)
    },
    nobodyLogsIn() {
      state.person = undefined
    },
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
export type Idp = Awaited<ReturnType<typeof openIdp>>

/** A browser at the provider, with its cookies there. */
export function openIdpBrowser({ issuer }: Pick<Idp, 'issuer'>) {
  const jar = new Map<string, string>()
  const send = (url: string, form?: Record<string, string>) =>
    new Promise<{ status: number; location: string | undefined; body: string }>((resolve, reject) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = {
        ...(cookie && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      }
      const options = { ca: certificate.cert, agent: false as const, headers, method: form ? 'POST' : 'GET' }
      const sent = request(url, options, reply => {
        for (const each of reply.headers['set-cookie'] ?? []) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!
          const expires = /;\s*expires=([^;]+)/i.exec(each)?.[1]
          if (expires !== undefined && Date.parse(expires) < Date.now()) jar.delete(name!)
          else jar.set(name!, value!)
        }
        const chunks: Buffer[] = []
        reply.on('data', chunk => chunks.push(chunk))
        reply.on('end', () =>
          resolve({
            status: reply.statusCode!,
            location: reply.headers.location,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      })
      sent.on('error', reject)
      sent.end(form && new URLSearchParams(form).toString())
    })
  const get = (url: string) => send(url)
  return {
    get,
    post: send,
    /** Follows the provider's pages until it sends the browser back to the service: that address. */
    async follow(start: string): Promise<URL> {
      let url = start
      for (let steps = 0; steps < 10; steps++) {
        const { status, location, body } = await get(url)
        assert.ok(location, `the provider answers ${url} with ${status}: ${body.slice(0, 500)}`)
        url = new URL(location, url).href
        if (!url.startsWith(issuer)) return new URL(url)
      }
      throw new Error('the provider never sends the browser back')
    },
  }
}

/** Tokens that no honest provider makes. */
export interface Forged {
  claims?: JWTPayload & Record<string, unknown>
  header?: Record<string, unknown>
  /** Signs with a key that is not among the published ones. */
  isUnsigned?: boolean
  /** The whole answer of the token endpoint instead. */
  answer?: { status: number; body: object }
}

/** A provider that answers whatever a test tells it to, with a real key. `issuer` may be a name that a sender maps here. */
export async function openForger({ as }: { as?: string } = {}) {
  const [key, foreign] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
  const jwk = { ...(await exportJWK(key.publicKey)), alg: 'ES256', use: 'sig', kid: 'forger' }
  const state = { next: {} as Forged, codes: new Set<string>(), metadata: {} as Record<string, unknown> }
  const requests: { path: string; body: string; authorization: string | undefined }[] = []
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (incoming, response) => {
    let body = ''
    incoming.on('data', chunk => {
      body += String(chunk)
    })
    incoming.on('end', () => {
      const path = incoming.url!.split('?')[0]!
      requests.push({ path, body, authorization: incoming.headers.authorization })
      void answerTo(path, body).then(([status, answer]) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer))
      })
    })
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = as ?? address

  const sign = (claims: JWTPayload, { header = {}, isUnsigned = false }: Forged = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'forger', ...header })
      .sign(isUnsigned ? foreign.privateKey : key.privateKey)

  async function answerTo(path: string, body: string): Promise<[number, object]> {
    if (path === '/.well-known/openid-configuration')
      return [
        200,
        {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          end_session_endpoint: `${issuer}/logout`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['ES256'],
          authorization_response_iss_parameter_supported: true,
          backchannel_logout_supported: true,
          ...state.metadata,
        },
      ]
    if (path === '/jwks') return [200, { keys: [jwk] }]
    if (path !== '/token') return [404, {}]
    if (state.next.answer) return [state.next.answer.status, state.next.answer.body]
    const code = new URLSearchParams(body).get('code')!
    // RFC 6749, 10.5: a code is good once.
    if (state.codes.has(code)) return [400, { error: 'invalid_grant' }]
    state.codes.add(code)
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: client.client_id, iat: now, exp: now + 300, ...state.next.claims }
    return [200, { access_token: 'x', token_type: 'bearer', id_token: await sign(claims, state.next) }]
  }

  return {
    issuer,
    address,
    requests,
    sign,
    /** What the token endpoint answers from now on. */
    answers(next: Forged) {
      state.next = next
    },
    /** Members of its metadata that are others. */
    says(metadata: Record<string, unknown>) {
      state.metadata = metadata
    },
    logoutToken: (claims: Record<string, unknown>, how: Forged = {}) => {
      const now = Math.floor(Date.now() / 1000)
      return sign(
        {
          iss: issuer,
          aud: client.client_id,
          iat: now,
          exp: now + 120,
          jti: crypto.randomUUID(),
          events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
          ...claims,
        },
        { ...how, header: { typ: 'logout+jwt', ...how.header } },
      )
    },
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
export type Forger = Awaited<ReturnType<typeof openForger>>
