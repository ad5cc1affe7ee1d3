// An approver takes their own approval back while the version awaits an approval.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const hour = 3600
const reason = 'I read the wrong annex'
const takeBack = (by: string, id: number, body: object = { password }, options = {}) =>
  world.as(by, options).post(`/api/documents/${id}/withdraw-approval`, { reason, ...body })
const signaturesOf = async (id: number): Promise<Json[]> =>
  ok(await world.as('quinn').get(`/api/signatures/?document_id=${id}&sort=id:asc`)).items
const verdict = async (id: number) => ok(await world.as('quinn').get(`/api/signatures/${id}`)).verification
const codeOf = (reply: Awaited<ReturnType<typeof takeBack>>) => [reply.statusCode, reply.json().code]

describe('an approval that its approver takes back (proves: DOC-05, SIG-01)', () => {
  it('returns the version to its step, is signed, and its signature is void with the reason', async () => {
    const { id, number } = await paper.submitted()
    ok(await paper.approve('petra', id, { password }))
    const back = ok(await takeBack('petra', id))
    assert.equal(back.status, 'in_review')
    const [approval, withdrawal] = await signaturesOf(id)
    assert.deepEqual(
      [approval.void.cause, approval.void.reason, approval.void.voided_by.username],
      ['approval_withdrawn', reason, 'petra'],
    )
    assert.deepEqual(
      [withdrawal.signature_type, withdrawal.occasion, withdrawal.intent, withdrawal.signer.username],
      ['withdrawal', { kind: 'approval_withdrawal', ref: String(approval.id) }, reason, 'petra'],
    )
    assert.equal((await verdict(approval.id)).status, 'void')
    assert.equal((await verdict(withdrawal.id)).status, 'valid')
    const history = await paper.get('quinn', id, '/history')
    const entry = history.find(({ kind }: Json) => kind === 'decision_withdrawn')
    assert.deepEqual(
      [entry.user.username, entry.transition, entry.comment, entry.signature_id],
      ['petra', 'review', reason, withdrawal.id],
    )
    assert.equal(history.find(({ kind }: Json) => kind === 'decision').is_void, true)
    const trail = ok(await world.as('otto').get(`/api/audit/?action=document.approval_withdrawn&resource_id=${id}`))
    assert.deepEqual([trail.items[0].user.username, trail.items[0].reason], ['petra', reason])
    const told = ok(await world.as('alan').get('/api/notifications/?type=document_approval_withdrawn')).items
    assert.match(told[0].title, new RegExp(`^${number} lost an approval, which was taken back by Petra Example`))
  })

  it('can be given again, by another signature that verifies', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { password }))
    ok(await takeBack('petra', id))
    ok(await paper.approve('petra', id, { password }))
    const [first, , again] = await signaturesOf(id)
    assert.deepEqual(again.occasion, { kind: 'approval', ref: `review/${first.id}` })
    assert.equal((await verdict(again.id)).status, 'valid')
    assert.equal(ok(await paper.approve('quentin', id, { password })).status, 'effective')
  })

  it('takes approvals of later steps with it, and leaves those of its own step', async () => {
    const both = { kind: 'user', who: ['quentin', 'quinn'].map(name => world.people[name]!.id), count: 2 }
    const { id } = await paper.upload()
    ok(
      await world.as('ada').post(`/api/documents/${id}/configure-approval`, {
        ...{ transition: 'approve', approvers: [both], change_reason: 'Two sites use it' },
      }),
    )
    ok(await paper.move('alan', id, 'submit'))
    ok(await paper.approve('petra', id, { password }))
    ok(await paper.approve('quentin', id, { password }))
    assert.equal(ok(await takeBack('petra', id)).status, 'in_review')
    assert.deepEqual(
      (await signaturesOf(id)).map(each => each.void?.cause ?? null),
      ['approval_withdrawn', 'approval_withdrawn', null],
    )
    ok(await paper.approve('petra', id, { password }))
    ok(await paper.approve('quentin', id, { password }))
    ok(await takeBack('quentin', id))
    const { status, workflow } = ok(await paper.approve('quentin', id, { password }))
    assert.deepEqual([status, workflow.pending[0].rules[0].given_by.length], ['in_approval', 1])
    assert.equal((await signaturesOf(id)).filter(each => each.void === null).length, 4)
  })

  it('needs the password and a reason, and nothing happens without them', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { password }))
    const wrong = await takeBack('petra', id, { password: 'a password of nobody' })
    assert.ok([401, 403].includes(wrong.statusCode), wrong.body)
    const late = await takeBack('petra', id, {}, { logged_in: hour })
    assert.ok([401, 403].includes(late.statusCode), late.body)
    assert.equal((await takeBack('petra', id, { password, reason: ' ' })).statusCode, 422)
    assert.equal((await paper.get('quinn', id)).status, 'in_approval')
    assert.equal((await signaturesOf(id))[0].void, null)
  })

  it('is their own, and of a version that still awaits an approval', async () => {
    const { id } = await paper.submitted()
    assert.deepEqual(codeOf(await takeBack('petra', id)), [409, 'approval_not_given'])
    ok(await paper.approve('petra', id, { password }))
    assert.deepEqual(codeOf(await takeBack('quentin', id)), [409, 'approval_not_given'])
    ok(await paper.approve('quentin', id, { password }))
    assert.deepEqual(codeOf(await takeBack('petra', id)), [409, 'approval_round_ended'])
    assert.equal((await takeBack('uma', id)).statusCode, 403)
  })

  it('is taken back once by two requests at the same moment', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { password }))
    const replies = await Promise.all([1, 2].map(() => takeBack('petra', id)))
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await signaturesOf(id)).length, 2)
  })
})

describe('a refusal names the ways that there are, and no other (proves: DOC-05)', () => {
  it('to an approver it names taking the approval back, and no rejection, which is not theirs any more', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { password }))
    const { detail, params } = (await paper.move('petra', id, 'obsolete', 'Unsafe')).json()
    assert.match(detail, /You may take back your approval of the review step\./)
    assert.deepEqual([params.approved, params.transitions.includes('reject')], ['review', false])
  })

  it('to void the signature of an approval by itself, by the status of its version', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { password }))
    const [{ id: signature }] = await signaturesOf(id)
    const voiding = async (by: string) =>
      codeOf(await world.as(by).post(`/api/signatures/${signature}/void`, { reason, password }))
    assert.deepEqual(await voiding('quinn'), [409, 'signature_of_decision'])
    ok(await takeBack('petra', id))
    assert.deepEqual(await voiding('quinn'), [409, 'signature_already_void'])
  })
})
