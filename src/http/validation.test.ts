import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import type { AppError, Issue } from '#kernel/errors.ts'
import { validate } from './validation.ts'

const schema = Type.Object({ name: Type.String() }, { additionalProperties: false })
const unknownKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]))

/** The processor time of `work`, the least of five: the first ones translate the code, and what collects garbage counts as well. */
function processorTime(work: () => unknown) {
  const each = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...each)
}

function issuesOf(value: object) {
  try {
    validate(schema, 'body', value)
  } catch (error) {
    return (error as AppError).detail as Issue[]
  }
  throw new Error('it was not refused')
}

describe('a refused body (proves: ERR-01)', () => {
  it('is told its first twenty issues', () => {
    assert.equal(issuesOf(unknownKeys(3)).length, 4)
    assert.equal(issuesOf(unknownKeys(300)).length, 20)
  })

  it('takes no time by the number of its issues', () => {
    const text = JSON.stringify(unknownKeys(80_000))
    const body = JSON.parse(text)
    assert.ok(issuesOf(body).length > 0)
    const [refused, parsed] = [processorTime(() => issuesOf(body)), processorTime(() => JSON.parse(text))]
    assert.ok(refused < 4 * parsed, `${refused} µs of processor, where to parse it takes ${parsed}`)
  })

  it('is compared as a whole where it has many parts', () => {
    const many = Type.Object({ list: Type.Array(Type.Integer()) })
    validate(many, 'body', { list: Array.from({ length: 5000 }, (_, at) => at) })
    assert.throws(() => validate(many, 'body', { list: [...Array.from({ length: 5000 }, (_, at) => at), 'x'] }))
  })
})
