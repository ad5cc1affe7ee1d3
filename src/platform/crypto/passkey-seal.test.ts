import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { newTimedChallenge, openPasskeySeal, readTimedChallenge, sealPasskey } from './passkey-seal.ts'
import { deriveKeys } from './secrets.ts'

const [secret_key, secret_key_previous] = [
  'f0d1c2b3a495867718293a4b5c6d7e8f-new',
  'f0d1c2b3a495867718293a4b5c6d7e8f-old',
]
const { passkeys: keys } = deriveKeys({ secret_key, secret_key_previous })
const { passkeys: old } = deriveKeys({ secret_key: secret_key_previous })

// proves: SSO-05
describe('the seal of a passkey', () => {
  const passkey = { tenantId: 2, userId: 7, credential_id: randomBytes(32), public_key: randomBytes(77) }

  it('opens for this user and this key alone, and says if it is an earlier one', () => {
    const seal = sealPasskey(keys, passkey)
    assert.equal(openPasskeySeal(keys, { ...passkey, seal }), 'current')
    assert.equal(openPasskeySeal(keys, { ...passkey, seal: sealPasskey(old, passkey) }), 'previous')
    assert.equal(openPasskeySeal(old, { ...passkey, seal }), undefined)
    for (const other of [
      { tenantId: 3 },
      { userId: 8 },
      { credential_id: randomBytes(32) },
      { public_key: randomBytes(77) },
    ])
      assert.equal(openPasskeySeal(keys, { ...passkey, ...other, seal }), undefined)
    assert.equal(openPasskeySeal(keys, { ...passkey, seal: Buffer.alloc(4) }), undefined)
  })
})

// proves: SSO-05
describe('a challenge without a row', () => {
  const now = new Date('2026-11-25T10:00:00.000Z')
  const after = (ms: number) => new Date(now.getTime() + ms)
  const read = (text: string, at = now, purpose = 'log-in') =>
    readTimedChallenge(keys, purpose, text, { now: at, lifetime_ms: 60_000 })

  it('says when it was issued, until it is too old', () => {
    const text = newTimedChallenge(keys, 'log-in', now)
    assert.deepEqual(read(text), now)
    assert.deepEqual(read(text, after(60_000)), now)
    assert.equal(read(text, after(60_001)), undefined)
    assert.equal(read(text, after(-60_001)), undefined)
    assert.notEqual(newTimedChallenge(keys, 'log-in', now), text)
  })

  it('is none for another purpose, by another key, or with another bit', () => {
    const text = newTimedChallenge(keys, 'log-in', now)
    assert.equal(read(text, now, 'registration 2 7 1'), undefined)
    assert.equal(read(newTimedChallenge(old, 'log-in', now)), undefined)
    const bytes = Buffer.from(text, 'base64url')
    for (let place = 0; place < bytes.length; place++) {
      const turned = Buffer.from(bytes)
      turned[place]! ^= 1
      assert.equal(read(turned.toString('base64url')), undefined, String(place))
    }
    for (const other of ['', 'AAAA', `${text}=`, `${text}AAAA`]) assert.equal(read(other), undefined)
  })
})
