import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { deriveKeys } from './secrets.ts'

it('gives each purpose a key of its own, the same one at every start (proves: AUTH-04)', () => {
  const secret = randomBytes(48).toString('base64')
  const [first, second] = [deriveKeys({ secret_key: secret }), deriveKeys({ secret_key: secret })]
  assert.ok(first.jwt.equals(second.jwt) && first.totp[0].equals(second.totp[0]))
  assert.ok(!first.jwt.equals(first.totp[0]))
  assert.ok(!first.jwt.equals(deriveKeys({ secret_key: `${secret}x` }).jwt))
  assert.equal(first.jwt.symmetricKeySize, 32)
})

it('opens what the key before sealed, and takes no token of it', () => {
  const [secret_key, secret_key_previous] = [48, 48].map(bytes => randomBytes(bytes).toString('base64')) as [
    string,
    string,
  ]
  const [keys, before] = [
    deriveKeys({ secret_key, secret_key_previous }),
    deriveKeys({ secret_key: secret_key_previous }),
  ]
  for (const purpose of ['totp', 'backup'] as const) {
    assert.equal(keys[purpose].length, 2)
    assert.ok(keys[purpose][1]?.equals(before[purpose][0]))
  }
  assert.ok(!keys.jwt.equals(before.jwt))
})

it('keeps to its derivation: another one would end every session and lose every sealed secret', () => {
  const secret = 'Jx3vN8qL2mZ7wR4tY6uK9pB5cF1hD0gS'
  const keys = deriveKeys({ secret_key: secret })
  assert.equal(keys.jwt.export().toString('hex'), 'a76b9e78663a635aaca65b822876f3ba43f136c80d627d8c5ddd7a49e11512f4')
  assert.equal(
    keys.totp[0].export().toString('hex'),
    '09af08ba3d1a7c7ca3f864e2214e03029885cfeedc7bab3635082e7b41c48a19',
  )
  assert.equal(
    keys.backup[0].export().toString('hex'),
    'c739b4025e9fe493cf9df61750a758468e5a2fb9e351ace497420c9464ba3877',
  )
})

it('refuses a secret that is short, a placeholder or hardly random (proves: AUTH-04)', () => {
  const refused = ['', 'short', 'Jx3vN8qL2mZ7wR4tY6uK9pB5cF1hD0g', 'a'.repeat(64), '1234'.repeat(16)]
  refused.push(
    'your-secret-key-change-in-production',
    'CHANGE_ME_CHANGE_ME_CHANGE_ME_CHANGE_ME',
    'please-replace-this-with-32-random-bytes',
  )
  refused.push('0123456789abcdef0123456789abcdef', 'example-example-example-example-key')
  for (const secret of refused)
    assert.throws(
      () => deriveKeys({ secret_key: secret }),
      /^Error: SECRET_KEY (must have at least 32 bytes|is a placeholder)/,
      secret,
    )
})

it('takes what openssl and other generators make', () => {
  for (let n = 0; n < 500; n++) {
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      deriveKeys({ secret_key: randomBytes(32).toString(encoding) })
  }
})
