import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { isLinkToken, newLinkToken, parseLinkToken } from './link-token.ts'

describe('the token of a one-time link', () => {
  const [key, another] = [1, 2].map(byte => createSecretKey(Buffer.alloc(32, byte))) as [
    ReturnType<typeof createSecretKey>,
    ReturnType<typeof createSecretKey>,
  ]
  const of = { tenantId: 2, linkId: 17, userId: 5 }

  it('opens the link and the user that it was made for, and nothing else', () => {
    const { token, hash } = newLinkToken(key, of)
    const parsed = parseLinkToken(` ${token}\n`)!
    assert.equal(isLinkToken(key, parsed, 5, hash), true)
    assert.equal(isLinkToken(another, parsed, 5, hash), false)
    assert.equal(isLinkToken(key, parsed, 6, hash), false)
    assert.equal(isLinkToken(key, { ...parsed, linkId: 18 }, 5, hash), false)
    assert.equal(isLinkToken(key, { ...parsed, tenantId: 3 }, 5, hash), false)
    assert.notDeepEqual(newLinkToken(key, of).hash, hash)
  })

  it('is no other text', () => {
    for (const text of ['', '2.17', '2.17.short', `-1.17.${'a'.repeat(43)}`, `2.17.${'a'.repeat(44)}`])
      assert.equal(parseLinkToken(text), undefined, text)
  })
})
