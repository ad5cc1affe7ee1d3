import type { ActionContext } from '#action'
import { daysLater } from '#kernel/day.ts'
import { conflict } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { holding, todayOf } from '#modules/accounts'
import { noticeAfter } from '../assignments/rules.ts'
import { messages } from '../messages.ts'
import { findProgram, type ProgramRow } from '../programs/queries.ts'
import type { AssignmentSource } from '../rules.ts'
import {
  insertAssignments,
  latestAssignments,
  lockPeople,
  silenceRenewed,
  validlyTrained,
  versionInForce,
} from './queries.ts'

interface Origin {
  source: AssignmentSource
  /** The id of the group, curriculum or version; for a renewal, by person, the id of the previous assignment. */
  source_id?: number | ReadonlyMap<number, number>
  /** Defaults to today and the due days of the program. */
  due_date?: string
}

export interface Assigned {
  assigned: { assignment_id: number; user_id: number }[]
  already_assigned: { assignment_id: number; user_id: number }[]
  skipped: { user_id: number; reason: Message }[]
}

/**
 * Assigns a program to the people who can do it and have no open assignment of it; at most some hundred at a time. Document, program,
 * people and assignments are locked in this order, so that no release, archiving or deactivation at the same moment misses an assignment.
 */
export async function assignPeople(
  context: ActionContext<unknown>,
  program: ProgramRow,
  user_ids: readonly number[],
  { source, source_id, due_date }: Origin,
): Promise<Assigned> {
  const { tx, record } = context
  const version = program.type === 'read_and_understand' ? await versionInForce(tx, program.document_id!) : undefined
  const now = await findProgram(tx, program.id, { lock: 'share' })
  if (now?.status !== 'active') throw conflict(messages.training_archived({ number: program.number }))
  const today = await todayOf(context)
  const due = due_date ?? daysLater(today, program.due_days)
  const people = await lockPeople(tx, user_ids, await holding(tx, 'training.complete', 'u'))
  const permitted = people.filter(({ is_active, holds }) => is_active && holds).map(({ id }) => id)
  // A long list of people is drawn up by what they do, as a group is; a person who is assigned by name is trained again.
  const trained = new Set(source === 'bulk' ? await validlyTrained(tx, program.id, permitted, today) : [])
  const able = permitted.filter(id => !trained.has(id))
  const sourceIdOf = (id: number) => (typeof source_id === 'object' ? source_id.get(id) : source_id) ?? null
  const assigned = await insertAssignments(tx, able, {
    program_id: program.id,
    source,
    source_ids: able.map(sourceIdOf),
    document_id: program.document_id,
    version_id: version?.id ?? null,
    due_date: due,
    notice_on: noticeAfter(today, due),
  })
  const isAssigned = new Set(assigned.map(({ user_id }) => user_id))
  await silenceRenewed(tx, program.id, [...isAssigned])
  for (const { assignment_id, user_id } of assigned)
    record('training_assignment.assigned', assignment_id, {
      number: program.number,
      after: {
        program_id: program.id,
        number: program.number,
        title: program.title,
        user_id,
        due_date: due,
        document_version: version?.version ?? null,
        source,
        revision: 1,
      },
      // A renewal has its own notification, which says that the qualification ends.
      notify: source === 'requalification' ? [] : [user_id],
    })
  return {
    assigned,
    already_assigned: await latestAssignments(
      tx,
      program.id,
      able.filter(id => !isAssigned.has(id)),
    ),
    skipped: people
      .filter(({ id, is_active, holds }) => !is_active || !holds || trained.has(id))
      .map(({ id, is_active, holds }) => ({
        user_id: id,
        reason: !is_active
          ? messages.training_assignee_inactive()
          : holds
            ? messages.training_assignee_trained()
            : messages.training_assignee_not_permitted(),
      })),
  }
}
