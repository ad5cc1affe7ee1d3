import { randomBytes } from 'node:crypto'
import { type ActionContext, command, query } from '#action'
import { conflict, invalid, invalidField, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { messages } from '../messages.ts'
import { programDefaults, type TrainingType } from '../rules.ts'
import {
  countPrograms,
  findReadable,
  findReading,
  insertProgram,
  insertQuiz,
  listPrograms,
  lockOfDocument,
  programSorts,
  type Quiz,
} from './queries.ts'
import { checkQuestions, type SentQuestion, withKeys } from './quiz-rules.ts'
import { takeProgramNumber } from './reading.ts'
import { Program, ProgramCreate, ProgramFilter, ProgramSummary } from './schema.ts'
import { quizOf, readProgram, recordedOf, requireKnown } from './view.ts'

export const list = query({
  summary: 'List training programs',
  description:
    'Programs that you have or had to do; with `training.read_all`, `training.assign` or `training.manage` all of them.',
  permission: 'training.read_own',
  input: { query: ProgramFilter },
  response: Page(ProgramSummary),
  async run({ tx, actor }, { query }) {
    const sort = parseSort(query.sort, programSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      (limit, offset) => listPrograms(tx, query, actor, sort, limit, offset),
      () => countPrograms(tx, query, actor),
    )
  },
})

export const details = query({
  summary: 'Read a training program',
  description:
    'With its questions, and your own assignment if you have one. Only people who may change the program see the correct options; everybody else gets the questions in an order of their own, which stays until the next attempt.',
  permission: 'training.read_own',
  input: { params: IdParams },
  response: Program,
  run: (context, { params }) => readProgram(context, params.id),
})

const newKey = () => `k${randomBytes(5).toString('hex')}`

/** The questions as they are stored, or the 422 with every error in them. */
export function requireValidQuestions(questions: readonly SentQuestion[]) {
  const issues = checkQuestions(questions)
  if (issues.length > 0) throw invalid(...issues)
  return withKeys(questions, newKey)
}

type QuizFields = Partial<Pick<Quiz, 'passing_score' | 'max_attempts' | 'shuffle'>>

export function refuseWithoutQuestions(fields: QuizFields) {
  const names = ['passing_score', 'max_attempts', 'shuffle'] as const
  const given = names.find(name => fields[name] !== undefined)
  if (given) throw invalidField(given, messages.quiz_settings_need_questions())
}

function requireParts({ type, document_id, questions = [] }: ProgramCreate) {
  if (type === 'read_and_understand' && !document_id)
    throw invalidField('document_id', messages.training_document_required())
  if (type === 'quiz' && questions.length === 0) throw invalidField('questions', messages.quiz_questions_required())
}

export function refuseOpening(type: TrainingType, { requires_opening }: { requires_opening?: boolean | undefined }) {
  if (requires_opening && type !== 'read_and_understand')
    throw invalidField('requires_opening', messages.training_opening_needs_document())
}

/** A document has one active reading. The caller holds the document's lock. */
export async function refuseSecondReading({ tx }: Pick<ActionContext<unknown>, 'tx'>, document_id: number) {
  const there = await findReading(tx, document_id)
  if (there) throw conflict(messages.training_document_already_covered({ number: there.number }))
}

export const create = command({
  summary: 'Create a training program',
  description:
    'A document to read, a quiz, training on the job or in a classroom; each type can have questions, which are checked together. A document has one active `read_and_understand` program, which assigning the document also creates.',
  permission: 'training.manage',
  input: { body: ProgramCreate },
  response: Program,
  async run(context, { body }) {
    const { tx, actor, record } = context
    const { questions: sent = [], passing_score, max_attempts, shuffle, document_id = null, type, ...said } = body
    requireParts(body)
    refuseOpening(type, body)
    const questions = requireValidQuestions(sent)
    if (questions.length === 0) refuseWithoutQuestions(body)
    if (document_id && !(await findReadable(tx, actor, document_id))) throw notFound('Document')
    if (document_id && type === 'read_and_understand') {
      await lockOfDocument(tx, document_id)
      await refuseSecondReading(context, document_id)
    }
    const number = await takeProgramNumber(context)
    const { id } = await insertProgram(tx, {
      number,
      type,
      document_id,
      title: said.title,
      description: said.description ?? '',
      due_days: said.due_days ?? programDefaults.due_days,
      valid_months: said.valid_months ?? null,
      requires_verification: said.requires_verification ?? false,
      requires_opening: said.requires_opening ?? false,
      quiz_version: questions.length > 0 ? 1 : null,
    })
    if (questions.length > 0)
      await insertQuiz(tx, id, {
        questions,
        passing_score: passing_score ?? programDefaults.passing_score,
        max_attempts: max_attempts ?? programDefaults.max_attempts,
        shuffle: shuffle ?? programDefaults.shuffle,
      })
    const program = await requireKnown(context, id)
    record('training_program.created', id, {
      number,
      after: { ...recordedOf(program, await quizOf(context, program)), revision: program.revision },
    })
    return readProgram(context, id)
  },
})
