import assert from 'node:assert/strict'
import { client, type Idp, openIdpBrowser, publicUrl } from '../fakes/oidc.ts'
import type { World } from '../world/world.ts'
import { accepted } from './samples.ts'
import { sendWith } from './sessions.ts'

type Reply = { headers: Record<string, unknown> }
const cookiesOf = ({ headers }: Reply) => [headers['set-cookie'] ?? []].flat().map(String)

/** The value that an answer sets for a cookie; undefined where it sets none, '' where it takes it away. */
export function cookieSetIn(reply: Reply, name: string): string | undefined {
  const found = cookiesOf(reply).find(each => each.startsWith(`${name}=`))
  return found?.slice(name.length + 1).split(';')[0]
}
export const loginCookieIn = (reply: Reply) => cookieSetIn(reply, '__Host-attest-login')

/** Adds a provider as ada, or as the Admin `by`; active unless said otherwise. */
export async function addProvider(
  world: World,
  { issuer }: Pick<Idp, 'issuer'>,
  { by = 'ada', ...fields }: Record<string, unknown> & { by?: string } = {},
) {
  const body = { slug: 'idp', name: 'Company ID', issuer, ...client, is_active: true, ...fields }
  return (await accepted(world.as(by).post('/api/identity-providers/', body))).json()
}

export const linkUser = (world: World, name: string, provider_id: number, subject: string) =>
  accepted(world.as('ada').post(`/api/users/${world.people[name]!.id}/identities`, { provider_id, subject }))

/** The browser of a person at the service. */
export function openSsoBrowser(world: World, { at = 'acme/idp' } = {}) {
  const state = { login: undefined as string | undefined }
  return {
    state,
    /** Opens the page that sends it to the provider: that address. */
    async start(returnTo?: string) {
      const query = returnTo === undefined ? '' : `?${new URLSearchParams({ return_to: returnTo }).toString()}`
      const reply = await world.server.inject({ url: `/api/auth/oidc/${at}/start${query}` })
      assert.equal(reply.statusCode, 302, reply.body)
      state.login = loginCookieIn(reply)
      return String(reply.headers.location)
    },
    /** Comes back from the provider. */
    async comesBack(url: URL | string, { cookie = state.login }: { cookie?: string | undefined } = {}) {
      const { pathname, search } = new URL(url, publicUrl)
      const headers = { ...(cookie !== undefined && { cookie: `__Host-attest-login=${cookie}` }) }
      const reply = await world.server.inject({ url: pathname + search, headers })
      assert.equal(reply.statusCode, 302, reply.body)
      const location = String(reply.headers.location)
      const session = cookieSetIn(reply, '__Host-attest')
      return {
        reply,
        location,
        error: new URL(location).searchParams.get('error') ?? undefined,
        session: session === undefined ? undefined : `__Host-attest=${session}`,
      }
    },
  }
}

/** Somebody logs in by a real provider. */
export async function logInBySso(
  world: World,
  idp: Pick<Idp, 'issuer'>,
  {
    at,
    browser = openIdpBrowser(idp),
    returnTo,
  }: {
    at?: string
    browser?: ReturnType<typeof openIdpBrowser>
    returnTo?: string
  } = {},
) {
  const here = openSsoBrowser(world, at === undefined ? {} : { at })
  const back = await browser.follow(await here.start(returnTo))
  return { ...(await here.comesBack(back)), back, here, browser }
}

export const whoIs = async (world: World, session: string | undefined) =>
  (await sendWith(world, session!, 'GET', '/api/auth/me')).json()
