import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signatureTypes } from '#kernel/catalogue.ts'
import { freeTypes, verificationCode, voidBlockedReason } from './rules.ts'

const given = {
  ...{ record_type: 'document', occasion_kind: 'free', status_kind: 'effective' },
  ...{ is_approved: false, is_own: false },
}

// proves: SIG-01
it('a signature that is part of an act is not voided by itself: who asks is told what to do instead', () => {
  const of = (occasion_kind: string, more: Partial<Parameters<typeof voidBlockedReason>[0]> = {}) =>
    voidBlockedReason({ ...given, occasion_kind, status_kind: null, ...more })!.code
  assert.equal(of('approval', { status_kind: 'review' }), 'signature_of_decision')
  assert.equal(of('approval', { status_kind: 'review', is_own: true }), 'signature_of_own_decision')
  assert.equal(of('approval', { status_kind: 'review', is_approved: true, is_own: true }), 'signature_of_approval')
  assert.equal(of('approval', { status_kind: 'effective', is_approved: true }), 'signature_of_effective_version')
  assert.equal(of('approval', { status_kind: 'final', is_approved: true }), 'signature_of_ended_version')
  assert.equal(of('approval_withdrawal'), 'signature_of_approval_withdrawal')
  assert.equal(of('obsolescence'), 'signature_of_obsolescence')
  assert.equal(of('periodic_review'), 'signature_of_periodic_review')
  assert.equal(of('closure', { record_type: 'deviation' }), 'signature_of_deviation_closure')
  assert.equal(of('closure', { record_type: 'capa' }), 'signature_of_capa_closure')
  assert.equal(of('effectiveness'), 'signature_of_effectiveness')
  for (const kind of ['training', 'training_verification']) assert.equal(of(kind), 'signature_of_training')
  assert.equal(of('audit_review'), 'signature_of_audit_review')
  assert.equal(of('configuration'), 'signature_of_configuration_change')
})

it('a signature that somebody gave by itself may be voided', () => {
  assert.equal(voidBlockedReason(given), undefined)
})

it('nobody signs by itself what an act of the service means', () => {
  assert.deepEqual(signatureTypes.filter(type => !freeTypes.includes(type)).sort(), [
    'closure',
    'disposal',
    'effectiveness',
    'file_removal',
    'hold_lifting',
    'obsolescence',
    'training',
    'withdrawal',
  ])
})

it('a verification code is read out in fours', () => {
  assert.equal(verificationCode(`0123456789abcdef${'f'.repeat(48)}`), '0123-4567-89ab-cdef')
})
