import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Answer,
  checkAnswers,
  checkQuestions,
  grade,
  type Question,
  questionsForTrainee,
  type SentQuestion,
  withKeys,
} from './quiz-rules.ts'

const option = (text: string, is_correct = false) => ({ text, is_correct })
const question = (fields: Partial<SentQuestion> = {}): SentQuestion => ({
  text: 'What is put on first?',
  type: 'single',
  options: [option('Hood', true), option('Gloves')],
  ...fields,
})
const wrongIn = (...questions: SentQuestion[]) =>
  checkQuestions(questions).map(({ loc, type }) => `${loc.slice(2).join('.')} ${type}`)

let count = 0
const stored = (...questions: SentQuestion[]) => withKeys(questions, () => `k${++count}`)
const rightOf = ({ key, options }: Question): Answer => ({
  question: key,
  options: options.filter(({ is_correct }) => is_correct).map(each => each.key),
})

describe('questions', () => {
  it('are checked as a whole: the right options of each type, keys and texts', () => {
    assert.deepEqual(wrongIn(question(), question({ type: 'true_false' })), [])
    assert.deepEqual(
      wrongIn(
        question({ options: [option('Hood', true), option('Gloves', true)] }),
        question({ type: 'multiple', options: [option('Hood'), option('Gloves')] }),
        question({ type: 'true_false', options: [option('True', true), option('False'), option('Neither')] }),
      ),
      [
        '0.options quiz_needs_one_correct_option',
        '1.options quiz_needs_correct_option',
        '2.options quiz_true_false_options',
      ],
    )
    assert.deepEqual(
      wrongIn(
        question({ key: 'first' }),
        question({
          key: 'first',
          options: [
            { key: 'a', ...option('Hood', true) },
            { key: 'a', ...option(' Hood ') },
          ],
        }),
      ),
      [
        '1.key quiz_question_key_repeated',
        '1.options.1.key quiz_option_key_repeated',
        '1.options.1.text quiz_option_text_repeated',
      ],
    )
  })

  it('keep the keys that they have, and are given those that they lack', () => {
    const [kept] = stored(question({ key: 'first', explanation: '  ' }))
    assert.equal(kept!.key, 'first')
    assert.equal(new Set(kept!.options.map(({ key }) => key)).size, 2)
    assert.equal(kept!.explanation, null)
  })

  it('are asked without their key, in an order that the seed decides', () => {
    const questions = stored(
      ...Array.from({ length: 12 }, (_, i) => question({ text: `Question ${i}`, explanation: 'so' })),
    )
    const texts = (seed: string | undefined) => questionsForTrainee(questions, seed).map(({ text }) => text)
    assert.deepEqual(texts('5:0'), texts('5:0'))
    assert.notDeepEqual(texts('5:0'), texts('5:1'))
    assert.notDeepEqual(texts('5:0'), texts('6:0'))
    assert.deepEqual(
      texts(undefined),
      questions.map(({ text }) => text),
    )
    assert.deepEqual(texts('5:0').sort(), texts(undefined).sort())
    for (const seed of ['5:0', undefined])
      assert.doesNotMatch(JSON.stringify(questionsForTrainee(questions, seed)), /is_correct|explanation/)
  })
})

describe('answers', () => {
  const both = question({ type: 'multiple', options: [option('a', true), option('b', true), option('c')] })

  it('count by exactly the right options, in percent that are rounded down', () => {
    const questions = stored(question(), both, question({ type: 'true_false' }))
    const answers = questions.map(rightOf)
    assert.equal(grade(questions, answers), 100)
    assert.equal(grade(questions, answers.slice(0, 2)), 66)
    assert.equal(grade(questions, []), 0)
    const keys = questions[1]!.options.map(({ key }) => key)
    for (const options of [keys, keys.slice(0, 1), keys.slice(1), []])
      assert.equal(grade(questions.slice(1, 2), [{ question: questions[1]!.key, options }]), 0)
  })

  it('name questions and options that there are, each once', () => {
    const questions = stored(question({ key: 'first' }), both)
    const [a, b] = questions[0]!.options.map(({ key }) => key) as [string, string]
    const wrong = (...answers: Answer[]) =>
      checkAnswers(questions, answers).map(({ loc, type }) => `${loc.slice(2).join('.')} ${type}`)
    assert.deepEqual(wrong(...questions.map(rightOf)), [])
    assert.deepEqual(wrong({ question: 'other', options: [] }), ['0.question quiz_question_unknown'])
    assert.deepEqual(wrong({ question: 'first', options: ['other'] }), ['0.options.0 quiz_option_unknown'])
    assert.deepEqual(wrong({ question: 'first', options: [a, b] }), ['0.options quiz_single_answer_only'])
    assert.deepEqual(wrong({ question: 'first', options: [a] }, { question: 'first', options: [b] }), [
      '1.question quiz_question_already_answered',
    ])
  })

  it('are judged the same in whichever order they were asked', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), fc.string(), (knows, seed) => {
        const questions = stored(...knows.map((_, i) => question({ text: `Question ${i}` })))
        const answers = questionsForTrainee(questions, seed).map(({ key, options }) => {
          const i = questions.findIndex(each => each.key === key)
          const right = rightOf(questions[i]!).options[0]!
          return { question: key, options: [options.find(each => (each.key === right) === knows[i])!.key] }
        })
        assert.equal(grade(questions, answers), Math.floor((100 * knows.filter(Boolean).length) / knows.length))
      }),
    )
  })
})
