import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isSessionSecret, newSessionSecret, openSessionCookie, textOfCookie } from './session-secret.ts'

const [key, other] = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))]
const of = { tenantId: 2, userId: 17 }

// proves: SES-01
describe('the cookie of a session', () => {
  const { secret, hash } = newSessionSecret(key, of)
  const cookie = { ...of, sessionId: 9_007_199_254_740_991, secret }
  const text = textOfCookie(key, cookie)

  it('opens to what it was made of, and proves its secret', () => {
    assert.deepEqual(openSessionCookie(key, text), cookie)
    assert.ok(isSessionSecret(key, cookie, hash))
    assert.equal(Buffer.from(secret, 'base64url').length, 32)
  })

  it('has another secret each time', () => {
    assert.notEqual(newSessionSecret(key, of).secret, secret)
  })

  it('proves nothing for another user, tenant, secret or key', () => {
    for (const wrong of [
      { ...cookie, userId: 18 },
      { ...cookie, tenantId: 3 },
      { ...cookie, secret: newSessionSecret(key, of).secret },
    ])
      assert.ok(!isSessionSecret(key, wrong, hash))
    assert.ok(!isSessionSecret(other, cookie, hash))
    assert.ok(!isSessionSecret(key, cookie, Buffer.alloc(0)))
  })

  it('opens with no character changed, left out or added, and with no other key', () => {
    for (let at = 0; at < text.length; at++) {
      const changed = text[at] === 'A' ? 'B' : 'A'
      assert.equal(openSessionCookie(key, text.slice(0, at) + changed + text.slice(at + 1)), undefined)
      assert.equal(openSessionCookie(key, text.slice(0, at) + text.slice(at + 1)), undefined)
    }
    for (const end of ['=', ' ', '\n', '\0', '.', 'A']) assert.equal(openSessionCookie(key, text + end), undefined)
    assert.equal(openSessionCookie(other, text), undefined)
  })

  it('is nothing else, whatever is sent', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), each => openSessionCookie(key, each) === undefined))
    for (const each of ['', '...', `0.0.0.${secret}.${secret}`, `2.17.1.${secret}`, 'a'.repeat(100_000)])
      assert.equal(openSessionCookie(key, each), undefined)
  })
})
