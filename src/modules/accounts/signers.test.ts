// Conditions of a tenant for signing, beyond the password (21 CFR 11.10(j), 11.100, 11.300(d); draft Annex 11).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { createRunner, type Recorded } from '#action'
import { auditSink } from '#modules/audit'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { proveIdentity } from './log-in/identity.ts'

describe('who signs (proves: SIG-01)', () => {
  let world: World
  let document_id: number
  before(async () => {
    world = await openWorld()
    const uploaded = await world
      .as('alan')
      .upload('/api/documents/upload', { title: 'Cleaning', document_type: await world.typeId('SOP') })
    document_id = ok(uploaded).id
  })
  after(() => world.close())

  const sign = (name: string, more: object = {}) =>
    world
      .as(name)
      .post('/api/signatures/', { document_id, signature_type: 'witness', intent: 'I have seen it', ...more })
  const set = async (settings: object) => ok(await world.as('ada').put('/api/settings/', settings))
  const denials = async (name: string) =>
    ok(await world.as('otto').get(`/api/audit/?action=signature.denied&user_id=${world.people[name]!.id}`)).items
  const verify = (by: string, name: string, body: object = { method: 'Passport, seen in person' }) =>
    world.as(by).post(`/api/users/${world.people[name]!.id}/verify-identity`, body)

  it('has had their identity verified by another person first, where the tenant wants it so', async () => {
    await set({ signature_identity_verified_required: true })
    const refused = await sign('petra')
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json().code, 'signing_identity_not_verified')
    assert.match((await denials('petra'))[0].reason, /Nobody has verified/)
    assert.equal((await verify('petra', 'uma')).statusCode, 403)
    assert.equal((await verify('ada', 'ada')).statusCode, 403, 'nobody vouches for themself')
    assert.equal((await verify('ada', 'rita')).statusCode, 404)
    assert.equal((await verify('ada', 'petra', { method: ' ' })).statusCode, 422)
    const { identity_verified } = ok(await verify('ada', 'petra', { method: 'Passport', note: 'At the first day' }))
    assert.deepEqual(
      [identity_verified.by.username, identity_verified.method, identity_verified.note],
      ['ada', 'Passport', 'At the first day'],
    )
    ok(await sign('petra'))
    const id = world.people.petra!.id
    const [entry] = ok(await world.as('otto').get(`/api/audit/?action=user.identity_verified&resource_id=${id}`)).items
    assert.deepEqual(
      [entry.user.username, entry.reason, entry.changes.identity_verified.to.method],
      ['ada', 'At the first day', 'Passport'],
    )
    await set({ signature_identity_verified_required: false })
    ok(await sign('quentin'))
  })

  it('proves it by a second factor each time, where the tenant wants it so', async () => {
    await set({ signature_otp_required: true })
    const without = await sign('quinn', { password })
    assert.equal(without.statusCode, 403)
    assert.equal(without.json().code, 'signing_second_factor_missing')
    const { secret } = ok(await world.as('quinn').post('/api/auth/totp/enroll', { password }))
    const code = () => new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() })
    ok(await world.as('quinn').post('/api/auth/totp/confirm', { otp: code() }))
    world.people.quinn!.session_version += 1
    world.clock.moved_ms += 60_000
    const fresh = await sign('quinn')
    assert.deepEqual([fresh.statusCode, fresh.json().code], [401, 'signing_password_and_code_required'])
    assert.equal((await sign('quinn', { password })).statusCode, 401)
    const otp = code()
    // One code signs once, however many requests bring it at the same moment.
    const types = ['authorship', 'review', 'approval', 'rejection', 'verification', 'acknowledgement', 'release']
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        sign('quinn', { password, otp, signature_type: types[index % types.length] }),
      ),
    )
    const made = replies.filter(({ statusCode }) => statusCode === 201)
    assert.deepEqual([made.length, made[0]!.json().method], [1, 'password_otp'])
    assert.equal(replies.filter(({ statusCode }) => statusCode === 401).length, 49)
    await set({ signature_otp_required: false })
  })

  it('has accepted the statement of responsibility, and each new wording of it', async () => {
    const accept = (version: number) => world.as('alan').post('/api/auth/accept-signature-statement', { version })
    const me = async () => ok(await world.as('alan').get('/api/auth/me')).signature_statement
    assert.deepEqual([await me(), (await accept(1)).statusCode], [null, 409])
    const text = 'My electronic signature is as binding as my handwritten one.'
    const { signature_statement } = await set({ signature_statement: { text } })
    assert.deepEqual(signature_statement, { version: 1, text })
    const refused = await sign('alan')
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json().detail, 'Accept version 1 of the statement of responsibility before you sign.')
    assert.deepEqual(await me(), { version: 1, text, is_accepted: false })
    assert.equal((await accept(2)).statusCode, 409)
    assert.equal(ok(await accept(1)).version, 1)
    assert.equal((await accept(1)).statusCode, 409)
    assert.equal((await me()).is_accepted, true)
    ok(await sign('alan'))
    const accepted = ok(await world.as('otto').get('/api/audit/?action=user.signature_statement_accepted')).items
    assert.deepEqual(
      accepted.map((entry: Json) => entry.user.username),
      ['alan'],
    )
    assert.equal((await set({ signature_statement: { text } })).signature_statement.version, 1, 'the same wording')
    await set({ signature_statement: null })
    ok(await sign('alan', { signature_type: 'acknowledgement' }))
    await set({ signature_statement: { text: `${text} I know that.` } })
    assert.deepEqual([(await me()).version, (await me()).is_accepted], [2, false])
    assert.equal((await sign('alan', { signature_type: 'authorship' })).json().code, refused.json().code)
    await set({ signature_statement: null })
  })

  it('does so in a company that can show its letter to the agency', async () => {
    const fda_letter = { sent_on: '2026-02-03', reference: 'FDA-ESG 4711', document_id }
    assert.deepEqual((await set({ fda_letter })).fda_letter, fda_letter)
    assert.deepEqual(ok(await world.as('otto').get('/api/settings/')).fda_letter, fda_letter)
    const missing = { fda_letter: { ...fda_letter, document_id: 999_999 } }
    assert.equal((await world.as('ada').put('/api/settings/', missing)).statusCode, 404)
    const wrong = { fda_letter: { ...fda_letter, sent_on: '2026-02-30' } }
    assert.equal((await world.as('ada').put('/api/settings/', wrong)).statusCode, 422)
  })

  it('is reported to the Admins after three failures in a row, and when the account is locked', async () => {
    const told: Recorded[] = []
    const runner = createRunner(world.services, [auditSink, async (_tx, _by, all) => void told.push(...all)])
    const { id, tenant_id } = world.people.uma!
    const actor = {
      ...{ tenantId: tenant_id, userId: id, username: 'uma', fullName: null, role: 'User', roles: ['User'] },
      ...{ isAdmin: false, permissions: new Set<never>(), authTime: 0 },
    }
    const origin = { requestId: 'request', clientAddr: '127.0.0.1' }
    const attempt = () =>
      proveIdentity(
        {
          ...{ actor, origin, services: world.services, ifRefused() {}, verifyBeforeSend: async () => {} },
          read: work => world.database.transaction(actor, 'read only', work),
          readSnapshot: work => world.database.transaction(actor, 'snapshot', work),
          inSeparateTransaction: work => runner.inSeparateTransaction(actor, origin, work),
        },
        { password: 'Wrong horse 1 battery' },
      )
    for (let failure = 0; failure < 5; failure++) await assert.rejects(attempt, { status: 401 })
    const admins = [world.people.ada!.id]
    assert.deepEqual(
      told.map(({ event, notify }) => [event, notify]),
      [
        ['signature.denied', []],
        ['signature.denied', []],
        ['signature.denied', admins],
        ['signature.denied', admins],
        ['signature.denied', admins],
        ['auth.locked', admins],
      ],
    )
  })
})
