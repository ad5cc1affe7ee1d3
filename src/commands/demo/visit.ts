import type { Message } from '#kernel/message.ts'
import type { Tx } from '#platform/db/database.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../command.ts'
import { lines } from './messages.ts'
import { demoPassword } from './people.ts'

export interface File {
  name: string
  bytes: Buffer
}

/** One of the demo's people as a client of the API. Any refusal is thrown, because the demo must not be refused. */
export interface Person {
  get<T>(url: string): Promise<T>
  post<T>(url: string, body: object): Promise<T>
  put<T>(url: string, body: object): Promise<T>
  upload<T>(url: string, fields: Record<string, string | number>, file: File): Promise<T>
}

/** The tools of the parts of the demo. */
export interface Visit {
  as(username: string): Person
  /** Reads existing records to find out what is missing. */
  look<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  say(step: Message): void
}

/** The id of the user with this name. */
export const personId = (visit: Visit, username: string) =>
  visit.look(async tx => {
    const { id } = await tx.selectFrom('users').select('id').where('username', '=', username).executeTakeFirstOrThrow()
    return id
  })

/** The demo data of one module. A part adds what is missing. */
export type Part = (visit: Visit) => Promise<void>

export interface Progress {
  /** Announces each step beforehand. */
  say(step: Message): void
  /** Ends the work between two requests. The records are consistent, and the next start adds the rest. */
  signal: AbortSignal
}

/** Uses requests as over the network, so that the audit trail of the demo looks like a real one. */
export function openVisit({ server, services: { database } }: App, tenantId: number, { say, signal }: Progress): Visit {
  const tokens = new Map<string, string>()

  async function send<T>(
    method: 'GET' | 'POST' | 'PUT',
    url: string,
    payload?: object,
    headers: Record<string, string> = {},
  ) {
    signal.throwIfAborted()
    const response = await server.inject({ method, url, headers, ...(payload && { payload }) })
    if (response.statusCode < 300) return response.json<T>()
    throw new Error(`${method} ${url} answered ${response.statusCode}: ${response.body}`)
  }

  async function tokenOf(username: string): Promise<string> {
    const known = tokens.get(username)
    if (known) return known
    const login = { username, password: demoPassword }
    const { access_token } = await send<{ access_token: string }>('POST', '/api/auth/token', login).catch(cause => {
      signal.throwIfAborted()
      throw new Refusal(lines.demo_cannot_complete({ username }), { cause })
    })
    tokens.set(username, access_token)
    return access_token
  }
  const bearer = async (username: string) => ({ authorization: `Bearer ${await tokenOf(username)}` })

  return {
    as: username => ({
      get: async url => send('GET', url, undefined, await bearer(username)),
      post: async (url, body) => send('POST', url, body, await bearer(username)),
      put: async (url, body) => send('PUT', url, body, await bearer(username)),
      async upload(url, fields, { name, bytes }) {
        const form = new FormData()
        for (const [field, value] of Object.entries(fields)) form.append(field, String(value))
        form.append('file', new Blob([new Uint8Array(bytes)]), name)
        const encoded = new Response(form)
        const headers = { ...(await bearer(username)), 'content-type': encoded.headers.get('content-type')! }
        return send('POST', url, Buffer.from(await encoded.arrayBuffer()), headers)
      },
    }),
    look: work => database.transaction({ tenantId, userId: null }, 'read only', work),
    say,
  }
}
