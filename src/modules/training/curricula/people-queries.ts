// The people of a curriculum, and the prerequisites of its programs.
import { type RawBuilder, sql } from 'kysely'
import { chainOf, readRoles } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { validlyCompleted } from '../assignments/queries.ts'

/**
 * `(select ...)` with the columns curriculum_id and user_id: the active people of each active curriculum, by role, with those that
 * inherit from it, and by group.
 */
export const curriculumPeople = async (tx: Tx): Promise<RawBuilder<{ curriculum_id: number; user_id: number }>> =>
  peopleOfCurricula(await readHeldRoles(tx))

/** Each role with each name of its chain. */
export interface HeldRoles {
  role_ids: readonly number[]
  names: readonly string[]
}

export async function readHeldRoles(tx: Tx): Promise<HeldRoles> {
  const roles = await readRoles(tx)
  const held = [...roles.keys()].flatMap(id => chainOf(roles, id).map(({ name }) => ({ id, name })))
  return { role_ids: held.map(({ id }) => id), names: held.map(({ name }) => name) }
}

/** `curriculumPeople` by these roles. */
export function peopleOfCurricula({
  role_ids,
  names,
}: HeldRoles): RawBuilder<{ curriculum_id: number; user_id: number }> {
  return sql`(
    select c.id as curriculum_id, u.id as user_id
    from curricula c
      join unnest(${role_ids}::bigint[], ${names}::text[]) as held (role_id, name)
        on held.name = any (c.role_names)
      join users u on u.role_id = held.role_id
    where c.status = 'active' and u.is_active and u.kind = 'person'
    union
    select c.id, u.id
    from curricula c
      join curriculum_groups g on g.curriculum_id = c.id
      join group_members m on m.group_id = g.group_id and m.removed_at is null
      join users u on u.id = m.user_id
    where c.status = 'active' and u.is_active)`
}

/**
 * `(select ...)` with the columns user_id, program_id and curriculum_id: the active programs that curricula require of people, assigned
 * or not.
 */
export const audienceOf = async (
  tx: Tx,
): Promise<RawBuilder<{ user_id: number; program_id: number; curriculum_id: number }>> => sql`(
    select people.user_id, of.program_id, of.curriculum_id
    from ${await curriculumPeople(tx)} as people
      join curriculum_programs of on of.curriculum_id = people.curriculum_id
      join training_programs p on p.id = of.program_id and p.status = 'active')`

interface Prerequisite {
  id: number
  number: string
  title: string
}

/**
 * The prerequisites that a person still has to complete before they begin this program: those before it in a curriculum of theirs
 * without a valid training or a waiver.
 */
export async function listPrerequisites(
  tx: Tx,
  { user_id, program_id, today }: { user_id: number; program_id: number; today: string },
): Promise<Prerequisite[]> {
  const found = await listPrerequisitesOf(tx, { user_id, program_ids: [program_id], today })
  return found.map(({ of, ...prerequisite }) => prerequisite)
}

/** The same for several programs: `of` is the one that waits. */
export async function listPrerequisitesOf(
  tx: Tx,
  { user_id, program_ids, today }: { user_id: number; program_ids: readonly number[]; today: string },
): Promise<(Prerequisite & { of: number })[]> {
  if (program_ids.length === 0) return []
  const { rows } = await sql<Prerequisite & { of: number }>`
    select p.id, p.number, p.title, required.of from training_programs p
      join (select distinct before.program_id, this.program_id as of
        from ${await curriculumPeople(tx)} as people
          join curriculum_programs this
            on this.curriculum_id = people.curriculum_id and this.program_id = any(${program_ids}::bigint[])
          join curriculum_programs before on before.curriculum_id = this.curriculum_id and before.position < this.position
        where before.is_prerequisite and people.user_id = ${user_id}) required on required.program_id = p.id
    where p.status = 'active'
      and not exists (select from training_assignments a
        where a.program_id = p.id and a.user_id = ${user_id} and ${validlyCompleted(today)})
      and (select a.status from training_assignments a where a.program_id = p.id and a.user_id = ${user_id}
        order by a.id desc limit 1) is distinct from 'waived'
    order by p.id`.execute(tx)
  return rows
}
