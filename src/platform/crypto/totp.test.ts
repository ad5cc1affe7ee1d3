import assert from 'node:assert/strict'
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { isSealedByFirst, newTotpSecret, openTotpSecret, sealTotpSecret, totpUri, verifyTotp } from './totp.ts'

/** RFC 6238, appendix B, SHA-1; the last six of its eight digits. */
const rfcSecret = Secret.fromLatin1('12345678901234567890').base32
const vectors: [number, string][] = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
]
const at = (seconds: number) => new Date(seconds * 1000)

describe('a code of an authenticator app', () => {
  it('is the one of RFC 6238', () => {
    for (const [seconds, code] of vectors)
      assert.equal(verifyTotp(rfcSecret, code, at(seconds), 0), Math.floor(seconds / 30))
  })

  it('is good one step before and after its own, and no further', () => {
    const step = Math.floor(1111111111 / 30)
    const start = step * 30
    for (const seconds of [start - 30, start - 1, start, start + 29, start + 30, start + 59]) {
      assert.equal(verifyTotp(rfcSecret, '050471', at(seconds), 0), step)
    }
    for (const seconds of [start - 31, start + 60])
      assert.equal(verifyTotp(rfcSecret, '050471', at(seconds), 0), undefined)
  })

  it('is good once, and none before it is good after it', () => {
    const step = verifyTotp(rfcSecret, '050471', at(1111111111), 0)!
    assert.equal(verifyTotp(rfcSecret, '050471', at(1111111111), step), undefined)
    assert.equal(verifyTotp(rfcSecret, '081804', at(1111111111), step), undefined, 'the code of the step before')
    assert.equal(verifyTotp(rfcSecret, '050471', at(1111111111), step - 1), step)
  })

  it('is six digits and nothing else', () => {
    for (const code of [
      '',
      '50471',
      '0050471',
      ' 050471',
      '050471\n',
      '05047a',
      '٠٥٠٤٧١',
      '050 471',
      '0'.repeat(10_000),
    ]) {
      assert.equal(verifyTotp(rfcSecret, code, at(1111111111), 0), undefined)
    }
  })
})

describe('the secret of an authenticator app', () => {
  it('has 160 random bits, and the app reads it from the URI', () => {
    const secret = newTotpSecret()
    assert.match(secret, /^[A-Z2-7]{32}$/)
    assert.notEqual(newTotpSecret(), secret)
    const uri = totpUri(secret, { issuer: 'Attest', account: 'ada@acme.example' })
    assert.equal(
      uri,
      `otpauth://totp/Attest:ada%40acme.example?issuer=Attest&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
    const code = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: 1_700_000_000_000 })
    assert.equal(verifyTotp(secret, code, at(1_700_000_000), 0), Math.floor(1_700_000_000 / 30))
  })

  const newKeys = (): [KeyObject] => [createSecretKey(randomBytes(32))]

  it('is stored sealed, and opens for its own user', () => {
    const [keys, secret] = [newKeys(), newTotpSecret()]
    const sealed = sealTotpSecret(keys, 7, secret)
    assert.ok(!sealed.includes(secret))
    assert.notDeepEqual(sealTotpSecret(keys, 7, secret), sealed)
    assert.equal(openTotpSecret(keys, 7, sealed), secret)
  })

  it('does not open for another user, under another key, shortened, or with any byte changed', () => {
    const keys = newKeys()
    const sealed = sealTotpSecret(keys, 7, newTotpSecret())
    assert.equal(openTotpSecret(keys, 8, sealed), undefined)
    assert.equal(openTotpSecret(newKeys(), 7, sealed), undefined)
    for (let length = 0; length < sealed.length; length++)
      assert.equal(openTotpSecret(keys, 7, sealed.subarray(0, length)), undefined)
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed)
      changed[index] = changed[index]! ^ 1
      assert.equal(openTotpSecret(keys, 7, changed), undefined)
    }
  })

  it('opens by the key before, which seals nothing', () => {
    const [[next], [before], secret] = [newKeys(), newKeys(), newTotpSecret()]
    const old = sealTotpSecret([before], 7, secret)
    assert.equal(openTotpSecret([next, before], 7, old), secret)
    assert.equal(isSealedByFirst([next, before], 7, old), false)
    const sealed = sealTotpSecret([next, before], 7, secret)
    assert.equal(openTotpSecret([next], 7, sealed), secret)
    assert.equal(isSealedByFirst([next, before], 7, sealed), true)
  })
})
