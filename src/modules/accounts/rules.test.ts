import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isFresh, isLocked, isTimeZone, lockSeconds, signingBlockedReason } from './rules.ts'

it('a lock begins with the fifth failure at 30 seconds and doubles to 15 minutes', () => {
  assert.deepEqual([1, 4, 5, 6, 7, 8, 9, 10, 11, 99, 5000].map(lockSeconds), [
    undefined,
    undefined,
    30,
    60,
    120,
    240,
    480,
    900,
    900,
    900,
    900,
  ])
})

it('a lock ends with its time, except after a hundred failures', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  assert.equal(isLocked({ failed_attempts: 5, locked_until: '2026-03-01T12:00:00.001Z' }, now), true)
  assert.equal(isLocked({ failed_attempts: 5, locked_until: '2026-03-01T12:00:00Z' }, now), false)
  assert.equal(isLocked({ failed_attempts: 5, locked_until: '2026-03-01T12:15:00Z' }, now), true)
  assert.equal(isLocked({ failed_attempts: 5, locked_until: '2026-03-02T12:00:30Z' }, now), false, 'set back by a day')
  assert.equal(isLocked({ failed_attempts: 100, locked_until: '2026-03-02T12:00:30Z' }, now), true)
  assert.equal(isLocked({ failed_attempts: 99, locked_until: null }, now), false)
  assert.equal(isLocked({ failed_attempts: 99, locked_until: null }, new Date(-1)), false)
  assert.equal(isLocked({ failed_attempts: 100, locked_until: null }, now), true)
})

it('a log-in proves who signs for as many minutes as are allowed, and for none at zero', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  const ago = (seconds: number) => now.getTime() / 1000 - seconds
  assert.deepEqual(
    [isFresh(ago(899), now, 15), isFresh(ago(900), now, 15), isFresh(ago(0), now, 0)],
    [true, false, false],
  )
})

it('a time zone is one of the IANA database', () => {
  assert.deepEqual(['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia'].map(isTimeZone), [true, true, true])
  assert.deepEqual(['+02:00', 'Mars/Olympus', '', 'Europe/'].map(isTimeZone), [false, false, false, false])
})

// proves: SIG-01
it('before a signature comes what the tenant asks for: a verified identity, a second factor, the statement as it is now', () => {
  const nobody: Parameters<typeof signingBlockedReason>[0] = {
    totp_confirmed_at: null,
    identity_verified_at: null,
    signature_statement_version: null,
  }
  const moment = '2026-03-01T12:00:00Z'
  const ready = { totp_confirmed_at: moment, identity_verified_at: moment, signature_statement_version: 2 }
  const nothing = {
    signature_otp_required: false,
    signature_identity_verified_required: false,
    signature_statement: null,
  }
  const all = {
    signature_otp_required: true,
    signature_identity_verified_required: true,
    signature_statement: { version: 2 },
  }
  assert.equal(signingBlockedReason(nobody, nothing), undefined)
  assert.equal(signingBlockedReason(ready, all), undefined)
  const without = (missing: Partial<typeof nobody>) => signingBlockedReason({ ...ready, ...missing }, all)
  assert.equal(without({ identity_verified_at: null })!.code, 'signing_identity_not_verified')
  assert.equal(without({ totp_confirmed_at: null })!.code, 'signing_second_factor_missing')
  for (const version of [null, 1, 3])
    assert.match(
      without({ signature_statement_version: version })!.text,
      /^Accept version 2 of the statement of responsibility/,
    )
  assert.match(signingBlockedReason(nobody, all)!.text, /identity/, 'first what takes another person')
})
