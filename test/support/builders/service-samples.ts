import assert from 'node:assert/strict'
import type { Permission } from '#kernel/catalogue.ts'
import type { World } from '../world/world.ts'
import { ok } from './documents.ts'

const yearMs = 365 * 24 * 60 * 60 * 1000

/** A machine of the tenant, with a key. */
export async function addServiceAccount(world: World, { word, admin }: { word: string; admin: string }) {
  const { id, keys } = await openMachine(world, {
    ...{ by: admin, username: `${word}-machine`, full_name: `${word} machine`, name: `${word} key` },
  })
  // One that was used and revoked, with words of its own.
  const used = await issueKey(world, id, { by: admin, name: `${word} former key` })
  ok(await byKey(world, used.api_key).get('/api/documents/'))
  const gone = await world.as(admin).delete(`/api/service-accounts/${id}/keys/${used.id}`)
  assert.equal(gone.statusCode, 204, gone.body)
  return { service_account: id, service_account_key: keys[0]!.id }
}

interface MachineToOpen {
  by?: string
  username: string
  full_name?: string
  owner?: string
  /** Beside the role User. */
  granted?: Permission[]
  permissions?: Permission[]
  networks?: string[]
  expires_at?: Date
  name?: string
}

export const issueKey = async (
  world: World,
  id: number,
  {
    by = 'ada',
    name = 'Line 3',
    permissions = ['documents.read', 'deviations.read', 'deviations.create'],
    networks = [],
    expires_at = new Date(world.clock.now().getTime() + yearMs),
  }: Partial<Omit<MachineToOpen, 'username'>> = {},
) => {
  const body = { name, permissions, networks, expires_at: expires_at.toISOString() }
  const key = ok(await world.as(by).post(`/api/service-accounts/${id}/keys`, body))
  assert.match(key.api_key, /^att_/)
  return key as { id: number; api_key: string; prefix: string; expires_at: string }
}

/** Requests by a key. */
export const byKey = (world: World, api_key: string) => {
  const send = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: object,
    headers: Record<string, string> = {},
  ) =>
    world.server.inject({
      ...{ method, url, headers: { authorization: `Bearer ${api_key}`, ...headers } },
      ...(payload && { payload }),
    })
  return {
    get: (url: string, headers?: Record<string, string>) => send('GET', url, undefined, headers),
    post: (url: string, payload?: object, headers?: Record<string, string>) => send('POST', url, payload, headers),
    put: (url: string, payload?: object) => send('PUT', url, payload),
    delete: (url: string) => send('DELETE', url),
    status: async () => (await send('GET', '/api/documents/')).statusCode,
  }
}

/** A service account with a key, and requests by it. */
export async function openMachine(
  world: World,
  { by = 'ada', username, full_name = 'LIMS of line 3', owner = by, granted = [], ...key }: MachineToOpen,
) {
  const body = { username, full_name, owner_id: world.people[owner]!.id, granted }
  const { id } = ok(await world.as(by).post('/api/service-accounts/', body))
  const issued = await issueKey(world, id, { by, ...key })
  return { id: id as number, keys: [issued], ...byKey(world, issued.api_key) }
}
