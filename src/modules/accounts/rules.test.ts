import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  isFresh,
  isLocked,
  isTemporaryPasswordOver,
  isTimeZone,
  lockSeconds,
  lockSecondsAnywhere,
  signingBlockedReason,
  verificationRefusal,
} from './rules.ts'

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

it('a lock ends with its time, however many failures there were', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  assert.equal(isLocked({ locked_until: '2026-03-01T12:00:00.001Z' }, now), true)
  assert.equal(isLocked({ locked_until: '2026-03-01T12:00:00Z' }, now), false)
  assert.equal(isLocked({ locked_until: '2026-03-01T12:15:00Z' }, now), true)
  assert.equal(isLocked({ locked_until: '2026-03-02T12:00:30Z' }, now), false, 'set back by a day')
  assert.equal(isLocked({ locked_until: null }, now), false)
  assert.deepEqual([99, 100, 5000].map(lockSecondsAnywhere), [undefined, 900, 900])
})

it('a temporary password ends after 72 hours, and another one does not', () => {
  const password_changed_at = '2026-03-01T12:00:00Z'
  const isOver = (must_change_password: boolean, now: string) =>
    isTemporaryPasswordOver({ must_change_password, password_changed_at }, new Date(now))
  assert.deepEqual(
    [isOver(true, '2026-03-04T12:00:00Z'), isOver(true, '2026-03-04T12:00:01Z'), isOver(false, '2027-03-04T12:00:01Z')],
    [false, true, false],
  )
})

it('nobody verifies who the user is who could have logged in as the user', () => {
  const verifier = { id: 2, created_at: '2026-01-01T00:00:00Z', identity_reset_at: null }
  const user = { id: 1, created_by: 5, identity_reset_at: '2026-03-01T12:00:00Z', account_openers: [6] }
  const refusal = (change: Partial<typeof verifier> | { identity_reset_at: string }) =>
    verificationRefusal({ ...verifier, ...change }, user)?.code
  assert.deepEqual(
    [refusal({}), refusal({ id: 1 }), refusal({ id: 5 }), refusal({ id: 6 })],
    [undefined, 'user_own_identity', 'user_identity_by_opener', 'user_identity_by_opener'],
  )
  assert.equal(refusal({ identity_reset_at: '2026-02-01T12:00:00Z' }), 'user_identity_verifier_reset')
  assert.equal(refusal({ created_at: '2026-03-01T12:00:01Z' }), 'user_identity_verifier_too_new')
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
    full_name: 'Ada Example',
    totp_confirmed_at: null,
    identity_reset_at: null,
    identity_verified_at: null,
    signature_statement_version: null,
  }
  const moment = '2026-03-01T12:00:00Z'
  const ready = {
    full_name: 'Ada Example',
    totp_confirmed_at: moment,
    identity_reset_at: null,
    identity_verified_at: moment,
    signature_statement_version: 2,
  }
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
  for (const full_name of [null, '', ' '])
    assert.equal(signingBlockedReason({ ...ready, full_name }, nothing)!.code, 'signing_full_name_missing')
  assert.equal(without({ identity_verified_at: null })!.code, 'signing_identity_not_verified')
  assert.equal(without({ totp_confirmed_at: null })!.code, 'signing_second_factor_missing')
  for (const version of [null, 1, 3])
    assert.match(
      without({ signature_statement_version: version })!.text,
      /^Accept version 2 of the statement of responsibility/,
    )
  const reset = { ...ready, identity_reset_at: moment, identity_verified_at: null }
  assert.equal(signingBlockedReason(reset, nothing)!.code, 'signing_identity_reset', 'whatever the tenant asks for')
  assert.match(signingBlockedReason(nobody, all)!.text, /identity/, 'first what takes another person')
})
