import type { World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'

/** Training assignments for tests. Quinn manages training. */
export function assignments(world: World) {
  const { as, people } = world
  let made = 0
  const ids = (names: readonly string[]) => names.map(name => people[name]!.id)
  return {
    ids,
    program: async (fields: object = {}): Promise<Json> =>
      ok(await as('quinn').post('/api/training/', { title: `Gowning ${++made}`, type: 'on_the_job', ...fields })),
    group: async (...names: string[]): Promise<Json> => {
      const group = ok(await as('ada').post('/api/groups/', { name: `Group of training ${++made}` }))
      if (names.length > 0) ok(await as('ada').post(`/api/groups/${group.id}/add-member`, { user_ids: ids(names) }))
      return group
    },
    assign: async (body: object, by = 'quinn'): Promise<Json> => ok(await as(by).post('/api/training/assign', body)),
    complete: async (name: string, training_id: number, body: object = {}): Promise<Json> =>
      ok(await as(name).post(`/api/training/${training_id}/complete`, body)),
    /** A person's assignments of a program, the newest last. */
    of: (name: string, training_id: number) =>
      world.rows<{ id: number; status: string; source: string; due_date: string; reason: string | null }>(
        `select id::int, status, source, due_date::text, reason from training_assignments
         where user_id = $1 and program_id = $2 order by id`,
        [people[name]!.id, training_id],
      ),
  }
}

/** People of acme beside those who have names, who never log in. Their ids. */
export async function addCrowd(world: World, count: number, role = 'User'): Promise<number[]> {
  const { tenant_id } = world.people.ada!
  await world.rows('begin')
  await world.rows('set local session_replication_role = replica')
  const rows = await world.rows<{ id: number }>(
    `insert into users (tenant_id, username, email, full_name, role_id)
     select $1, 'crowd' || n, 'crowd' || n || '@example.com', 'Crowd ' || n,
       (select id from roles where tenant_id = $1 and name = $3)
     from generate_series(1, $2::int) n returning id::int`,
    [tenant_id, count, role],
  )
  await world.rows('commit')
  return rows.map(({ id }) => id)
}

/** The world's clock goes on by days. */
export const daysGoBy = (world: World, days: number) => {
  world.clock.moved_ms += days * 86_400_000
}

/** The day that it is in UTC, by the world's clock, or some days from it. */
export const dayOf = (world: World, days = 0) =>
  new Date(world.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)
