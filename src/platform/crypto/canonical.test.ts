import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import fc from 'fast-check'
import { canonicalBytes, digest } from './canonical.ts'

it('writes the example of RFC 8785, 3.2.2 to 3.2.4, byte for byte', () => {
  const value = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`)
  const expected =
    '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d'
  assert.equal(canonicalBytes(value).toString('hex'), expected)
})

it('sorts the names of RFC 8785, 3.2.3 by their UTF-16 units', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew',
    '1': 'One',
    '😀': 'Emoji',
    '\u0080': 'Control',
    ö: 'Latin',
  }
  const names = Object.keys(JSON.parse(String(canonicalBytes(value))))
  assert.deepEqual(names.sort(), ['\r', '1', '\u0080', 'ö', '\u20ac', '😀', '\ufb33'])
  assert.match(String(canonicalBytes(value)), /^\{"\\r":.*,"1":.*,"\u0080":.*,"ö":.*,"€":.*,"😀":.*,"\ufb33":/u)
})

it('says nothing for what has no JSON, instead of something that two values share', () => {
  for (const value of [
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    { a: '\ud800' },
    { '\udc00': 1 },
    ['x\ud83d'],
    () => 1,
    10n,
  ]) {
    assert.throws(() => canonicalBytes(value))
  }
})

it('gives one digest to a value, however its members were put in, and after a way through JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      assert.equal(digest(reversed(value)), digest(value))
      assert.equal(digest(JSON.parse(JSON.stringify(value))), digest(value))
    }),
  )
})

it('is the SHA-256 of the bytes', () => {
  assert.equal(digest({ b: 1, a: 'é' }), createHash('sha256').update('{"a":"é","b":1}').digest('hex'))
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}
