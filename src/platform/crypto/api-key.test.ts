import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashOfApiSecret, isApiSecret, nameOfApiKey, newApiSecret, readApiKey, textOfApiKey } from './api-key.ts'

// proves: KEY-01
describe('the text of an API key', () => {
  const key = { tenantId: 42, keyId: 1000, secret: newApiSecret() }
  const text = textOfApiKey(key)

  it('names itself, and leads back to its parts', () => {
    assert.match(text, /^att_16-rs_[0-9A-Za-z]{49}$/)
    assert.equal(nameOfApiKey(key), 'att_16-rs')
    assert.deepEqual(readApiKey(text), key)
    const largest = { tenantId: Number.MAX_SAFE_INTEGER, keyId: Number.MAX_SAFE_INTEGER, secret: key.secret }
    assert.deepEqual(readApiKey(textOfApiKey(largest)), largest)
  })

  it('is refused where any one character of it is another', () => {
    for (let place = 0; place < text.length; place++)
      for (const other of ['0', 'z', '_', '-', ' '])
        if (text[place] !== other)
          assert.equal(readApiKey(text.slice(0, place) + other + text.slice(place + 1)), undefined, `${place} ${other}`)
  })

  it('is refused where it is cut, lengthened, or of ids that no record has', () => {
    for (const wrong of ['', 'att_', text.slice(1), text.slice(0, -1), `${text}0`, `${text}\n`, ` ${text}`])
      assert.equal(readApiKey(wrong), undefined, wrong)
    // The checksum is right, and the ids are beyond what a number holds.
    const beyond = textOfApiKey({ ...key, keyId: 36 ** 11 - 1 })
    assert.equal(readApiKey(beyond), undefined)
    assert.equal(readApiKey(textOfApiKey({ ...key, keyId: 0 })), undefined)
  })

  it('has another secret each time, whose hash is of one account alone', () => {
    const secrets = new Set(Array.from({ length: 200 }, newApiSecret))
    assert.equal(secrets.size, 200)
    const of = { tenantId: 42, userId: 7 }
    const hash = hashOfApiSecret(of, key.secret)
    assert.ok(isApiSecret(of, key.secret, hash))
    assert.ok(!isApiSecret(of, newApiSecret(), hash))
    for (const other of [
      { ...of, userId: 8 },
      { ...of, tenantId: 43 },
    ])
      assert.ok(!isApiSecret(other, key.secret, hash))
    assert.ok(!isApiSecret(of, key.secret, hash.subarray(1)))
  })
})
