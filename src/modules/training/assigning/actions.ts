import { type ActionContext, command } from '#action'
import { conflict, invalidField, noneOf, notFound } from '#kernel/errors.ts'
import { reasonOf } from '#kernel/message.ts'
import type { Person } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { type JobAnswer, startJob } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { daysBetween, maxAtOnce } from '../assignments/rules.ts'
import { messages } from '../messages.ts'
import { findProgram, type ProgramRow } from '../programs/queries.ts'
import { readingOf } from '../programs/reading.ts'
import { maxDueDays } from '../rules.ts'
import { assignToGroups, requireGroups } from './groups.ts'
import { type AssignWork, assignJob, assignParts, countPeople, type Part } from './job.ts'
import type { Assigned } from './people.ts'
import { peopleByIds } from './queries.ts'
import { Assign, BulkAssign, WhoWasAssigned } from './schema.ts'

async function requirePeople(tx: Tx, ids: readonly number[]) {
  const there = new Set((await peopleByIds(tx, ids)).map(({ id }) => id))
  const missing = ids.filter(id => !there.has(id))
  if (missing.length > 0) throw noneOf('User', ids, missing)
}

async function requireDay(context: ActionContext<unknown>, due_date: string | undefined) {
  if (due_date === undefined) return
  const days = daysBetween(await todayOf(context), due_date)
  if (days < 0) throw invalidField('due_date', messages.training_due_date_past())
  if (days > maxDueDays)
    throw invalidField('due_date', messages.training_due_date_too_late({ maximum_days: maxDueDays }))
}

function requireActive({ number, status }: ProgramRow) {
  if (status !== 'active') throw conflict(messages.training_archived({ number }))
}

async function requireProgram(context: ActionContext<unknown>, id: number): Promise<ProgramRow> {
  const program = await findProgram(context.tx, id)
  if (!program) throw notFound('Training program')
  return program
}

/** Assigns few people at once, and many by a background job. */
async function assignOrQueue(
  context: ActionContext<unknown>,
  program: ProgramRow,
  parts: Part[],
  due_date: string | undefined,
): Promise<Assigned & { job: JobAnswer | null }> {
  const work: AssignWork = { program_id: program.id, parts, ...(due_date && { due_date }) }
  const total = countPeople(parts)
  if (total > maxAtOnce) {
    const job = await startJob(context, assignJob, { input: work, total })
    return { assigned: [], already_assigned: [], skipped: [], job }
  }
  return { ...(await assignParts(context, program, parts, due_date)), job: null }
}

/** The request is one audit entry, whatever became of each person; each assignment has an entry of its own. */
async function answer(
  { tx, record }: ActionContext<unknown>,
  program: ProgramRow,
  due_date: string | undefined,
  { assigned, already_assigned, skipped, job }: Assigned & { job: JobAnswer | null },
): Promise<WhoWasAssigned> {
  record('training_program.assigned', program.id, {
    number: program.number,
    after: {
      ...(due_date && { due_date }),
      ...(job
        ? { job_id: job.id, people: job.total }
        : { assigned: assigned.length, already_assigned: already_assigned.length, skipped: skipped.length }),
    },
  })
  const ids = [...assigned, ...already_assigned, ...skipped].map(({ user_id }) => user_id)
  const people = new Map((await peopleByIds(tx, ids)).map(each => [each.id, each]))
  const shown = ({ assignment_id, user_id }: { assignment_id: number; user_id: number }) => ({
    assignment_id,
    user: people.get(user_id) as Person,
  })
  return {
    training_id: program.id,
    assigned: assigned.map(shown),
    already_assigned: already_assigned.map(shown),
    skipped: skipped.map(({ user_id, reason }) => ({
      user_id,
      user: people.get(user_id) as Person,
      reason: reasonOf(reason),
    })),
    job,
  }
}

const howItIsDone = `People with an open assignment keep it; people who may not do it are skipped, with the reason. More than ${maxAtOnce} people are assigned by a background job, which the answer names: GET /api/jobs/{id} shows its progress.`

export const assign = command({
  summary: 'Assign a training to people and groups',
  description: `By \`training_id\`, or by \`document_id\` the reading of a document, which is created if there is none. ${howItIsDone} An assignment to a group reaches later members as well, until it is ended.`,
  permission: 'training.assign',
  input: { body: Assign },
  response: WhoWasAssigned,
  async run(context, { body }) {
    const { training_id, document_id, user_ids = [], group_ids = [], due_date } = body
    // A 404 comes before other refusals, so that another tenant's record looks like one that does not exist.
    await requirePeople(context.tx, user_ids)
    const requested = await requireGroups(context.tx, group_ids)
    const program =
      training_id !== undefined
        ? await requireProgram(context, training_id)
        : document_id !== undefined && (await readingOf(context, document_id))
    if (!program || (training_id !== undefined && document_id !== undefined))
      throw invalidField('training_id', messages.training_or_document_required())
    if (user_ids.length + group_ids.length === 0) throw invalidField('user_ids', messages.training_assignees_required())
    requireActive(program)
    await requireDay(context, due_date)
    const groups = await assignToGroups(context, program, requested, { due_date, except: user_ids })
    const parts = [{ source: 'manual' as const, user_ids: user_ids.toSorted((a, b) => a - b) }, ...groups.parts]
    const done = await assignOrQueue(context, program, parts, due_date)
    const skipped = groups.trained.map(user_id => ({ user_id, reason: messages.training_assignee_trained() }))
    return answer(context, program, due_date, { ...done, skipped: [...done.skipped, ...skipped] })
  },
})

export const bulkAssign = command({
  summary: 'Assign a training to many people',
  description: `${howItIsDone} People who are validly trained are skipped too; to train one of them again, use POST /api/training/assign.`,
  permission: 'training.bulk_assign',
  input: { body: BulkAssign },
  response: WhoWasAssigned,
  async run(context, { body }) {
    const { user_ids, due_date } = body
    await requirePeople(context.tx, user_ids)
    const program = await requireProgram(context, body.training_id)
    requireActive(program)
    await requireDay(context, due_date)
    const parts = [{ source: 'bulk' as const, user_ids: user_ids.toSorted((a, b) => a - b) }]
    return answer(context, program, due_date, await assignOrQueue(context, program, parts, due_date))
  },
})
