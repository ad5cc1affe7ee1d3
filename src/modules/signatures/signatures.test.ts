// Signatures and what they prove. Nobody alters anything of one without being found out (21 CFR 11.50, 11.70, 11.200).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const signAs = (name: string, document_id: number, more: object = {}, options?: { logged_in?: number }) =>
  world
    .as(name, options)
    .post('/api/signatures/', { document_id, signature_type: 'acknowledgement', intent: 'I have read it', ...more })
const read = async (id: number, by = 'otto') => ok(await world.as(by).get(`/api/signatures/${id}`))
const denied = async (by: string) =>
  ok(await world.as('otto').get(`/api/audit/?action=signature.denied&user_id=${world.people[by]!.id}`)).items[0] as Json

describe('a signature', () => {
  it('says who, what, when, with which meaning and how identity was proved (proves: SIG-01)', async () => {
    const document = await paper.effective()
    const reply = await signAs('uma', document.id)
    assert.equal(reply.statusCode, 201)
    const signature = ok(reply)
    assert.equal(reply.headers.location, `/api/signatures/${signature.id}`)
    const details = await read(signature.id, 'uma')
    assert.deepEqual(details.signer, {
      id: world.people.uma!.id,
      username: 'uma',
      full_name: 'Uma Example',
      role: 'User',
    })
    assert.deepEqual(details.record, {
      file_sha256: createHash('sha256').update(pdf()).digest('hex'),
      file_size: pdf().length,
      metadata_sha256: details.record.metadata_sha256,
      content_sha256: null,
      files: [],
      status: 'effective',
    })
    assert.deepEqual(
      [signature.resource_type, signature.resource_id, signature.resource_number, signature.document_number],
      ['document', document.id, document.number, document.number],
    )
    assert.deepEqual([details.verification.valid, details.verification.status], [true, 'valid'])
    assert.deepEqual(
      details.verification.checks.map(({ name, passed }: Json) => [name, passed]),
      [
        ['completeness', true],
        ['signature_integrity', true],
        ['record_association', true],
        ['record_integrity', true],
        ['content_integrity', true],
        ['signer_identity', true],
        ['chain', true],
        ['manifestation', true],
        ['audit_entry', true],
        ['evidence', true],
      ],
    )
    const payload = JSON.parse(details.payload)
    assert.deepEqual(
      { ...payload, auth: { ...payload.auth, time: '' }, request_id: '' },
      {
        v: '1',
        tenant: String(world.people.uma!.tenant_id),
        document: { id: String(document.id), number: document.number },
        version: { id: payload.version.id, label: '1.0', content_revision: '1', round: '1', status: 'effective' },
        file: { sha256: details.record.file_sha256, size: String(pdf().length) },
        metadata_sha256: details.record.metadata_sha256,
        signature_type: 'acknowledgement',
        intent: 'I have read it',
        occasion: { kind: 'free', ref: '' },
        previous: payload.previous,
        time_zone: 'UTC',
        client_addr: '127.0.0.1',
        signer: { id: String(world.people.uma!.id), username: 'uma', full_name: 'Uma Example', role: 'User' },
        auth: { method: 'session', time: '' },
        signed_at: new Date(details.signed_at).toISOString(),
        request_id: '',
      },
    )
    assert.equal(payload.request_id, reply.headers['x-request-id'])
    assert.equal(createHash('sha256').update(details.payload).digest('hex'), details.digest)
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?action=signature.created&resource_id=${signature.id}`),
    ).items
    assert.deepEqual(
      [entry.user.username, entry.reason, entry.resource_number],
      ['uma', 'I have read it', document.number],
    )
  })

  it('is one for each person, meaning and content: a second is a 409', async () => {
    const { id } = await paper.submitted()
    ok(await signAs('petra', id, { signature_type: 'review' }))
    const again = await signAs('petra', id, { signature_type: 'review', intent: 'Once more' })
    assert.equal(again.statusCode, 409)
    assert.match(again.json().detail, /already signed version 1\.0 of .* with this meaning\.$/)
    ok(await signAs('petra', id, { signature_type: 'witness' }))
    ok(await signAs('quinn', id, { signature_type: 'review' }))
    ok(await world.as('alan').put(`/api/documents/${id}`, { title: 'Other content', change_reason: 'Typo' }))
    ok(await signAs('petra', id, { signature_type: 'review' }))
  })

  it('is of the version that is named, or of the one that is shown', async () => {
    const { id } = await paper.effective()
    ok(await paper.addVersion(id))
    const shown = ok(await signAs('petra', id))
    const named = ok(await signAs('petra', id, { version: '1.1' }))
    assert.deepEqual([shown.document_version, named.document_version], ['1.0', '1.1'])
    assert.equal((await signAs('uma', id, { version: '1.1' })).statusCode, 404)
  })

  it('of what one may not read, or that another tenant has, is a 404; of what has no words, a 422', async () => {
    const { id } = await paper.upload()
    const [hidden, foreign, missing] = [await signAs('uma', id), await signAs('rita', id), await signAs('uma', 999_999)]
    assert.deepEqual([hidden.statusCode, foreign.statusCode], [404, 404])
    assert.ok(hidden.body === missing.body && foreign.body === missing.body)
    assert.equal((await signAs('alan', id, { intent: '  ' })).statusCode, 422)
    assert.equal((await signAs('alan', id, { signature_type: 'approved' })).statusCode, 422)
  })
})

describe('identity is proved (21 CFR 11.200)', () => {
  it('by a log-in that is not too long ago; after that by the password, and a 401 asks for it', async () => {
    const { id } = await paper.effective()
    assert.equal(ok(await signAs('petra', id, {}, { logged_in: 14 * 60 + 50 })).method, 'session')
    const stale = await signAs('quentin', id, {}, { logged_in: 15 * 60 + 1 })
    assert.equal(stale.statusCode, 401)
    assert.match(
      String(stale.headers['www-authenticate']),
      /^Bearer error="insufficient_user_authentication", max_age="900"$/,
    )
    assert.match((await denied('quentin')).reason, /too long ago/)
    const signed = ok(await signAs('quentin', id, { password }, { logged_in: 3600 }))
    assert.equal(signed.method, 'password')
    const { payload } = await read(signed.id)
    assert.ok(
      Math.abs(Date.parse(JSON.parse(payload).auth.time) - Date.now()) < 60_000,
      'the moment of the password, not of the log-in',
    )
  })

  it('not by a wrong password, not even in a fresh session: nothing is signed, and it is remembered', async () => {
    const { id } = await paper.effective()
    const reply = await signAs('quinn', id, { password: 'wrong' })
    assert.equal(reply.statusCode, 401)
    const entry = await denied('quinn')
    assert.deepEqual([entry.outcome, entry.reason], ['denied', 'Wrong password'])
    assert.equal(
      ok(await world.as('otto').get(`/api/signatures/?document_id=${id}&signer_id=${world.people.quinn!.id}`)).total,
      0,
    )
    ok(await signAs('quinn', id, { password }))
  })

  it('each time by the password where the tenant asks for it', async () => {
    const { id } = await paper.effective()
    ok(await world.as('ada').put('/api/settings/', { signature_reauth_minutes: 0 }))
    const [without, with_] = [await signAs('anna', id), await signAs('anna', id, { password })]
    ok(await world.as('ada').put('/api/settings/', { signature_reauth_minutes: null }))
    assert.deepEqual([without.statusCode, with_.statusCode], [401, 201])
  })

  it('with the code of the second factor where there is one, and each code once', async () => {
    const { id } = await paper.effective()
    const { id: other } = await paper.effective()
    const { secret } = ok(await world.as('alan').post('/api/auth/totp/enroll', { password }))
    const code = () => new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() })
    ok(await world.as('alan').post('/api/auth/totp/confirm', { otp: code() }))
    world.people.alan!.session_version = Number(
      (
        await world.rows<{ session_version: number }>('select session_version from credentials where user_id = $1', [
          world.people.alan!.id,
        ])
      )[0]!.session_version,
    )
    world.clock.moved_ms += 60_000
    assert.equal((await signAs('alan', id, { password })).statusCode, 401)
    const otp = code()
    assert.equal(ok(await signAs('alan', id, { password, otp })).method, 'password_otp')
    const replayed = await signAs('alan', other, { password, otp })
    assert.equal(replayed.statusCode, 401)
    assert.equal(replayed.json().code, 'signing_code_already_used')
  })
})

it('no signature is changed or removed, by the application or by the owner of the tables (proves: AUD-04)', async () => {
  const actor = { tenantId: world.people.ada!.tenant_id, userId: world.people.ada!.id }
  const attempt = (change: 'update' | 'delete') =>
    world.database.transaction(actor, 'read write', async tx => {
      if (change === 'update') await tx.updateTable('signatures').set({ intent: 'x' }).execute()
      else await tx.deleteFrom('signatures').execute()
    })
  await assert.rejects(attempt('update'), { code: '42501' })
  await assert.rejects(attempt('delete'), { code: '42501' })
  for (const statement of [
    `update signatures set intent = 'x'`,
    'delete from signatures',
    'truncate signatures cascade',
  ])
    await assert.rejects(world.rows(statement), { code: 'QA002' })
})

describe('lists', () => {
  it('show what one may read and what one signed, with the filters that one expects', async () => {
    const draft = await paper.upload()
    const effective = await paper.effective()
    ok(await signAs('petra', draft.id, { intent: 'Seen in passing' }))
    ok(await signAs('uma', effective.id, { intent: 'Seen in passing' }))
    const count = async (by: string, query: string) =>
      ok(await world.as(by).get(`/api/signatures/?q=in%20passing${query}`)).total
    assert.deepEqual([await count('otto', ''), await count('uma', ''), await count('rex', '')], [2, 1, 0])
    assert.equal(await count('otto', `&document_id=${draft.id}`), 1)
    assert.equal(await count('otto', `&resource_type=document&resource_id=${draft.id}`), 1)
    assert.equal(await count('otto', `&resource_type=deviation&resource_id=${draft.id}`), 0)
    assert.equal(await count('otto', `&signer_id=${world.people.uma!.id}`), 1)
    assert.equal(await count('otto', '&signature_type=acknowledgement'), 2)
    assert.equal(await count('otto', '&signature_type=witness'), 0)
    const { items } = ok(await world.as('otto').get('/api/signatures/?q=in%20passing&sort=signed_at'))
    assert.deepEqual(
      items.map(({ signer }: Json) => signer.username),
      ['petra', 'uma'],
    )
    const [{ id }] = ok(await world.as('otto').get(`/api/signatures/?document_id=${draft.id}`)).items
    assert.equal((await world.as('uma').get(`/api/signatures/${id}`)).statusCode, 404)
    assert.equal((await world.as('rita').get(`/api/signatures/${id}`)).statusCode, 404)
  })
})
