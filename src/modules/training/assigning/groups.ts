import { Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import { AppError, noneOf, notFound } from '#kernel/errors.ts'
import { Id, IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { daysBetween } from '../assignments/rules.ts'
import { messages } from '../messages.ts'
import { findProgram, type ProgramRow } from '../programs/queries.ts'
import { membersOf } from './audience-queries.ts'
import type { Part } from './job.ts'
import { closeGroupAssignment, type Group, insertGroupAssignment, listGroupAssignments, lockGroups } from './queries.ts'
import { GroupAssignment } from './schema.ts'

/** Locks the groups against deletion, or throws the 404 that names the missing ones. */
export async function requireGroups(tx: Tx, ids: readonly number[]): Promise<Group[]> {
  const groups = await lockGroups(tx, ids)
  const missing = ids.filter(id => !groups.some(group => group.id === id))
  if (missing.length > 0) throw noneOf('Group', ids, missing)
  return groups
}

/** Assigns a program to groups, also for later members, and answers which members need it now. */
export async function assignToGroups(
  context: ActionContext<unknown>,
  program: ProgramRow,
  groups: readonly Group[],
  { due_date, except }: { due_date: string | undefined; except: readonly number[] },
): Promise<{ parts: Part[]; trained: number[] }> {
  const { tx, record } = context
  const today = await todayOf(context)
  // Later members get as many days as the present ones.
  const due_days = due_date === undefined ? null : Math.max(1, daysBetween(today, due_date))
  const taken = new Set(except)
  const trained = new Set<number>()
  const parts: Part[] = []
  for (const { id, name } of groups) {
    if (await insertGroupAssignment(tx, program.id, id, due_days))
      record('training_program.group_assigned', program.id, {
        number: program.number,
        after: { group_id: id, group: name, due_days },
      })
    const members = (await membersOf(tx, id, program.id, today)).filter(({ user_id }) => !taken.has(user_id))
    for (const { user_id, is_trained } of members) {
      taken.add(user_id)
      if (is_trained) trained.add(user_id)
    }
    const user_ids = members.filter(({ is_trained }) => !is_trained).map(({ user_id }) => user_id)
    parts.push({ source: 'group', source_id: id, user_ids })
  }
  return { parts, trained: [...trained] }
}

export const groupAssignments = query({
  summary: 'List the groups that a training is assigned to',
  permission: 'training.read_all',
  input: { params: IdParams },
  response: Type.Array(GroupAssignment),
  async run({ tx }, { params }) {
    if (!(await findProgram(tx, params.id))) throw notFound('Training program')
    return listGroupAssignments(tx, params.id)
  },
})

export const endGroupAssignment = command({
  summary: 'End the assignment of a training to a group',
  description: 'Later members are not assigned it any more. Open assignments of the members stay.',
  permission: 'training.assign',
  input: { params: Type.Object({ id: Id, group_id: Id }) },
  response: Type.Null(),
  async run({ tx, record }, { params }) {
    const program = await findProgram(tx, params.id, { lock: 'share' })
    if (!program) throw notFound('Training program')
    const ended = await closeGroupAssignment(tx, program.id, params.group_id)
    if (!ended) throw new AppError(404, messages.training_not_assigned_to_group({ number: program.number }))
    record('training_program.group_unassigned', program.id, {
      number: program.number,
      before: { group_id: params.group_id, group: ended.group },
    })
    return null
  },
})
