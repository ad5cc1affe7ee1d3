import { createHash } from 'node:crypto'
import { type Issue, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { messages } from '../messages.ts'

export const questionTypes = ['single', 'multiple', 'true_false'] as const
type QuestionType = (typeof questionTypes)[number]

interface Option {
  key: string
  text: string
  is_correct: boolean
}
export interface Question {
  key: string
  text: string
  type: QuestionType
  options: Option[]
  explanation: string | null
}
/** A question of a request; a missing key is generated. */
export interface SentQuestion {
  key?: string
  text: string
  type: QuestionType
  options: { key?: string; text: string; is_correct: boolean }[]
  explanation?: string | null
}

/** The answer to a question, by keys. */
export interface Answer {
  question: string
  options: string[]
}

const isRepeated = (words: readonly (string | undefined)[], at: number) =>
  words[at] !== undefined && words.indexOf(words[at]) < at

const flawOfOptions: Record<QuestionType, (options: number, correct: number) => Message | undefined> = {
  single: (_, correct) => (correct === 1 ? undefined : messages.quiz_needs_one_correct_option()),
  multiple: (_, correct) => (correct > 0 ? undefined : messages.quiz_needs_correct_option()),
  true_false: (options, correct) => (options === 2 && correct === 1 ? undefined : messages.quiz_true_false_options()),
}

/** Lists all that is wrong at once, so that an author need not save again and again to find it. */
export function checkQuestions(questions: readonly SentQuestion[]): Issue[] {
  const wrong = (message: Message, ...at: (string | number)[]) => issueAt(['body', 'questions', ...at], message)
  return questions.flatMap(({ type, options }, i) => {
    const flaw = flawOfOptions[type](options.length, options.filter(({ is_correct }) => is_correct).length)
    const [keys, texts] = [options.map(({ key }) => key), options.map(({ text }) => text.trim())]
    const keysOfAll = questions.map(({ key }) => key)
    return [
      ...(isRepeated(keysOfAll, i) ? [wrong(messages.quiz_question_key_repeated(), i, 'key')] : []),
      ...(flaw ? [wrong(flaw, i, 'options')] : []),
      ...options.flatMap((_, j) => [
        ...(isRepeated(keys, j) ? [wrong(messages.quiz_option_key_repeated(), i, 'options', j, 'key')] : []),
        ...(isRepeated(texts, j) ? [wrong(messages.quiz_option_text_repeated(), i, 'options', j, 'text')] : []),
      ]),
    ]
  })
}

/** Generated keys are random, because authors often write the correct option first. */
export const withKeys = (questions: readonly SentQuestion[], newKey: () => string): Question[] =>
  questions.map(({ key = newKey(), text, type, options, explanation = null }) => ({
    key,
    text,
    type,
    options: options.map(each => ({ key: each.key ?? newKey(), text: each.text, is_correct: each.is_correct })),
    explanation: explanation?.trim() ? explanation : null,
  }))

/** The same order for the same seed, so that a reload does not move the questions. */
const shuffled = <T extends { key: string }>(items: readonly T[], seed: string): T[] => {
  const rank = ({ key }: T) => createHash('sha256').update(`${seed}:${key}`).digest('hex')
  const ranked = items.map(item => ({ item, rank: rank(item) }))
  return ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1)).map(({ item }) => item)
}

type TraineeQuestion = Pick<Question, 'key' | 'text' | 'type'> & { options: Pick<Option, 'key' | 'text'>[] }

/** The questions for a trainee, without the correct options; without a seed in the order of the author. */
export function questionsForTrainee(questions: readonly Question[], seed: string | undefined): TraineeQuestion[] {
  const ordered = seed === undefined ? questions : shuffled(questions, seed)
  return ordered.map(({ key, text, type, options }) => ({
    key,
    text,
    type,
    options: (seed === undefined ? options : shuffled(options, `${seed}:${key}`)).map(option => ({
      key: option.key,
      text: option.text,
    })),
  }))
}

/** Lists the answers that fit no question or option. */
export function checkAnswers(questions: readonly Question[], answers: readonly Answer[]): Issue[] {
  const wrong = (message: Message, ...at: (string | number)[]) => issueAt(['body', 'answers', ...at], message)
  const named = answers.map(({ question }) => question)
  return answers.flatMap(({ question: key, options }, i) => {
    const question = questions.find(each => each.key === key)
    if (!question) return [wrong(messages.quiz_question_unknown(), i, 'question')]
    if (isRepeated(named, i)) return [wrong(messages.quiz_question_already_answered(), i, 'question')]
    if (question.type !== 'multiple' && options.length > 1)
      return [wrong(messages.quiz_single_answer_only(), i, 'options')]
    return options.flatMap((option, j) =>
      question.options.some(each => each.key === option)
        ? []
        : [wrong(messages.quiz_option_unknown(), i, 'options', j)],
    )
  })
}

/** The percentage of correct answers, rounded down. An answer is correct with exactly the correct options; a missing one is wrong. */
export function grade(questions: readonly Question[], answers: readonly Answer[]): number {
  const given = new Map(answers.map(({ question, options }) => [question, new Set(options)]))
  const right = questions.filter(({ key, options }) => {
    const picked = given.get(key) ?? new Set()
    return options.every(option => option.is_correct === picked.has(option.key))
  })
  return Math.floor((100 * right.length) / questions.length)
}
