// Effectiveness reviews: planned, carried out by another person than the owner, signed and read-only afterwards.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dayIn } from '#kernel/day.ts'
import { capas } from '#test/builders/capas.ts'
import { behindTheApi, type Json, ok } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let capa: ReturnType<typeof capas>
before(async () => {
  world = await openWorld()
  capa = capas(world)
})
after(() => world.close())

const hour = 3600
const put = (by: string, id: number, review: number, fields: object) =>
  world.as(by).put(`${capa.url(id)}/effectiveness/${review}`, fields)
async function pending(fields: object = {}) {
  const { id, number } = await capa.inState('pending_effectiveness', fields)
  const [review] = await capa.get('petra', id, '/effectiveness')
  return { id, number, review: review as Json }
}
const signatureOf = async (id: number) => ok(await world.as('otto').get(`/api/signatures/${id}`))

describe('an effectiveness review (proves: CAPA-04)', () => {
  it('is planned with criteria, method, day and reviewer, one at a time', async () => {
    const { id } = await capa.open()
    const reply = await capa.plan('petra', id)
    const review = ok(reply)
    assert.deepEqual([reply.statusCode, reply.headers.location], [201, `${capa.url(id)}/effectiveness/${review.id}`])
    assert.deepEqual(
      [review.capa_id, review.number, review.status, review.method, review.reviewer.username, review.result],
      [id, 1, 'planned', 'trend', 'quentin', null],
    )
    assert.deepEqual(await capa.get('petra', id, `/effectiveness/${review.id}`), review)
    assert.deepEqual(await capa.get('petra', id, '/effectiveness'), [review])
    assert.equal((await capa.plan('petra', id)).statusCode, 409)
    const elsewhere = await world.as('petra').get(`${capa.url((await capa.open()).id)}/effectiveness/${review.id}`)
    assert.equal(elsewhere.statusCode, 404)
  })

  it('is planned by QA, and carried out by somebody who may and who does not own the CAPA', async () => {
    const { id } = await capa.open({ assigned_to: capa.idOf('petra') })
    assert.equal((await capa.plan('alan', id)).statusCode, 403)
    const owner = await capa.plan('petra', id, { reviewer_id: capa.idOf('petra') })
    assert.deepEqual([owner.statusCode, owner.json().code], [409, 'capa_reviewer_is_owner'])
    const author = await capa.plan('petra', id, { reviewer_id: capa.idOf('alan') })
    assert.deepEqual(
      [author.statusCode, author.json().code, author.json().params],
      [409, 'record_assignee_lacks_permission', { username: 'alan', permission: 'effectiveness.update' }],
    )
    assert.equal((await capa.plan('petra', id, { due_date: '2020-01-01' })).statusCode, 422)
    const { id: review } = ok(await capa.plan('petra', id))
    // The reviewer cannot become the owner either, nor the owner the reviewer.
    assert.equal((await capa.put('petra', id, { assigned_to: capa.idOf('quentin') })).statusCode, 409)
    assert.equal((await put('quinn', id, review, { reviewer_id: capa.idOf('petra') })).statusCode, 409)
  })

  it('has criteria that change until the CAPA awaits it, and then stay', async () => {
    const { id } = await capa.inState('in_progress')
    const { id: review } = ok(await capa.plan('petra', id))
    const criteria = 'None in six months'
    const changed = ok(await put('petra', id, review, { criteria, method: 'sampling', change_reason: 'Too short' }))
    assert.deepEqual([changed.criteria, changed.method, changed.revision], [criteria, 'sampling', 2])
    await capa.done(id)
    ok(await capa.put('petra', id, { adverse_effect_assessment: 'None', status: 'pending_effectiveness' }))
    for (const late of [{ criteria: 'Any' }, { method: 'trend' }]) {
      const reply = await put('petra', id, review, late)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'capa_review_criteria_fixed'])
    }
    // Reviewer and due date are no criteria, so they can still change.
    ok(await put('petra', id, review, { due_date: '2199-02-01', reviewer_id: capa.idOf('quinn') }))
  })

  it('refuses a change that was made on an older revision', async () => {
    const { id } = await capa.open()
    const { id: review, revision } = ok(await capa.plan('petra', id))
    ok(await put('petra', id, review, { criteria: 'None in four months', revision }))
    assert.equal((await put('quinn', id, review, { criteria: 'Any', revision })).statusCode, 409)
  })

  it('is completed with a signature of its reviewer, which covers what was found', async () => {
    const { id, review } = await pending()
    const found = { evidence: 'Trend report 7', conclusion: 'None in 40 batches' }
    const done = ok(await capa.conclude('quentin', id, review.id, found, { logged_in: hour }))
    assert.deepEqual(
      [done.status, done.result, done.conclusion, done.evidence],
      ['completed', 'effective', found.conclusion, found.evidence],
    )
    const signature = await signatureOf(done.signature_id)
    assert.deepEqual(
      [signature.signature_type, signature.intent, signature.signer.username, signature.occasion.kind],
      ['effectiveness', found.conclusion, 'quentin', 'effectiveness'],
    )
    assert.equal(signature.verification.valid, true, JSON.stringify(signature.verification))
    await behindTheApi(
      world,
      'effectiveness_reviews',
      `update effectiveness_reviews set result = 'not_effective' where id = $1`,
      [review.id],
    )
    assert.equal((await signatureOf(done.signature_id)).verification.valid, false)
  })

  it('is completed by its reviewer alone, with the password, once the CAPA awaits it', async () => {
    const { id, review } = await pending()
    const other = await capa.conclude('quinn', id, review.id)
    assert.deepEqual(
      [other.statusCode, other.json().code, other.json().detail],
      [403, 'capa_review_by_reviewer_only', 'Only the assigned reviewer can record the result.'],
    )
    const wrong = await capa.conclude('quentin', id, review.id, { password: 'a password of nobody' })
    assert.equal(wrong.statusCode, 401)
    const old = await capa.conclude('quentin', id, review.id, { password: undefined }, { logged_in: hour })
    assert.equal(old.statusCode, 401)
    assert.equal((await capa.get('petra', id, `/effectiveness/${review.id}`)).status, 'planned')
    const early = await capa.inState('in_progress')
    const { id: planned } = ok(await capa.plan('petra', early.id))
    const reply = await capa.conclude('quentin', early.id, planned)
    assert.deepEqual(
      [reply.statusCode, reply.json().code, reply.json().params],
      [409, 'capa_not_ready_for_review', { number: early.number, status: 'in_progress' }],
    )
  })

  it('is concluded or planned before its day with a reason, and its reviewer gives themselves no later day', async () => {
    const { id, review } = await pending()
    const early = await capa.conclude('quentin', id, review.id, { change_reason: undefined })
    assert.deepEqual(
      [early.statusCode, early.json().detail[0].loc, early.json().detail[0].type],
      [422, ['body', 'change_reason'], 'capa_review_early_reason_required'],
    )
    const bypass = await capa.conclude('quentin', id, review.id, {
      change_reason: undefined,
      due_date: dayIn('UTC', world.clock.now()),
    })
    assert.equal(bypass.statusCode, 422)
    const sooner = await put('quentin', id, review.id, { due_date: '2199-01-01' })
    assert.equal(sooner.json().detail[0].type, 'capa_review_earlier_reason_required')
    const later = await put('quentin', id, review.id, { due_date: '2199-12-31' })
    assert.deepEqual([later.statusCode, later.json().code], [403, 'capa_review_own_due_date'])
    ok(await put('petra', id, review.id, { due_date: '2199-12-31' }))
    assert.equal((await capa.get('petra', id, `/effectiveness/${review.id}`)).status, 'planned')
    ok(await capa.conclude('quentin', id, review.id))
  })

  it('says what it found all at once: no result without a conclusion, and no conclusion without a result', async () => {
    const { id, review } = await pending()
    for (const [fields, field] of [
      [{ result: 'effective' }, 'conclusion'],
      [{ conclusion: 'None' }, 'conclusion'],
      [{ evidence: 'Report' }, 'evidence'],
      [{ result: 'not_effective', conclusion: 'Two more' }, 'follow_up'],
      [{ result: 'not_effective', conclusion: 'Two more', follow_up_capa_id: id }, 'follow_up_capa_id'],
    ] as const) {
      const reply = await put('quentin', id, review.id, fields)
      assert.deepEqual([reply.statusCode, reply.json().detail[0]?.loc], [422, ['body', field]], JSON.stringify(fields))
    }
  })

  it('that found it not effective says what follows, and takes the CAPA back to work in the same step', async () => {
    const { id, review } = await pending()
    const { id: next } = await capa.draft()
    const conclusion = 'Two more in a month'
    const done = ok(
      await capa.conclude('quentin', id, review.id, { result: 'not_effective', conclusion, follow_up_capa_id: next }),
    )
    assert.deepEqual([done.result, done.follow_up_capa_id], ['not_effective', next])
    const back = await capa.get('petra', id)
    assert.equal(back.status, 'in_progress')
    const history = await capa.get('petra', id, '/history')
    assert.deepEqual(
      [history.at(-1).transition, history.at(-1).user.username, history.at(-1).reason],
      ['not_effective', 'quentin', conclusion],
    )
    // After another review it can be closed.
    ok(await capa.plan('petra', id))
    ok(await capa.put('petra', id, { status: 'pending_effectiveness' }))
    const [second] = await capa.get('petra', id, '/effectiveness')
    assert.equal(second.number, 2)
    ok(await capa.conclude('quentin', id, second.id))
    assert.equal(ok(await capa.put('quinn', id, { status: 'closed', password })).status, 'closed')
  })

  it('never changes once it is completed, through the service or by its database login', async () => {
    const { id, review } = await pending()
    ok(await capa.conclude('quentin', id, review.id))
    for (const fields of [
      { due_date: '2199-03-01' },
      { criteria: 'Any' },
      { result: 'not_effective', conclusion: 'x' },
    ]) {
      const reply = await put('quentin', id, review.id, fields)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'capa_review_completed'])
    }
    await assert.rejects(
      world.rows('update effectiveness_reviews set conclusion = $1 where id = $2', ['other', review.id]),
      { code: 'QA002' },
    )
  })
})

