import { proveActs, withPasskey } from '#test/builders/authenticator.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { password, pdf, type World } from '#test/world/world.ts'
import type { Size } from './fill.ts'
import type { Asked } from './load.ts'

export interface Scenario {
  name: string
  by: string
  /** Each request can be made only once, so those of a round are prepared for it. */
  once?: boolean
  /** The contenders that run the same statements without Attest; a peer of another make answers it too. */
  peers?: readonly ('bare' | 'pgbench' | 'fastapi')[]
  /** How much of a peer must be left: the budgets. */
  budget?: { peer: 'bare' | 'pgbench'; ratio: number }
  /** So many requests, one unlike the other. */
  requests(world: World, size: Size, count: number): Promise<Request[]> | Request[]
}
export type Request = Pick<Asked, 'method' | 'path'> & { json?: object; form?: Record<string, string | Buffer> }

const get = (path: string): Request => ({ method: 'GET', path })
const post = (path: string, json: object): Request => ({ method: 'POST', path, json })
const spread = (count: number, most: number) =>
  Array.from({ length: count }, (_, n) => 1 + Math.floor((n * most) / count))
const words = ['batch deviation', 'autoclave', 'calibration', 'cleaning line', 'gowning']
/** Ids of documents that `seedDocuments` makes. */
const documentsOf = (world: World, { documents }: Size, count: number) =>
  spread(count, documents).map(n => 1_000_000 * world.people.alan!.tenant_id + n)

const deviation = {
  title: 'Alarm of a freezer ignored',
  description: 'An alarm of the freezer was ignored for two hours, and what it held was used.',
  severity: 'critical',
}

const drafts = async (world: World, count: number) => {
  const { submitted } = papers(world)
  const ids: number[] = []
  for (let n = 0; n < count; n++) ids.push((await submitted({ title: `Gowning for room ${n}` })).id)
  return ids
}

/** Passkeys of each world, registered once. A counter would refuse answers that arrive in another order. */
const passkeys = new WeakMap<World, Map<string, ReturnType<typeof withPasskey>>>()
async function passkeyOf(world: World, name: string, number = 0) {
  const known = passkeys.get(world) ?? new Map<string, ReturnType<typeof withPasskey>>()
  passkeys.set(world, known)
  const key = `${name} ${number}`
  const registered = known.get(key) ?? withPasskey(world, name, { counts: false })
  known.set(key, registered)
  return (await registered).authenticator
}

const complete = { comment: 'Complete' }
const approvals = async (world: World, count: number) =>
  (await drafts(world, count)).map(id => `/api/documents/${id}/approve`)

const reads = (name: string, paths: Scenario['requests'], more: Partial<Scenario> = {}): Scenario => ({
  name,
  by: 'quinn',
  peers: ['bare', 'pgbench'],
  budget: { peer: 'bare', ratio: 0.7 },
  requests: paths,
  ...more,
})

