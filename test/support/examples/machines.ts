import { inDays, type Scene } from './scene.ts'

/** A machine gets an account and keys, and loses them. */
export async function machines({ ask, person }: Scene) {
  const { id } = await ask('POST /api/service-accounts/', 'nora', {
    body: { username: 'lims-3', full_name: 'LIMS of line 3', owner_id: person('priya') },
  })
  const params = { id }
  await ask('GET /api/service-accounts/', 'nora', { query: { page_size: 1 } })
  await ask('GET /api/service-accounts/:id', 'nora', { params })
  await ask('PUT /api/service-accounts/:id', 'nora', {
    params,
    body: { requests_per_second: 50, change_reason: 'Sends the results of a whole shift at once' },
  })
  const { id: key_id } = await ask('POST /api/service-accounts/:id/keys', 'nora', {
    params,
    body: {
      name: 'Server lims3',
      permissions: ['deviations.read', 'deviations.create'],
      networks: ['10.20.0.0/16'],
      expires_at: `${inDays(180)}T00:00:00.000Z`,
    },
  })
  const rotated = await ask('POST /api/service-accounts/:id/keys/:key_id/rotate', 'nora', {
    params: { id, key_id },
    body: { overlap_hours: 24 },
  })
  await ask('GET /api/service-accounts/:id/keys', 'nora', { params })
  await ask('DELETE /api/service-accounts/:id/keys/:key_id', 'nora', { params: { id, key_id: rotated.id } })
  await ask('POST /api/service-accounts/:id/deactivate', 'nora', {
    params,
    body: { change_reason: 'Line 3 was closed' },
  })
}
