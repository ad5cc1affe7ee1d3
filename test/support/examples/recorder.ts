import { createHash } from 'node:crypto'
import type { Example } from '#http/examples.ts'
import type { App } from '../../../src/app.ts'
import { demoPassword } from '../../../src/commands/demo/people.ts'

export interface Asked {
  params?: Record<string, string | number>
  query?: Record<string, string | number>
  body?: Record<string, unknown>
  form?: Record<string, string | number>
  file?: { name: string; bytes: Buffer }
  /** A form of names and values. */
  fields?: Record<string, string>
  /** The name of this way to use an operation that has several examples. */
  variant?: string
  /** The documented answer to keep where it is not that of the route. */
  status?: number
  /** The refusal by a demo of what only an empty installation takes: its request is kept, and it has no answer. */
  refusedWith?: number
}
// biome-ignore lint/suspicious/noExplicitAny: the schemas check the answers
type Json = any

/** Sends requests as the demo's people, and keeps each with its answer as an example. */
export function recordExamples({ server, routes }: App) {
  const operations: Record<string, Example> = {}
  const passwords = new Map<string, string>()
  const tokens = new Map<string, string>()

  async function inject(
    method: string,
    url: string,
    token: string | undefined,
    { body, form, file, fields }: Asked = {},
    headers: Record<string, string> = {},
  ) {
    const sent = fields ? encodedFields(fields) : await encoded(form, file)
    const payload = sent.payload ?? body
    return server.inject({
      method: method as 'GET',
      url,
      headers: { ...sent.headers, ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      ...(payload && { payload }),
    })
  }

  async function tokenOf(username: string, otp?: string) {
    const known = tokens.get(username)
    if (known) return known
    const password = passwords.get(username) ?? demoPassword
    const reply = await inject('POST', '/api/auth/token', undefined, {
      body: { username, password, ...(otp && { otp }) },
    })
    if (reply.statusCode !== 200) throw new Error(`log-in of ${username}: ${reply.body}`)
    const token = reply.json().access_token as string
    tokens.set(username, token)
    return token
  }

  /** A request that is no example. */
  async function send(method: string, url: string, by: string, asked: Asked = {}): Promise<Json> {
    const reply = await inject(method, url, await tokenOf(by), asked)
    if (reply.statusCode >= 300) throw new Error(`${method} ${url} as ${by}: ${reply.statusCode} ${reply.body}`)
    return reply.body ? reply.json() : undefined
  }

  /** A request that becomes the example of its route. Without `by` nobody is logged in. */
  async function ask(name: string, by?: string, asked: Asked = {}): Promise<Json> {
    const route = routes.find(({ method, url }) => name === `${method} ${url}`)
    if (!route) throw new Error(`there is no route ${name}`)
    const {
      params = {},
      query = {},
      body,
      form,
      file,
      fields,
      variant,
      refusedWith,
      status = refusedWith ?? route.status,
    } = asked
    const path = route.url.replace(/:(\w+)/g, (_, parameter: string) => String(params[parameter]))
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString()
    const token = by === undefined ? undefined : await tokenOf(by)
    const reply = await inject(String(route.method), search ? `${path}?${search}` : path, token, asked)
    if (reply.statusCode !== status) throw new Error(`${name} as ${by}: ${reply.statusCode} ${reply.body}`)
    const isJson = String(reply.headers['content-type']).startsWith('application/json') && reply.body !== ''
    const answer = isJson && refusedWith === undefined ? reply.json() : undefined
    if (refusedWith === undefined && status !== route.status) return answer
    const { page: _page, page_size: _size, limit: _limit, ...shownQuery } = query
    const shown = { ...params, ...shownQuery }
    const request = form ? { ...(file && { file: file.name }), ...form } : (fields ?? body)
    const kept = {
      ...(request && { request: steady(request) as Record<string, unknown> }),
      ...(answer !== undefined && { answer: steady(shortened(answer)) }),
    }
    const operation = name.replace(/:(\w+)/g, '{$1}')
    const known = operations[operation]
    operations[operation] =
      variant !== undefined && known?.variant !== undefined
        ? { ...known, variants: { ...known.variants, [variant]: kept } }
        : {
            ...(Object.keys(shown).length > 0 && { params: steady(shown) as Record<string, string | number> }),
            ...kept,
            ...(variant !== undefined && { variant }),
          }
    return answer
  }

  return {
    operations,
    inject,
    tokenOf,
    send,
    ask,
    /** From now on the person logs in with that password. */
    changed(username: string, password = passwords.get(username) ?? demoPassword) {
      passwords.set(username, password)
      tokens.delete(username)
    },
  }
}
export type Recorder = ReturnType<typeof recordExamples>

const encodedFields = (fields: Record<string, string>) => ({
  payload: Buffer.from(new URLSearchParams(fields).toString()),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

async function encoded(
  form: Asked['form'],
  file: Asked['file'],
): Promise<{ payload?: Buffer; headers: Record<string, string> }> {
  if (!form) return { headers: {} }
  const data = new FormData()
  for (const [name, value] of Object.entries(form)) data.append(name, String(value))
  if (file) data.append('file', new Blob([new Uint8Array(file.bytes)]), file.name)
  const response = new Response(data)
  return {
    payload: Buffer.from(await response.arrayBuffer()),
    headers: { 'content-type': response.headers.get('content-type')! },
  }
}

const longest_text = 240
const most_items = 2

/** Short enough to be read: two items of a list, the beginning of a text. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > longest_text ? `${value.slice(0, longest_text).trimEnd()} …` : value
  if (Array.isArray(value)) return value.slice(0, most_items).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]))
}

const shown_day = '2026-03-02'
const day_ms = 86_400_000
const today = () => Date.parse(new Date().toISOString().slice(0, 10))
/** The same distance from the day of the examples as from today. */
const shownDay = (day: string) => new Date(Date.parse(shown_day) + Date.parse(day) - today()).toISOString().slice(0, 10)

const isNear = (day: string) => Math.abs(Date.parse(day) - today()) < 4000 * day_ms
const digestOf = (name: string, encoding: 'hex' | 'base64' | 'base64url' = 'hex') =>
  createHash('sha256').update(`example ${name}`).digest(encoding)

/** What a browser and its authenticator make anew each time. */
const webAuthnBytes = [
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'rawId',
  'userHandle',
  'challenge',
]

/** Without what differs between two runs: moments, digests, keys, tokens and measurements. */
export function steady(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map(each => steady(each, name))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, steady(each, key)]))
  if (typeof value === 'number' && /_(ms|seconds|bytes|mb)$/.test(name) && !/max|quota|limit/.test(name))
    return value === 0 ? 0 : Number.isInteger(value) ? 42 : 4.2
  if (typeof value !== 'string') return value
  if (name === 'access_token' || name === 'token' || name === 'logout_token')
    return 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI1In0.c2lnbmF0dXJl'
  if (name === 'secret') return 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  if (name === 'api_key') return 'att_2-1_ShownThisOnceAndKeptNowhere00000000000000000000000'
  if (name === 'otp') return '123456'
  if (webAuthnBytes.includes(name) || (name === 'id' && /^[A-Za-z0-9_-]{40,}$/.test(value)))
    return digestOf(name, 'base64url')
  return value
    .replace(/"salt":"[^"]+"/, '"salt":"c2FsdCBvZiB0aGUgdGV4dA"')
    .replace(
      /(state|nonce|code_challenge)=[\w.-]+/g,
      (_, parameter: string) => `${parameter}=${digestOf(parameter, 'base64url')}`,
    )
    .replace(/secret=[A-Z2-7]+/, 'secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
    .replace(/\b[0-9a-f]{64}\b/g, digestOf(name))
    .replace(
      /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
      '6f1f4a3e-2b7d-4c53-9a41-0d6c5e8b7a90',
    )
    .replace(/\b[0-9a-f]{32}\b/g, digestOf(name).slice(0, 32))
    .replace(/\b(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?Z/g, (_, day: string, fraction = '') =>
      isNear(day) ? `${shownDay(day)}T09:30:00${fraction.replace(/\d/g, '0')}Z` : `${day}T00:00:00Z`,
    )
    .replace(/\b\d{4}-\d\d-\d\d\b(?!T)/g, day => (isNear(day) ? shownDay(day) : day))
    .replace(/^(?=.*[+/=A-Z])[A-Za-z0-9+/]{40,}={0,2}$/, text =>
      digestOf(name, 'base64').padEnd(text.length, 'A').slice(0, text.length),
    )
}

/** Where the two differ in what they have, whatever the values are: an example that no longer looks like the answer. */
export function differences(example: unknown, live: unknown, at = ''): string[] {
  if (example === null || live === null || example === undefined || live === undefined) return []
  if (Array.isArray(example) && Array.isArray(live))
    return example.length > 0 && live.length > 0 ? differences(example[0], live[0], `${at}[]`) : []
  if (typeof example !== typeof live || Array.isArray(example) !== Array.isArray(live)) return [at]
  if (typeof example !== 'object') return []
  const [had, has] = [Object.keys(example), Object.keys(live as object)]
  return [...new Set([...had, ...has])].flatMap(key =>
    had.includes(key) && has.includes(key)
      ? differences((example as Json)[key], (live as Json)[key], `${at}.${key}`)
      : [`${at}.${key}`],
  )
}