/** The everyday requests. Those that leave the service with work afterwards come last, so that nothing is measured beside it. */
export const scenarios: Scenario[] = [
  {
    name: 'log in',
    by: 'quinn',
    requests: () => [post('/api/auth/token', { username: 'quinn', password })],
  },
  {
    // No password is hashed, so that what a log-in costs besides can be seen. A passkey takes no answer to an older challenge than its last,
    // so each request has a passkey of its own; a person has twenty at most.
    name: 'log in with a passkey',
    by: 'quinn',
    once: true,
    async requests(world, _size, count) {
      const requests: Request[] = []
      for (let n = 0; n < count; n++) {
        const authenticator = await passkeyOf(world, n % 2 === 0 ? 'quinn' : 'alan', n >> 1)
        const options = ok(await world.as('quinn').post('/api/auth/passkeys/login/options'))
        requests.push(post('/api/auth/passkeys/login', { response: authenticator.get(options) }))
      }
      return requests
    },
  },
  reads('list documents', () => [get('/api/documents/')], { peers: ['bare', 'pgbench', 'fastapi'] }),
  reads(
    'read a document',
    (world, size, count) => documentsOf(world, size, count).map(id => get(`/api/documents/${id}`)),
    { peers: ['bare', 'pgbench', 'fastapi'] },
  ),
  reads('list deviations', () => [get('/api/deviations/')]),
  reads('read a deviation', (_world, { deviations }, count) =>
    spread(count, deviations).map(id => get(`/api/deviations/${id}`)),
  ),
  reads('search', () => words.map(word => get(`/api/search/?q=${encodeURIComponent(word)}`))),
  reads('dashboard', () => [get('/api/dashboard/stats')]),
  reads('list the audit trail', () => [get('/api/audit/')]),
  reads('read an audit entry', async (world, _size, count) => {
    const found = await world.rows<{ id: string }>(
      `select min(id) as id from (select id, ntile($1) over (order by id) as part from audit_entries where tenant_id = $2) e
       group by part order by part`,
      [count, world.people.quinn!.tenant_id],
    )
    return found.map(({ id }) => get(`/api/audit/${id}`))
  }),
  {
    name: 'export 10,000 audit entries',
    by: 'quinn',
    requests: () => [get('/api/audit/export?seq_from=1&seq_to=10000')],
  },
  {
    name: 'download a document',
    by: 'petra',
    requests: async (world, _size, count) =>
      (await drafts(world, count)).map(id => get(`/api/documents/${id}/download`)),
  },
  {
    name: 'report a deviation',
    by: 'alan',
    peers: ['bare', 'pgbench'],
    budget: { peer: 'pgbench', ratio: 0.5 },
    requests: (_world, _size, count) => Array.from({ length: count }, () => post('/api/deviations/', deviation)),
  },
  {
    name: 'approve with a signature',
    by: 'petra',
    once: true,
    requests: async (world, _size, count) =>
      (await approvals(world, count)).map(path => post(path, { ...complete, password })),
  },
  {
    // The same without the hash of a password.
    name: 'approve after a fresh log-in',
    by: 'petra',
    once: true,
    requests: async (world, _size, count) => (await approvals(world, count)).map(path => post(path, complete)),
  },
  {
    // The passkey has signed what is approved before.
    name: 'approve with a passkey',
    by: 'petra',
    once: true,
    async requests(world, _size, count) {
      const authenticator = await passkeyOf(world, 'petra')
      const prove = (path: string) =>
        proveActs((url, body) => world.as('petra').post(url, body), authenticator, [{ path, body: complete }])
      const requests: Request[] = []
      for (const path of await approvals(world, count))
        requests.push(post(path, { ...complete, signing_challenge: await prove(path) }))
      return requests
    },
  },
  {
    name: 'upload a document',
    by: 'alan',
    requests: async world => [
      {
        method: 'POST',
        path: '/api/documents/upload',
        form: { file: pdf(), document_type: String(await world.typeId('SOP')), title: 'Gowning' },
      },
    ],
  },
]

/** As the load sends it. */
export async function askedOf(world: World, by: string, request: Request): Promise<Asked> {
  const headers: Record<string, string> = { authorization: `Bearer ${await world.tokenOf(by)}` }
  const { json, form, ...asked } = request
  if (json)
    return {
      ...asked,
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(json)).toString('base64'),
    }
  if (!form) return { ...asked, headers }
  const fields = new FormData()
  for (const [field, value] of Object.entries(form)) {
    if (typeof value === 'string') fields.append(field, value)
    else fields.append(field, new Blob([new Uint8Array(value)]), 'procedure.pdf')
  }
  const encoded = new Response(fields)
  return {
    ...asked,
    headers: { ...headers, 'content-type': encoded.headers.get('content-type')! },
    body: Buffer.from(await encoded.arrayBuffer()).toString('base64'),
  }
}
