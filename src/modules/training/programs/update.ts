import { isDeepStrictEqual } from 'node:util'
import { type ActionContext, command } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { messages } from '../messages.ts'
import { programDefaults } from '../rules.ts'
import { refuseOpening, refuseSecondReading, refuseWithoutQuestions, requireValidQuestions } from './actions.ts'
import { cancelOpen, refuseNamedByType } from './archiving.ts'
import {
  findProgram,
  findUse,
  insertQuiz,
  lockOfDocument,
  type ProgramFields,
  type Quiz,
  type ShownProgram,
  updateProgram,
} from './queries.ts'
import { Program, ProgramUpdate } from './schema.ts'
import { quizOf, readProgram, recordedOf, requireKnown } from './view.ts'

interface Work {
  program: ShownProgram
  quiz: Quiz | undefined
  /** Open assignments. */
  open: number
  wasAssigned: boolean
}

export const update = command({
  summary: 'Change a training program',
  description:
    'Changed questions, or changed rules for passing, become the next version of the quiz; each attempt is graded by the version that it answers. `requires_verification` also applies to completed assignments. An archived program cannot be assigned; `cancel_open` cancels its open assignments.',
  permission: 'training.manage',
  input: { params: IdParams, body: ProgramUpdate },
  response: Program,
  async run(context, { params: { id }, body }) {
    const { tx, record } = context
    const work = await lockForWork(context, id)
    const { program, quiz } = work
    const reason = body.change_reason ?? null
    if ((work.wasAssigned || program.status === 'archived') && reason === null)
      throw invalidField('change_reason', reasonRequired(work))
    const isArchived = program.status === 'archived' && body.status !== 'active'
    refuseOpening(program.type, body)
    const changes = changesTo(program, body)
    const next = nextQuiz(work, body)
    if (isArchived && (Object.keys(changes).length > 0 || next !== 'as_it_is'))
      throw conflict(messages.training_archived_unchangeable({ number: program.number }))
    if (body.status === 'archived') {
      await refuseNamedByType(tx, program)
      await cancelOpen(context, work, body)
    }
    if (body.status === 'active' && program.status === 'archived' && program.type === 'read_and_understand')
      await refuseSecondReading(context, program.document_id!)
    const quiz_version =
      next === 'as_it_is' ? (quiz?.version ?? null) : next === 'none' ? null : (await insertQuiz(tx, id, next)).version
    await updateProgram(tx, id, { ...changes, quiz_version, ...(body.status && { status: body.status }) })
    const after = await requireKnown(context, id)
    record('training_program.updated', id, {
      number: program.number,
      before: { ...recordedOf(program, quiz), revision: program.revision },
      after: { ...recordedOf(after, await quizOf(context, after)), revision: after.revision },
      reason,
    })
    return readProgram(context, id)
  },
})

const reasonRequired = ({ program: { number, status } }: Work) =>
  status === 'archived'
    ? messages.training_archived_reason_required({ number })
    : messages.training_assigned_reason_required({ number })

/** Locks the document first, so that it never has two active readings. */
async function lockForWork(context: ActionContext<unknown>, id: number): Promise<Work> {
  const { tx } = context
  const there = await findProgram(tx, id)
  if (!there) throw notFound('Training program')
  if (there.type === 'read_and_understand') await lockOfDocument(tx, there.document_id!)
  await findProgram(tx, id, { lock: 'change' })
  const program = await requireKnown(context, id)
  await refuseStale(context, 'training_program', program)
  const use = await findUse(tx, id)
  return { program, quiz: await quizOf(context, program), open: use.open, wasAssigned: use.was_assigned }
}

function changesTo(now: ShownProgram, body: ProgramUpdate): Partial<ProgramFields> {
  const names = [
    'title',
    'description',
    'due_days',
    'valid_months',
    'requires_verification',
    'requires_opening',
  ] as const
  return Object.fromEntries(
    names.filter(name => body[name] !== undefined && body[name] !== now[name]).map(name => [name, body[name]]),
  )
}

function nextQuiz(
  { program, quiz }: Work,
  { questions: sent, ...body }: ProgramUpdate,
): 'as_it_is' | 'none' | Omit<Quiz, 'id' | 'version'> {
  const questions = sent === undefined ? (quiz?.questions ?? []) : requireValidQuestions(sent)
  if (questions.length === 0) {
    refuseWithoutQuestions(body)
    if (program.type === 'quiz') throw invalidField('questions', messages.quiz_questions_required())
    return quiz ? 'none' : 'as_it_is'
  }
  const { passing_score, max_attempts, shuffle } = { ...programDefaults, ...quiz }
  const next = {
    questions,
    passing_score: body.passing_score ?? passing_score,
    max_attempts: body.max_attempts ?? max_attempts,
    shuffle: body.shuffle ?? shuffle,
  }
  const { id: _id, version: _version, ...now } = quiz ?? { id: 0, version: 0 }
  return isDeepStrictEqual(next, now) ? 'as_it_is' : next
}
