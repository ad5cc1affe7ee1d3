import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromDatabase } from '../db/database-errors.ts'
import { withoutData } from './without-data.ts'

/** As PostgreSQL's driver throws them. */
async function refusedByDatabase(message: string, fields: object = {}) {
  const error = Object.assign(
    new Error(message),
    { code: '23505', detail: 'Key (email)=(VALUE) already exists' },
    fields,
  )
  await fromDatabase(Promise.reject(error)).catch(() => {})
  return error
}

describe('an error, as the tracker is told of it', () => {
  it('of the database says which rule it broke, and nothing of the row', async () => {
    const error = await refusedByDatabase('a row\nwith VALUE\n    at VALUE (file.ts:1:2)', {
      constraint: 'users_email_key',
      table: 'users',
    })
    const { message, stack } = withoutData(error)
    assert.equal(message, 'Database error: code 23505, constraint users_email_key, table users')
    assert.doesNotMatch(stack!, /VALUE/)
    assert.match(stack!, /without-data\.test\.ts/)
  })

  it('that was caused by one, or is several of them, repeats nothing either', async () => {
    const inner = await refusedByDatabase('VALUE')
    const several = new AggregateError([new Error('one'), new Error(`two: ${inner.message}`, { cause: inner })], 'all')
    const copy = withoutData(new Error('outer', { cause: several }))
    const told = copy.cause as AggregateError
    assert.deepEqual(
      [copy, told, ...told.errors].map(({ message }) => message),
      ['outer', 'all', 'one', 'Database error'],
    )
    assert.doesNotMatch([copy, told, ...told.errors].map(({ stack }) => stack).join(), /VALUE/)
  })

  it('of any other kind keeps name, message, stack and causes', () => {
    const error = new TypeError('a\nb', { cause: new RangeError('c') })
    const copy = withoutData(error)
    assert.deepEqual([copy.name, copy.message, copy.stack], ['TypeError', 'a\nb', error.stack])
    assert.equal((copy.cause as Error).name, 'RangeError')
  })

  it('may be its own cause', () => {
    const error = new Error('a')
    error.cause = error
    assert.equal(withoutData(error).message, 'a')
  })
})
