import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { Nullable, OneOf, Person, Timestamp } from '#kernel/schema.ts'
import { serializerCompiler } from './serialization.ts'

const writerOf = (schema: TSchema) =>
  serializerCompiler({ schema, method: 'GET', url: '/', httpStatus: '200' } as never)

const Answer = Type.Object({
  person: Nullable(Person),
  state: Nullable(OneOf('open', 'closed')),
  at: Nullable(Timestamp),
  count: Nullable(Type.Integer()),
  tags: Nullable(Type.Array(Nullable(Type.String()))),
  ref: Nullable(Type.Union([Type.String(), Type.Integer()])),
  late: Type.Optional(Nullable(Type.Boolean())),
})
const whole = {
  person: { id: 1, username: 'quinn', full_name: null },
  state: 'open',
  at: '2026-11-26T10:00:00.123456Z',
  count: 7,
  tags: ['a "b"', null],
  ref: 'x',
  late: false,
}
const empty = { person: null, state: null, at: null, count: null, tags: null, ref: null }

describe('an answer', () => {
  it('has each value that may be null as it is, and null where it is null', () => {
    const write = writerOf(Answer)
    for (const value of [whole, empty, { ...whole, ref: 5 }]) assert.deepEqual(JSON.parse(String(write(value))), value)
  })

  it('has no field that its schema does not name, also within what may be null', () => {
    const write = writerOf(Answer)
    const told = { ...whole, secret: 1, person: { ...whole.person, password: 'x' } }
    assert.deepEqual(JSON.parse(String(write(told))), whole)
  })

  it('fails where a field is missing', () => {
    const { state: _, ...rest } = whole
    assert.throws(() => writerOf(Answer)(rest), /"state" is required/)
  })
})
