import type { Answer } from '../../api/client.ts'

export type Program = Answer<'GET /api/training/{id}'>
export type Question = Program['questions'][number]
export type Assignment = NonNullable<Program['my_assignment']>

/** `work` is what is done elsewhere: on the job, or in a classroom. */
export type Step = 'read' | 'work' | 'questions' | 'sign'

/** How far somebody is who has not signed yet. It is kept in this tab, so that a reload loses nothing. */
export interface Progress {
  /** The version whose pages were read to the last. */
  read: string
  /** What is done elsewhere is done. */
  isWorkDone: boolean
  answers: Record<string, string[]>
  /** The version of the questions that were answered. */
  quiz: number
  /** The question in sight. */
  at: number
  /** The step that was chosen; else the first that is not done. */
  step: Step | ''
}

export const beginning: Progress = { read: '', isWorkDone: false, answers: {}, quiz: 0, at: 0, step: '' }

type Asked = Pick<Program, 'type' | 'questions' | 'description' | 'document'> & {
  my_assignment: Pick<Assignment, 'document_version'> | null
}

export function stepsOf({ type, questions, description, document }: Asked): Step[] {
  const isQuizAlone = type === 'quiz' && description === '' && document === null
  const first: Step[] = type === 'read_and_understand' ? ['read'] : isQuizAlone ? [] : ['work']
  return [...first, ...(questions.length > 0 ? ['questions' as const] : []), 'sign']
}

/** Answers by keys that the questions of today have. After a change of the questions the others count as not given. */
export function answersOf(questions: readonly Question[], answers: Progress['answers']) {
  return questions.map(({ key, options }) => ({
    question: key,
    options: (answers[key] ?? []).filter(each => options.some(option => option.key === each)),
  }))
}

export const areAllAnswered = (questions: readonly Question[], answers: Progress['answers']) =>
  answersOf(questions, answers).every(({ options }) => options.length > 0)

export function isDone(step: Step, program: Asked, progress: Progress): boolean {
  switch (step) {
    case 'read':
      return progress.read !== '' && progress.read === program.my_assignment?.document_version
    case 'work':
      return progress.isWorkDone
    case 'questions':
      return areAllAnswered(program.questions, progress.answers)
    case 'sign':
      return false
  }
}

/** The step in sight: the chosen one, unless one before it has to be done first, or done again. */
export function stepNow(program: Asked, progress: Progress): Step {
  const steps = stepsOf(program)
  const open = steps.findIndex(step => !isDone(step, program, progress))
  const chosen = progress.step === '' ? -1 : steps.indexOf(progress.step)
  return steps[chosen < 0 ? open : Math.min(chosen, open)]!
}

/** The version that was read is not the one to be read any more. */
export const isReadAgain = ({ my_assignment }: Asked, { read }: Progress) =>
  read !== '' && my_assignment?.document_version != null && read !== my_assignment.document_version

/** What is recorded with the signature, word for word. The service would say the same. */
export function statementOf({
  type,
  title,
  number,
  my_assignment,
}: Pick<Program, 'type' | 'title' | 'number' | 'my_assignment'>) {
  const statement =
    type === 'read_and_understand'
      ? `I have read and understood version ${my_assignment?.document_version} of ${title}`
      : `I have completed ${number}: ${title}`
  return statement.slice(0, 2000)
}
