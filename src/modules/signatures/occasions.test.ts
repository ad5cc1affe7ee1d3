// The occasions of signatures, and what happens to a signature when its occasion comes to nothing.
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

const signAs = (name: string, document_id: number, signature_type = 'acknowledgement', more: object = {}) =>
  world.as(name).post('/api/signatures/', { document_id, signature_type, intent: 'As I see it', ...more })
const read = async (id: number) => ok(await world.as('otto').get(`/api/signatures/${id}`))
const listed = async (query: string) => ok(await world.as('otto').get(`/api/signatures/?sort=id:asc&${query}`)).items
const voidAs = (name: string, id: number, reason = 'Signed the wrong document') =>
  world.as(name).post(`/api/signatures/${id}/void`, { reason })

describe('a signature that somebody gives without being asked', () => {
  it('moves no workflow, counts in none, and is in no way of the one that the workflow asks for', async () => {
    const { id } = await paper.submitted()
    for (const type of ['approval', 'review', 'rejection', 'release', 'authorship', 'verification', 'witness'])
      ok(await signAs('petra', id, type))
    const { status, workflow } = await paper.get('petra', id)
    assert.equal(status, 'in_review')
    assert.deepEqual(workflow.pending[0].rules[0].given_by, [])
    assert.equal(ok(await paper.approve('petra', id)).status, 'in_approval')
    ok(await signAs('quentin', id, 'approval'))
    assert.equal(ok(await paper.approve('quentin', id)).status, 'effective')
    const approvals = await listed(`document_id=${id}&signer_id=${world.people.quentin!.id}`)
    assert.deepEqual(
      approvals.map(({ signature_type, occasion }: Json) => [signature_type, occasion]),
      [
        ['approval', { kind: 'free', ref: '' }],
        ['approval', { kind: 'approval', ref: 'approve' }],
      ],
    )
  })

  it('means nothing that only an act of the service can mean', async () => {
    const { id } = await paper.effective()
    for (const type of ['training', 'effectiveness', 'closure', 'obsolescence'])
      assert.equal((await signAs('quinn', id, type)).statusCode, 422)
  })
})

describe('a signature that is void', () => {
  it('was declared so with a reason by who may, is kept as it was, and can be given anew', async () => {
    const { id: documentId, number } = await paper.effective()
    const { id } = ok(await signAs('uma', documentId))
    assert.equal((await voidAs('petra', id)).statusCode, 403)
    assert.equal((await world.as('quinn').post(`/api/signatures/${id}/void`, {})).statusCode, 422)
    assert.equal((await voidAs('rex', id)).statusCode, 404)
    const before = await read(id)
    const declared = ok(await voidAs('quinn', id))
    assert.deepEqual(
      [declared.void.cause, declared.void.reason, declared.void.voided_by.username],
      ['declared', 'Signed the wrong document', 'quinn'],
    )
    const after = await read(id)
    assert.deepEqual([after.payload, after.seal, after.digest], [before.payload, before.seal, before.digest])
    assert.deepEqual([after.verification.status, after.verification.valid], ['void', false])
    assert.ok(after.verification.checks.every(({ passed }: Json) => passed))
    const again = await voidAs('quinn', id)
    assert.deepEqual([again.statusCode, again.json().code], [409, 'signature_already_void'])
    const [entry] = ok(await world.as('otto').get(`/api/audit/?action=signature.voided&resource_id=${id}`)).items
    assert.deepEqual(
      [entry.user.username, entry.reason, entry.resource_number],
      ['quinn', 'Signed the wrong document', number],
    )
    // In its place, and one alone: each that was voided makes room for the next.
    for (let round = 0; round < 3; round++) {
      const anew = ok(await signAs('uma', documentId))
      assert.equal((await signAs('uma', documentId)).statusCode, 409)
      ok(await voidAs('quinn', anew.id))
    }
  })

  it('is one, when it is declared so by many at the same moment', async () => {
    const { id: documentId } = await paper.effective()
    const { id } = ok(await signAs('uma', documentId))
    const replies = await Promise.all(Array.from({ length: 20 }, () => voidAs('quinn', id)))
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, ...Array(19).fill(409)],
    )
  })

  it('needs who declares it to prove who they are', async () => {
    const { id: documentId } = await paper.effective()
    const { id } = ok(await signAs('uma', documentId))
    const body = { reason: 'Mistaken' }
    const stale = await world.as('quinn', { logged_in: 3600 }).post(`/api/signatures/${id}/void`, body)
    assert.equal(stale.statusCode, 401)
    assert.equal((await read(id)).void, null)
  })

  it('is found by the list, with the others left out', async () => {
    const { id: documentId } = await paper.effective()
    const [one, other] = [ok(await signAs('uma', documentId)), ok(await signAs('anna', documentId))]
    ok(await voidAs('quinn', one.id))
    const ids = async (query: string) =>
      (await listed(`document_id=${documentId}&signature_type=acknowledgement&${query}`)).map(({ id }: Json) => id)
    assert.deepEqual([await ids('is_void=true'), await ids('is_void=false')], [[one.id], [other.id]])
    assert.deepEqual(
      await listed(`verification_code=${other.verification_code.toUpperCase()}`).then(found => found[0].id),
      other.id,
    )
  })

  it('stands where it carries the decision of a workflow: the answer says what to do instead', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id))
    const [review] = await listed(`document_id=${id}`)
    const underWay = await voidAs('quinn', review.id)
    assert.equal(underWay.statusCode, 409)
    assert.equal(underWay.json().code, 'signature_of_decision')
    ok(await paper.approve('quentin', id))
    const approved = await voidAs('quinn', review.id)
    assert.equal(approved.statusCode, 409)
    assert.match(approved.json().detail, /upload a new version, or make the document obsolete/)
  })

  for (const [ending, end] of [
    ['a rejection', (id: number) => paper.move('quentin', id, 'reject', 'Step 3 is missing')],
    ['a withdrawal', (id: number) => paper.move('alan', id, 'withdraw', 'Step 3 is missing')],
    [
      'a change of what was signed',
      (id: number) =>
        world.as('alan').put(`/api/documents/${id}`, { title: 'New', change_reason: 'Step 3 is missing' }),
    ],
    ['a newer file', (id: number) => paper.addVersion(id, { change_reason: 'Step 3 is missing' })],
  ] as const)
    it(`became so with its round, by ${ending}`, async () => {
      const { id } = await paper.submitted()
      ok(await paper.approve('petra', id, { comment: 'Fine' }))
      ok(await signAs('petra', id, 'witness'))
      ok(await end(id))
      const [review, witness] = await listed(`document_id=${id}`)
      assert.equal(review.void.cause, 'round_ended')
      assert.match(review.void.reason, /^Round 1 was ended by \w+: Step 3 is missing$/)
      assert.equal((await read(review.id)).verification.status, 'void')
      assert.equal(witness.void, null, 'what was given by itself is not part of the round')
      const trail = ok(await world.as('otto').get(`/api/audit/?action=signature.voided&resource_id=${review.id}`)).items
      assert.deepEqual([trail.length, trail[0].reason], [1, review.void.reason])
    })
})
