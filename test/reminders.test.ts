// Reminders by hand: of a training, and of a decision about a document.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

const codesOf = (replies: { statusCode: number; json(): Json }[]) =>
  replies
    .map(reply => (reply.statusCode < 300 ? 'done' : reply.json().code))
    .toSorted((one, other) => String(one).localeCompare(String(other)))
const told = async (type: string, id: number) =>
  (
    await world.rows<{ username: string }>(
      `select u.username from notifications n join users u on u.id = n.user_id where n.type = $1 and n.resource_id = $2 order by n.id`,
      [type, id],
    )
  ).map(({ username }) => username)
const nextDay = async (work: () => Promise<void>) => {
  world.clock.moved_ms += 86_400_000
  try {
    await work()
  } finally {
    world.clock.moved_ms -= 86_400_000
  }
}

// proves: TRN-03, NOTE-01
describe('a reminder of a training', () => {
  it('is sent once a day, also where two people send it at the same moment, and is in the trail', async () => {
    const house = trainings(world)
    const { id: program } = await house.create()
    const id = await house.assign(program, ['uma'])
    const remind = (by: string, body: object = {}) => world.as(by).post(`/api/training/assignments/${id}/remind`, body)
    const comment = 'The line starts on Monday'
    const replies = await Promise.all([remind('quinn', { comment }), remind('petra', { comment })])
    assert.deepEqual(codesOf(replies), ['done', 'training_already_reminded'])
    assert.deepEqual(replies.find(each => each.statusCode === 200)!.json().reminded[0].username, 'uma')
    assert.deepEqual(await told('training_reminded', id), ['uma'])
    const [entry] = ok(await world.as('otto').get('/api/audit/?action=training_assignment.reminded')).items
    assert.deepEqual([entry.reason, entry.changes.reminded.to], [comment, ['uma']])
    assert.equal((await remind('uma')).statusCode, 403)
    await nextDay(async () => {
      ok(await remind('quinn'))
      assert.deepEqual(await told('training_reminded', id), ['uma', 'uma'])
    })
    ok(await house.complete('uma', program, {}))
    assert.deepEqual(codesOf([await remind('quinn')]), ['training_reminder_of_ended'])
    const own = await house.assign(program, ['quinn'])
    const oneself = await world.as('quinn').post(`/api/training/assignments/${own}/remind`, {})
    assert.deepEqual(codesOf([oneself]), ['training_reminder_of_oneself'])
    assert.equal((await world.as('rex').post(`/api/training/assignments/${id}/remind`, {})).statusCode, 404)
  })
})

// proves: DOC-05, NOTE-01
describe('a reminder of a decision about a document', () => {
  it('reaches each person whose decision is awaited, once a day, and nobody else', async () => {
    const paper = papers(world)
    const draft = await paper.upload()
    const remind = (id: number, by = 'alan', body: object = {}) =>
      world.as(by).post(`/api/documents/${id}/remind`, body)
    assert.deepEqual(codesOf([await remind(draft.id)]), ['document_awaits_no_decision'])
    const { id } = await paper.submitted()
    const replies = await Promise.all([remind(id), remind(id, 'quinn')])
    const people = replies.flatMap(reply => (reply.statusCode === 200 ? reply.json().reminded : []))
    const names = people.map(({ username }: Json) => username)
    assert.ok(names.length > 0)
    assert.deepEqual(
      (await told('document_reminded', id)).toSorted(),
      names.toSorted((one, other) => String(one).localeCompare(String(other))),
    )
    // The actor is not among them, so the one may remind the other: each of them once.
    assert.equal(new Set(names).size, names.length)
    assert.deepEqual(codesOf([await remind(id)]), ['document_approvers_reminded'])
    assert.deepEqual(codesOf([await remind(id, 'otto')]), ['permission_required'])
    assert.equal((await remind(id, 'rex')).statusCode, 404)
    ok(await paper.approve('petra', id))
    await nextDay(async () => {
      const { reminded } = ok(await remind(id, 'alan', { comment: 'The inspection is on Friday' }))
      assert.equal(
        reminded.some(({ username }: Json) => username === 'petra'),
        false,
        'she has decided',
      )
    })
    const [entry] = ok(await world.as('otto').get('/api/audit/?action=document.approval_reminded&sort=id:desc')).items
    assert.equal(entry.reason, 'The inspection is on Friday')
  })
})
