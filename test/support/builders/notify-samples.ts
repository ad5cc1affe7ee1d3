import type { World } from '../world/world.ts'
import { ok } from './documents.ts'

/** Notification preferences of a person. */
export async function addPreferences(world: World, person: string) {
  const preferences = [{ type: 'document_moved', in_app: true, email: 'none' }]
  ok(await world.as(person).put('/api/notifications/preferences', { preferences }))
}
