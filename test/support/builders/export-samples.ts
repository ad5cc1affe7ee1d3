import assert from 'node:assert/strict'
import type { World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'

const url = '/api/tenant-exports/'

/** An export that was deleted before it was made, so that another one can be asked for. */
export async function addTenantExport(world: World, { word, by }: { word: string; by: string }) {
  const { id }: Json = ok(await world.as(by).post(url, { reason: word }))
  assert.equal((await world.as(by).delete(`${url}${id}`)).statusCode, 204)
  return { tenant_export: id as number }
}

/** An export that is ready to be downloaded. */
export async function readyExport(world: World, { by = 'ada', reason = 'The contract ends' } = {}) {
  // There is one at a time.
  await world.work()
  const { id }: Json = ok(await world.as(by).post(url, { reason }))
  await world.work()
  return id as number
}
