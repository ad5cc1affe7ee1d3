// A part in an approval is handed on: the task, never the identity.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

type Reply = Awaited<ReturnType<typeof paper.approve>>
function refused(reply: Reply, status: number, words: RegExp) {
  assert.equal(reply.statusCode, status, reply.body)
  assert.match(reply.body, words)
}
const idOf = (name: string) => world.people[name]!.id
const hand = (by: string, id: number, to: string, body: object = {}) =>
  world.as(by).post(`/api/documents/${id}/delegate`, { to: idOf(to), reason: 'On leave until Monday', ...body })
const takeBack = (by: string, id: number, body: object = {}) =>
  world.as(by).post(`/api/documents/${id}/end-delegation`, body)

const chosen = { transition: 'review', change_reason: 'A colleague is absent' }

/** In review, where only the people with these names may approve, so many of them. */
async function reviewBy(names: string[], by = 'quinn') {
  const { id } = await paper.upload()
  ok(
    await world.as(by).post(`/api/documents/${id}/configure-approval`, {
      ...chosen,
      approvers: [{ kind: 'user', who: names.map(idOf), count: names.length }],
    }),
  )
  ok(await paper.move('alan', id, 'submit'))
  return id
}

describe('a part that is handed to another (proves: DOC-05)', () => {
  it('is decided with by who received it, in their own name and with their own signature; the giver decides no more', async () => {
    const id = await reviewBy(['petra'])
    ok(await hand('petra', id, 'quentin'))
    refused(
      await paper.approve('petra', id),
      409,
      /You delegated your part in the review step to Quentin Example\. Take it back/,
    )
    const approved = ok(await paper.approve('quentin', id, { comment: 'Reviewed' }))
    assert.equal(approved.status, 'in_approval')
    const [signature] = ok(await world.as('otto').get(`/api/signatures/?document_id=${id}`)).items
    assert.equal(signature.signer.username, 'quentin')
    const history = await paper.get('otto', id, '/history')
    const [given] = history.filter(({ kind }: Json) => kind === 'delegation')
    assert.deepEqual(
      [given.user.username, given.delegation.from.username, given.delegation.to.username, given.comment],
      ['petra', 'petra', 'quentin', 'On leave until Monday'],
    )
    const [decision] = history.filter(({ kind }: Json) => kind === 'decision')
    assert.deepEqual([decision.user.username, decision.delegation], ['quentin', null])
    // Separation of duties is about who decided: Petra may approve what Quentin reviewed, and Quentin may not.
    refused(
      await paper.approve('quentin', id),
      403,
      /You approved the review step, so another person must decide on the approval step/,
    )
    assert.equal(ok(await paper.approve('petra', id)).status, 'effective')
  })

  it('is an entry of the trail with who, to whom and why, and concerns both', async () => {
    const id = await reviewBy(['petra'])
    ok(await hand('petra', id, 'quentin'))
    ok(await takeBack('petra', id, { reason: 'Back earlier' }))
    const entry = async (action: string) =>
      ok(await world.as('otto').get(`/api/audit/?action=${action}&resource_id=${id}`)).items[0]
    const [given, ended] = [await entry('document.delegated'), await entry('document.delegation_ended')]
    assert.deepEqual(
      [given.user.username, given.changes.from.to, given.changes.to.to, given.reason],
      ['petra', 'petra', 'quentin', 'On leave until Monday'],
    )
    assert.deepEqual([ended.user.username, ended.changes.to.from, ended.reason], ['petra', 'quentin', 'Back earlier'])
    refused(await paper.approve('quentin', id), 403, /No rule of the review step names you.*Petra Example/)
    assert.equal(ok(await paper.approve('petra', id)).status, 'in_approval')
  })

  it('can be handed on, and comes back with the first who takes it back', async () => {
    const id = await reviewBy(['petra'])
    ok(await hand('petra', id, 'quentin'))
    ok(await hand('quentin', id, 'ada'))
    refused(await paper.approve('quentin', id), 409, /approver_delegated/)
    refused(await hand('ada', id, 'petra'), 409, /delegation_person_delegated.*Petra Example/)
    ok(await takeBack('petra', id))
    refused(await paper.approve('ada', id), 403, /approver_not_named/)
    refused(await paper.approve('quentin', id), 403, /approver_not_named/)
    const ended = (await paper.get('otto', id, '/history')).filter(({ kind }: Json) => kind === 'delegation_ended')
    assert.deepEqual(
      ended.map(({ delegation }: Json) => delegation.to.username),
      ['quentin', 'ada'],
    )
    assert.equal(ok(await paper.approve('petra', id)).status, 'in_approval')
  })

  it('cannot be taken back once it was decided with', async () => {
    const id = await reviewBy(['petra', 'quinn'], 'ada')
    ok(await hand('petra', id, 'quentin'))
    ok(await paper.approve('quentin', id))
    refused(await takeBack('petra', id), 409, /delegation_used.*Quentin Example/)
    refused(await paper.approve('petra', id), 409, /approver_delegated/)
    assert.equal(ok(await paper.approve('quinn', id)).status, 'in_approval')
  })

  it('ends with the round', async () => {
    const id = await reviewBy(['petra'])
    ok(await hand('petra', id, 'quentin'))
    ok(await paper.move('alan', id, 'withdraw'))
    ok(await paper.move('alan', id, 'submit'))
    refused(await paper.approve('quentin', id), 403, /approver_not_named/)
    assert.equal(ok(await paper.approve('petra', id)).status, 'in_approval')
  })

  it('ends when the approval is configured otherwise', async () => {
    const id = await reviewBy(['petra'])
    ok(await hand('petra', id, 'quentin'))
    const approvers = [{ kind: 'user', who: idOf('ada') }]
    ok(await world.as('quinn').post(`/api/documents/${id}/configure-approval`, { ...chosen, approvers }))
    refused(await paper.approve('quentin', id), 403, /It is decided by Ada Example/)
  })

  it('lets who received it read the draft that it is about', async () => {
    const [user] = await world.rows<{ id: string }>(
      `select r.id from roles r join users u on u.role_id = r.id where u.username = 'uma'`,
    )
    const standIn = { name: 'Stand-in', inherits_role_id: Number(user!.id), granted: ['documents.approve'] }
    const { id: role_id } = ok(await world.as('ada').post('/api/roles/', standIn))
    ok(await world.as('ada').put(`/api/users/${idOf('anna')}/role`, { role_id, change_reason: 'Stands in' }))
    world.people.anna!.session_version += 1
    const id = await reviewBy(['petra'])
    assert.equal((await world.as('anna').get(`/api/documents/${id}`)).statusCode, 404)
    ok(await hand('petra', id, 'anna'))
    assert.equal((await paper.get('anna', id)).status, 'in_review')
    assert.equal(ok(await paper.approve('anna', id)).status, 'in_approval')
    assert.equal((await world.as('anna').get(`/api/documents/${id}`)).statusCode, 404)
  })
})

