import assert from 'node:assert/strict'
import { password, type World } from '../world/world.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Headers = Record<string, string>

/** What a browser adds to whatever a page of ours sends. */
export const ours: Headers = { 'sec-fetch-site': 'same-origin' }

export const logInBrowser = (world: World, username: string, { secret = password, headers = {} as Headers } = {}) =>
  world.server.inject({
    method: 'POST',
    url: '/api/auth/session',
    headers: { ...ours, ...headers },
    payload: { username, password: secret },
  })

/** The cookie that an answer sets, as the browser sends it back. */
export function cookieIn({ headers }: { headers: Record<string, unknown> }): string {
  const [, cookie] = /^(__Host-attest=[^;]+);/.exec(String(headers['set-cookie'])) ?? []
  assert.ok(cookie, 'the answer sets no cookie')
  return cookie
}

export const sendWith = (
  world: World,
  cookie: string,
  method: Method,
  url: string,
  { payload, headers = ours }: { payload?: object; headers?: Headers } = {},
) => world.server.inject({ method, url, headers: { cookie, ...headers }, ...(payload && { payload }) })

/** A person at a browser, logged in. */
export async function openBrowser(world: World, username: string, { agent = 'Firefox', secret = password } = {}) {
  const reply = await logInBrowser(world, username, { secret, headers: { 'user-agent': agent } })
  assert.equal(reply.statusCode, 204, reply.body)
  const cookie = cookieIn(reply)
  return {
    cookie,
    get: (url: string, headers?: Headers) => sendWith(world, cookie, 'GET', url, headers && { headers }),
    post: (url: string, payload?: object, headers?: Headers) =>
      sendWith(world, cookie, 'POST', url, { ...(payload && { payload }), ...(headers && { headers }) }),
    delete: (url: string) => sendWith(world, cookie, 'DELETE', url),
    /** 200 while the session is live. */
    status: async () => (await sendWith(world, cookie, 'GET', '/api/auth/session')).statusCode,
  }
}
export type Browser = Awaited<ReturnType<typeof openBrowser>>

/** The token of a log-in, and its session. */
export async function logInProgram(world: World, username: string, { agent = 'curl', secret = password } = {}) {
  const reply = await world.server.inject({
    method: 'POST',
    url: '/api/auth/token',
    headers: { 'user-agent': agent },
    payload: { username, password: secret },
  })
  assert.equal(reply.statusCode, 200, reply.body)
  const token = reply.json().access_token as string
  const send = (method: Method, url: string, payload?: object) =>
    world.server.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) })
  return {
    token,
    get: (url: string) => send('GET', url),
    post: (url: string, payload?: object) => send('POST', url, payload),
    delete: (url: string) => send('DELETE', url),
    status: async () => (await send('GET', '/api/auth/session')).statusCode,
  }
}
