import type { Answer, Given } from '../../api/client.ts'
import type { Issue } from '../../api/problem.ts'

type Program = Answer<'GET /api/training/{id}'>
type Created = Given<'POST /api/training/'>['body']
type Changed = Given<'PUT /api/training/{id}'>['body']
type Sent = NonNullable<Created['questions']>[number]

export interface FormOption {
  /** Of a stored option: the answers of people are known by it. */
  key?: string
  text: string
  is_correct: boolean
}
export interface FormQuestion {
  /** Within this form. */
  id: string
  key?: string
  text: string
  type: Sent['type']
  options: FormOption[]
  explanation: string
}

export interface ProgramFields {
  title: string
  type: Created['type'] | ''
  document: { id: number; name: string } | null
  description: string
  due_days: string
  valid_months: string
  requires_verification: boolean
  requires_opening: boolean
  questions: FormQuestion[]
  passing_score: string
  max_attempts: string
  shuffle: boolean
  change_reason: string
}

export const newProgram: ProgramFields = {
  title: '',
  type: '',
  document: null,
  description: '',
  due_days: '14',
  valid_months: '',
  requires_verification: false,
  requires_opening: false,
  questions: [],
  passing_score: '80',
  max_attempts: '3',
  shuffle: true,
  change_reason: '',
}

export const fieldsOf = (program: Program): ProgramFields => ({
  title: program.title,
  type: program.type,
  document: program.document && {
    id: program.document.id,
    name: [program.document.number, program.document.title].filter(Boolean).join(' '),
  },
  description: program.description,
  due_days: String(program.due_days),
  valid_months: program.valid_months === null ? '' : String(program.valid_months),
  requires_verification: program.requires_verification,
  requires_opening: program.requires_opening,
  questions: program.questions.map(({ key, text, type, options, explanation }) => ({
    id: key,
    key,
    text,
    type,
    options: options.map(option => ({ key: option.key, text: option.text, is_correct: option.is_correct ?? false })),
    explanation: explanation ?? '',
  })),
  passing_score: String(program.passing_score ?? 80),
  max_attempts: String(program.max_attempts ?? 3),
  shuffle: program.shuffle ?? true,
  change_reason: '',
})

const questionsOf = (questions: readonly FormQuestion[]): Sent[] =>
  questions.map(({ key, text, type, options, explanation }) => ({
    ...(key !== undefined && { key }),
    text: text.trim(),
    type,
    options: options.map(option => ({ ...option, text: option.text.trim() })),
    explanation: explanation.trim() || null,
  }))

/** Nothing, or a whole number; how large it may be, the service says. */
export const isWhole = (text: string) => /^\d*$/.test(text.trim())
const numberOf = (text: string) => (text.trim() === '' ? undefined : Number(text))

function common(fields: ProgramFields) {
  const questions = questionsOf(fields.questions)
  return {
    title: fields.title.trim(),
    description: fields.description,
    questions,
    ...(numberOf(fields.due_days) !== undefined && { due_days: Number(fields.due_days) }),
    valid_months: numberOf(fields.valid_months) ?? null,
    requires_verification: fields.requires_verification,
    ...(fields.type === 'read_and_understand' && { requires_opening: fields.requires_opening }),
    ...(questions.length > 0 && {
      ...(numberOf(fields.passing_score) !== undefined && { passing_score: Number(fields.passing_score) }),
      ...(numberOf(fields.max_attempts) !== undefined && { max_attempts: Number(fields.max_attempts) }),
      shuffle: fields.shuffle,
    }),
  }
}

export const createdOf = (fields: ProgramFields): Created => ({
  ...common(fields),
  type: fields.type as Created['type'],
  ...(fields.document && { document_id: fields.document.id }),
})

export const changedOf = (fields: ProgramFields, revision: number): Changed => ({
  ...common(fields),
  revision,
  ...(fields.change_reason.trim() && { change_reason: fields.change_reason.trim() }),
})

/** What the service says of one question and its options. */
export const issuesOfQuestion = (issues: readonly Issue[], index: number) =>
  issues.filter(({ loc }) => loc[1] === 'questions' && loc[2] === index).map(({ msg }) => msg)

export const trueOrFalse = (yes: string, no: string): FormOption[] => [
  { text: yes, is_correct: true },
  { text: no, is_correct: false },
]

export type QuestionFault = 'text' | 'options' | 'optionText' | 'right' | 'oneRight'

/** What is missing of a question before it can stand in the list. The service checks it all again. */
export function faultOf({
  text,
  type,
  options,
}: Pick<FormQuestion, 'text' | 'type' | 'options'>): QuestionFault | undefined {
  const right = options.filter(({ is_correct }) => is_correct).length
  if (text.trim() === '') return 'text'
  if (options.length < 2) return 'options'
  if (options.some(option => option.text.trim() === '')) return 'optionText'
  if (type === 'multiple') return right === 0 ? 'right' : undefined
  return right === 1 ? undefined : 'oneRight'
}
