import type { World } from '../world/world.ts'
import { ok } from './documents.ts'

/** A deputy of days that no test reaches. */
export async function addDeputy(
  world: World,
  { word, people }: { word: string; people: Record<'admin' | 'approver' | 'user', string> },
) {
  const { id } = ok(
    await world.as(people.admin).post('/api/deputies/', {
      person_id: world.people[people.user]!.id,
      deputy_id: world.people[people.approver]!.id,
      ...{ starts_on: '2199-01-01', ends_on: '2199-01-31', reason: word },
    }),
  )
  return { deputy: id as number, person_who_is_deputy: world.people[people.approver]!.id }
}
