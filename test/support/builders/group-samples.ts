import assert from 'node:assert/strict'
import type { World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'

/** A group with a member who is in it and one who was, and a curriculum of it. */
export async function addGroups(
  world: World,
  { word, people }: { word: string; people: Record<'admin' | 'author' | 'user', string> },
) {
  const admin = world.as(people.admin)
  const [member, former] = [world.people[people.user]!.id, world.people[people.admin]!.id]
  const group: Json = ok(
    await admin.post('/api/groups/', { name: `${word} group`, description: word }, { 'idempotency-key': 'group' }),
  )
  const url = `/api/groups/${group.id}`
  ok(await admin.post(`${url}/add-member`, { user_ids: [member, former], change_reason: word }))
  const removed = await admin.delete(`${url}/remove-member/${former}`, { change_reason: word })
  assert.equal(removed.statusCode, 204, removed.body)
  const curriculum: Json = ok(
    await admin.post('/api/training/curricula/', {
      name: `${word} curriculum`,
      description: word,
      role_names: ['Author', `${word} role`],
      group_ids: [group.id],
    }),
  )
  return { group: group.id as number, group_user: member, curriculum: curriculum.id as number }
}
