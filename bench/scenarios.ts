import { papers } from '#test/builders/documents.ts'
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
      (await drafts(world, count)).map(id => post(`/api/documents/${id}/approve`, { comment: 'Complete', password })),
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