describe('a part is not handed', () => {
  it('to who could not decide: the author, who decided before, who has no such permission, who is not there', async () => {
    const { id } = await paper.upload({ by: 'petra' })
    ok(await paper.move('petra', id, 'submit'))
    refused(await hand('quentin', id, 'petra'), 409, /delegation_person_is_author.*Petra Example/)
    refused(await hand('quentin', id, 'uma'), 409, /delegation_person_cannot_decide.*Uma Example/)
    refused(await hand('quentin', id, 'quentin'), 409, /delegation_to_holder.*Quentin Example/)
    refused(await hand('quentin', id, 'rita'), 404, /User not found/)
    ok(await paper.approve('quentin', id))
    refused(
      await hand('quinn', id, 'quentin'),
      409,
      /The approval step cannot be decided by Quentin Example, who approved the review step/,
    )
    refused(await hand('quentin', id, 'ada'), 409, /delegation_person_excluded.*Quentin Example/)
  })

  it('by who has none: the author, who is not named, who decides about nothing', async () => {
    const id = await reviewBy(['petra'])
    refused(await hand('quentin', id, 'quinn'), 403, /delegation_person_not_named.*Quentin Example/)
    refused(await hand('alan', id, 'quinn'), 403, /You may not approve in this company/)
    const { id: draft } = await paper.upload()
    refused(await hand('petra', draft, 'quinn'), 409, /workflow_nothing_to_approve/)
    const [entry] = ok(await world.as('otto').get('/api/audit/?outcome=denied&page_size=1')).items
    assert.equal(entry.user.username, 'alan')
  })

  it('where too few different people would be left', async () => {
    const id = await reviewBy(['petra', 'quentin'], 'ada')
    refused(await hand('petra', id, 'quentin'), 409, /delegation_leaves_too_few/)
    ok(await hand('petra', id, 'quinn'))
  })

  it('for another without the permission; with it, for one who is absent or gone, and it can be taken back by the same', async () => {
    const id = await reviewBy(['petra'])
    refused(await hand('alan', id, 'quentin', { from: idOf('petra') }), 403, /document_delegation_permission_required/)
    ok(await world.as('ada').post(`/api/users/${idOf('petra')}/deactivate`, { change_reason: 'Left' }))
    ok(await hand('quinn', id, 'quentin', { from: idOf('petra') }))
    refused(await takeBack('alan', id, { from: idOf('petra') }), 403, /document_delegation_end_permission_required/)
    ok(await takeBack('quinn', id, { from: idOf('petra') }))
    ok(await hand('quinn', id, 'quentin', { from: idOf('petra') }))
    ok(await takeBack('quentin', id, { from: idOf('petra'), reason: 'Not mine to judge' }))
    refused(await takeBack('quinn', id, { from: idOf('petra') }), 409, /delegation_not_found.*Petra Example/)
    ok(await hand('quinn', id, 'quentin', { from: idOf('petra') }))
    assert.equal(ok(await paper.approve('quentin', id)).status, 'in_approval')
    ok(await world.as('ada').post(`/api/users/${idOf('petra')}/reactivate`, { change_reason: 'Back' }))
  })
})
