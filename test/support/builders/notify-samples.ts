import type { World } from '../world/world.ts'
import { ok } from './documents.ts'

/** Preferences of a person, for notifications and for the pages. */
export async function addPreferences(world: World, person: string, word: string) {
  const preferences = [{ type: 'document_moved', in_app: true, email: 'none' }]
  ok(await world.as(person).put('/api/notifications/preferences', { preferences }))
  ok(await world.as(person).put('/api/auth/preferences', { language: 'de', views: { documents: [word] } }))
}
