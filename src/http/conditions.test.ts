import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AppError } from '#kernel/errors.ts'
import { NotModified, partAsked } from './conditions.ts'

const file = { sha256: 'abc', size_bytes: 1_000 }
const asked = (headers: Record<string, string>) => partAsked(headers, file)

describe('which part of a file is asked for (RFC 9110, proves: DOC-03)', () => {
  const parts: [string, number, number][] = [
    ['bytes=0-9', 0, 9],
    ['bytes=990-', 990, 999],
    ['bytes=990-5000', 990, 999],
    ['bytes=999-999', 999, 999],
    ['bytes=-1', 999, 999],
    ['bytes=-5000', 0, 999],
    ['Bytes=0-0', 0, 0],
    ['bytes=0-99999999999999999999999', 0, 999],
  ]
  for (const [range, start, end] of parts) it(range, () => assert.deepEqual(asked({ range }), { start, end }))

  for (const range of [
    'bytes=0-9,20-29',
    'bytes=9-0',
    'bytes=-',
    'bytes=',
    'lines=0-9',
    '0-9',
    'bytes=a-b',
    'bytes=1.5-2',
  ])
    it(`${range} is all of it`, () => assert.equal(asked({ range }), undefined))

  for (const range of ['bytes=1000-', 'bytes=5000-6000', 'bytes=-0', 'bytes=99999999999999999999-'])
    it(`${range} is a 416 with the size`, () =>
      assert.throws(
        () => asked({ range }),
        (error: AppError) => error.status === 416 && error.headers['content-range'] === 'bytes */1000',
      ))

  it('a range holds only for the version that the caller knows', () => {
    assert.deepEqual(asked({ range: 'bytes=0-9', 'if-range': '"abc"' }), { start: 0, end: 9 })
    for (const known of ['"other"', 'W/"abc"', 'Wed, 21 Oct 2015 07:28:00 GMT'])
      assert.equal(asked({ range: 'bytes=0-9', 'if-range': known }), undefined, known)
    assert.equal(asked({ range: 'bytes=5000-', 'if-range': '"other"' }), undefined)
  })

  it('who has it already is told so, whatever the range', () => {
    for (const known of ['"abc"', 'W/"abc"', '"x", "abc"', '*'])
      assert.throws(() => asked({ 'if-none-match': known, range: 'bytes=5000-' }), NotModified, known)
    assert.equal(asked({ 'if-none-match': '"x", "y"' }), undefined)
  })
})