describe('the closure of a CAPA (proves: SIG-01)', () => {
  it('is signed, and the signature covers cause, actions and reviews', async () => {
    const { id } = await pending()
    const [review] = await capa.get('petra', id, '/effectiveness')
    ok(await capa.conclude('quentin', id, review.id))
    const close = (fields: object, options = {}) =>
      world.as('quinn', options).put(capa.url(id), { status: 'closed', change_reason: 'All is done', ...fields })
    assert.equal((await close({}, { logged_in: hour })).statusCode, 401)
    assert.equal((await close({ password: 'a password of nobody' })).statusCode, 401)
    const closed = ok(await close({ password, intent: 'I have seen the evidence' }, { logged_in: hour }))
    assert.deepEqual([closed.status, closed.closed_by.username], ['closed', 'quinn'])
    const signature = await signatureOf(closed.signature_id)
    assert.deepEqual(
      [signature.signature_type, signature.intent, signature.verification.valid],
      ['closure', 'I have seen the evidence', true],
    )
    const history = await capa.get('petra', id, '/history')
    assert.equal(history.at(-1).signature_id, closed.signature_id)
    for (const [table, statement] of [
      ['capas', `update capas set root_cause = 'another' where id = $1`],
      ['capa_actions', `update capa_actions set evidence = 'another' where capa_id = $1`],
    ] as const) {
      const [kept] = await world.rows(
        `select to_jsonb(t) as row from ${table} t where ${table === 'capas' ? 'id' : 'capa_id'} = $1`,
        [id],
      )
      await behindTheApi(world, table, statement, [id])
      assert.equal((await signatureOf(closed.signature_id)).verification.valid, false, table)
      const { root_cause, evidence } = kept!.row as Json
      const undo =
        table === 'capas'
          ? `update capas set root_cause = $2 where id = $1`
          : `update capa_actions set evidence = $2 where capa_id = $1`
      await behindTheApi(world, table, undo, [id, table === 'capas' ? root_cause : evidence])
      assert.equal((await signatureOf(closed.signature_id)).verification.valid, true, table)
    }
  })
})
