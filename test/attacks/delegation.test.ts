// Parts of an approval that somebody tries to hand to themselves, or to a person who may not decide.
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

const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const idOf = (name: string) => world.people[name]!.id
const hand = (by: string, id: number, from: string, to: string) =>
  world.as(by).post(`/api/documents/${id}/delegate`, { from: idOf(from), to: idOf(to), reason: 'On leave' })

/** In review, where Petra alone may approve. */
async function reviewByPetra() {
  const { id } = await paper.upload()
  const approvers = [{ kind: 'user', who: idOf('petra') }]
  const body = { transition: 'review', approvers, change_reason: 'She knows the line' }
  ok(await world.as('quinn').post(`/api/documents/${id}/configure-approval`, body))
  ok(await paper.move('alan', id, 'submit'))
  return id
}

// proves: DOC-05
describe('the part of another person in an approval', () => {
  it('is not taken over by who may delegate it', async () => {
    const id = await reviewByPetra()
    const taken = await hand('ada', id, 'petra', 'ada')
    assert.equal(refusal(taken), '403 document_delegation_to_oneself')
    assert.match(taken.json().detail, /^You cannot take over the approval of Petra Example yourself\. Delegate it/)
    assert.equal((await paper.approve('ada', id)).statusCode, 403)
    ok(await hand('ada', id, 'petra', 'quentin'))
    assert.equal(refusal(await hand('ada', id, 'quentin', 'ada')), '403 document_delegation_to_oneself')
    ok(await paper.approve('quentin', id))
  })

  it('is not handed to the author, nor to an Admin where Admins may not approve', async () => {
    const id = await reviewByPetra()
    assert.equal(refusal(await hand('ada', id, 'petra', 'alan')), '409 delegation_person_is_author')
    const roles = ok(await world.as('ada').get('/api/roles/?page_size=100')).items
    const { id: inherits_role_id } = roles.find(({ name }: Json) => name === 'Admin')
    const { id: role_id } = ok(await world.as('ada').post('/api/roles/', { name: 'Chief', inherits_role_id }))
    ok(await world.as('ada').put(`/api/users/${idOf('quentin')}/role`, { role_id }))
    world.people.quentin!.session_version += 1
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
    assert.equal(refusal(await hand('ada', id, 'petra', 'quentin')), '409 delegation_person_cannot_decide')
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
    ok(await hand('ada', id, 'petra', 'quentin'))
  })
})
