import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signatureTypes } from '#kernel/catalogue.ts'
import { freeTypes, verificationCode, whyNotToBeVoided } from './rules.ts'

// proves: SIG-01
it('a signature that is part of an act is not voided by itself: who asks is told what to do instead', () => {
  const of = (occasion_kind: string, more: Partial<Parameters<typeof whyNotToBeVoided>[0]> = {}) =>
    whyNotToBeVoided({ record_type: 'document', occasion_kind, status_kind: null, ...more })
  for (const status_kind of ['initial', 'review'])
    assert.match(of('approval', { status_kind })!, /reject or withdraw the version/)
  for (const status_kind of ['effective', 'final', null])
    assert.match(of('approval', { status_kind })!, /upload a new version, or make the document obsolete$/)
  assert.match(of('obsolescence')!, /upload the document anew/)
  assert.match(of('periodic_review')!, /decide another review/)
  assert.match(of('closure', { record_type: 'deviation' })!, /reopen the deviation/)
  assert.match(of('closure', { record_type: 'capa' })!, /create another CAPA/)
  assert.match(of('effectiveness')!, /plan another review/)
  for (const kind of ['training', 'training_verification']) assert.match(of(kind)!, /assign it anew/)
  assert.match(of('audit_review')!, /make another review/)
})

it('a signature that somebody gave by itself may be voided', () => {
  const given = { record_type: 'document', occasion_kind: 'free', status_kind: 'effective' }
  assert.equal(whyNotToBeVoided(given), undefined)
})

it('nobody signs by itself what an act of the service means', () => {
  assert.deepEqual(signatureTypes.filter(type => !freeTypes.includes(type)).sort(), [
    'closure',
    'effectiveness',
    'obsolescence',
    'training',
  ])
})

it('a verification code is read out in fours', () => {
  assert.equal(verificationCode(`0123456789abcdef${'f'.repeat(48)}`), '0123-4567-89ab-cdef')
})
