import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import type { AppError, Issue } from '#kernel/errors.ts'
import { validate } from './validation.ts'

const schema = Type.Object({ name: Type.String() }, { additionalProperties: false })
const unknownKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]))

/** The issues, and the processor time that finding them took. */
function refusalOf(value: object) {
  const before = process.cpuUsage()
  try {
    validate(schema, 'body', value)
  } catch (error) {
    const { user, system } = process.cpuUsage(before)
    return { issues: (error as AppError).detail as Issue[], ms: (user + system) / 1000 }
  }
  throw new Error('it was not refused')
}

describe('a refused body (proves: ERR-01)', () => {
  it('is told its first twenty issues', () => {
    assert.equal(refusalOf(unknownKeys(3)).issues.length, 4)
    assert.equal(refusalOf(unknownKeys(300)).issues.length, 20)
  })

  it('takes no time by the number of its issues', () => {
    const body = unknownKeys(80_000)
    // The least of a few: the first ones translate the code, and what collects garbage counts as well.
    const each_ms = Array.from({ length: 5 }, () => {
      const { issues, ms } = refusalOf(body)
      assert.ok(issues.length > 0)
      return ms
    })
    assert.ok(Math.min(...each_ms) < 100, `${each_ms} ms of processor`)
  })

  it('is compared as a whole where it has many parts', () => {
    const many = Type.Object({ list: Type.Array(Type.Integer()) })
    validate(many, 'body', { list: Array.from({ length: 5000 }, (_, at) => at) })
    assert.throws(() => validate(many, 'body', { list: [...Array.from({ length: 5000 }, (_, at) => at), 'x'] }))
  })
})
