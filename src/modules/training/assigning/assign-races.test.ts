// Concurrent requests about the same training.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assignments } from '#test/builders/assignments.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { meeting } from '#test/builders/races.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('training, at the same moment', () => {
  let world: World
  let training: ReturnType<typeof assignments>
  const id = (name: string) => world.people[name]!.id
  before(async () => {
    world = await openWorld()
    training = assignments(world)
  })
  after(() => world.close())

  type Reply = Awaited<ReturnType<ReturnType<World['as']>['post']>>
  const statuses = (replies: readonly Reply[]) => replies.map(({ statusCode }) => statusCode)
  /** All of them stand before the row before the first goes on. */
  const meet = (table: string, row: number, send: () => Promise<Reply>[]) =>
    meeting(world, { text: `select from ${table} where id = $1 for update`, values: [row], waiting: 2 }, send)
  const states = async (name: string, program: Json) =>
    (await training.of(name, program.id)).map(({ status }) => status)

  it('two assign it to the same people: each person has it once, and both are answered', async () => {
    const program = await training.program()
    const names = ['uma', 'anna', 'alan', 'petra']
    const ask = (by: string, some: string[]) => () =>
      world.as(by).post('/api/training/assign', { training_id: program.id, user_ids: some.map(id) })
    const replies = await meet('training_programs', program.id, () => [
      ask('quinn', names)(),
      ask('petra', names.toReversed())(),
    ])
    assert.deepEqual(statuses(replies), [200, 200], replies.map(({ body }) => body).join('\n'))
    const [one, two] = replies.map(reply => reply.json())
    assert.equal(one.assigned.length + two.assigned.length, 4)
    assert.equal(one.already_assigned.length + two.already_assigned.length, 4)
    for (const name of names) assert.deepEqual(await states(name, program), ['assigned'])
  })

  it('it is assigned and archived: nothing that is archived is open', async () => {
    for (const order of [0, 1]) {
      const program = await training.program()
      const sends = [
        () => world.as('quinn').post('/api/training/assign', { training_id: program.id, user_ids: [id('uma')] }),
        () => world.as('petra').put(`/api/training/${program.id}`, { status: 'archived', change_reason: 'Replaced' }),
      ]
      const replies = await meet('training_programs', program.id, () =>
        (order === 0 ? sends : sends.toReversed()).map(send => send()),
      )
      assert.deepEqual(
        statuses(replies).toSorted((a, b) => a - b),
        [200, 409],
        replies.map(({ body }) => body).join(),
      )
      const { status } = ok(await world.as('quinn').get(`/api/training/${program.id}`))
      assert.deepEqual(await states('uma', program), status === 'archived' ? [] : ['assigned'])
    }
  })

  it('it is assigned to somebody whose account is deactivated: in the end they have nothing open', async () => {
    const program = await training.program()
    const replies = await meet('users', id('alan'), () => [
      world.as('quinn').post('/api/training/assign', { training_id: program.id, user_ids: [id('alan')] }),
      world.as('ada').post(`/api/users/${id('alan')}/deactivate`, {}),
    ])
    assert.deepEqual(statuses(replies), [200, 200], replies.map(({ body }) => body).join('\n'))
    await world.tick()
    assert.ok(!(await states('alan', program)).includes('assigned'))
    ok(await world.as('ada').post(`/api/users/${id('alan')}/reactivate`, {}))
  })

  it('it is completed and cancelled: one of the two', async () => {
    const program = await training.program()
    const { assigned } = await training.assign({ training_id: program.id, user_ids: [id('uma')] })
    const { assignment_id } = assigned[0]
    const replies = await meet('training_assignments', assignment_id, () => [
      world.as('uma').post(`/api/training/${program.id}/complete`, {}),
      world.as('quinn').post(`/api/training/assignments/${assignment_id}/cancel`, { reason: 'Not needed' }),
    ])
    assert.deepEqual(
      statuses(replies).toSorted((a, b) => a - b),
      [200, 409],
      replies.map(({ body }) => body).join(),
    )
    assert.deepEqual(await states('uma', program), [replies[0]!.statusCode === 200 ? 'completed' : 'cancelled'])
  })

  it('somebody joins a group while a training is assigned to it: they have it, once', async () => {
    for (let round = 0; round < 2; round++) {
      const program = await training.program()
      const group = await training.group('uma')
      const replies = await meet('groups', group.id, () => {
        const sends = [
          () => world.as('quinn').post('/api/training/assign', { training_id: program.id, group_ids: [group.id] }),
          () => world.as('ada').post(`/api/groups/${group.id}/add-member`, { user_id: id('anna') }),
        ]
        return (round === 0 ? sends : sends.toReversed()).map(send => send())
      })
      assert.deepEqual(statuses(replies), [200, 200], replies.map(({ body }) => body).join('\n'))
      assert.deepEqual(await states('anna', program), ['assigned'])
    }
  })

  it('a group is deleted while a training is assigned to it: no group that is deleted is left to assign to', async () => {
    const program = await training.program()
    const group = await training.group('uma')
    const replies = await meet('groups', group.id, () => [
      world.as('quinn').post('/api/training/assign', { training_id: program.id, group_ids: [group.id] }),
      world.as('ada').delete(`/api/groups/${group.id}`),
    ])
    const [assign, remove] = statuses(replies)
    assert.ok(remove === 204 && (assign === 200 || assign === 404), replies.map(({ body }) => body).join('\n'))
  })
})
