import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assignments, dayOf, daysGoBy } from '#test/builders/assignments.ts'
import type { Json } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('reminders of training', () => {
  let world: World
  let training: ReturnType<typeof assignments>
  const id = (name: string) => world.people[name]!.id
  before(async () => {
    world = await openWorld()
    training = assignments(world)
  })
  after(() => world.close())

  const notices = async (name: string, assignment_id: number) =>
    (
      await world.rows<{ type: string }>(
        `select type from notifications where user_id = $1 and resource_type = 'training_assignment' and resource_id = $2
         and type in ('training_due_soon', 'training_overdue') order by id`,
        [id(name), assignment_id],
      )
    ).map(({ type }) => type.replace('training_', ''))
  const assigned = async (path: 'assign' | 'bulk-assign', days: number): Promise<number> => {
    const program = await training.program()
    const body = { training_id: program.id, user_ids: [id('uma')], due_date: dayOf(world, days) }
    const reply = await world.as('petra').post(`/api/training/${path}`, body)
    return reply.json().assigned[0].assignment_id
  }
  const eachDay = async (days: number, look: () => Promise<void>) => {
    for (let day = 0; day < days; day++) {
      daysGoBy(world, 1)
      await look()
    }
  }

  it('are sent a week and a day before, the day after, and weekly four times; who assigned it hears that it is overdue', async () => {
    const one = await assigned('assign', 14)
    const begun = world.clock.moved_ms
    const days: number[] = []
    let before = 0
    await eachDay(60, async () => {
      await world.tick()
      await world.tick()
      const now = (await notices('uma', one)).length
      if (now > before) days.push((world.clock.moved_ms - begun) / 86_400_000)
      before = now
    })
    assert.deepEqual(days, [7, 13, 15, 22, 29, 36, 43])
    assert.deepEqual(await notices('uma', one), ['due_soon', 'due_soon', ...Array.from({ length: 5 }, () => 'overdue')])
    assert.deepEqual(
      await notices('petra', one),
      Array.from({ length: 5 }, () => 'overdue'),
    )
    const [row] = await world.rows<Json>('select revision, notice_on from training_assignments where id = $1', [one])
    assert.deepEqual(row, { revision: 1, notice_on: null })
    world.clock.moved_ms = begun
  })

  it('come once for what was missed in a long stop', async () => {
    const one = await assigned('assign', 14)
    daysGoBy(world, 400)
    await world.tick()
    await world.tick()
    assert.deepEqual(await notices('uma', one), ['overdue'])
    daysGoBy(world, -400)
  })

  it('of what was assigned to many are not sent to who assigned it', async () => {
    const one = await assigned('bulk-assign', 1)
    daysGoBy(world, 2)
    await world.tick()
    assert.deepEqual([await notices('uma', one), await notices('petra', one)], [['overdue'], []])
    daysGoBy(world, -2)
  })

  it('end with the training', async () => {
    const program = await training.program()
    const answer = await training.assign({ training_id: program.id, user_ids: [id('uma'), id('anna')] })
    await training.complete('uma', program.id)
    const [cancelled] = await training.of('anna', program.id)
    await world.as('quinn').post(`/api/training/assignments/${cancelled!.id}/cancel`, { reason: 'Not needed' })
    daysGoBy(world, 30)
    await world.tick()
    for (const { assignment_id, user } of answer.assigned)
      assert.deepEqual(await notices(user.username, assignment_id), [])
    daysGoBy(world, -30)
  })

  it('come once from two processes that look at the same moment', async () => {
    const one = await assigned('assign', 14)
    daysGoBy(world, 7)
    const task = world.app.schedules.find(({ name }) => name === 'training.reminders')!
    const looks = await Promise.all(Array.from({ length: 4 }, () => world.round(task)))
    assert.deepEqual(
      looks.map(({ failed }) => failed),
      [0, 0, 0, 0],
    )
    const entries = await world.rows(
      `select from audit_entries where action = 'training_assignment.due_soon' and resource_id = $1`,
      [one],
    )
    assert.equal(entries.length, 1)
    daysGoBy(world, -7)
  })
})
