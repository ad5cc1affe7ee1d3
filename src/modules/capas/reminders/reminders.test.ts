// Reminders of due dates, and requests for decisions.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dayIn, daysLater } from '#kernel/day.ts'
import { capas } from '#test/builders/capas.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let capa: ReturnType<typeof capas>
before(async () => {
  world = await openWorld()
  capa = capas(world)
})
after(() => world.close())

describe('what is due (proves: NOTE-01)', () => {
  const told = async (name: string, type: string, id: number) =>
    (ok(await world.as(name).get('/api/notifications/?page_size=100')).items as Json[]).filter(
      each => each.type === type && each.resource_id === id,
    )
  const today = () => dayIn('UTC', world.clock.now())
  async function at<T>(day: string, work: () => Promise<T>): Promise<T> {
    world.clock.moved_ms = Date.parse(`${day}T12:00:00Z`) - Date.now()
    try {
      return await work()
    } finally {
      world.clock.moved_ms = 0
    }
  }
  /** Runs the schedules of CAPAs. */
  async function tick() {
    for (const task of world.app.schedules.filter(({ name }) => name.startsWith('capas.')))
      assert.equal((await world.round(task)).failed, 0, task.name)
  }

  it('is told once before the day and once after it, to owners of CAPAs, actions and reviews', async () => {
    const day = daysLater(today(), 30)
    const actions = [{ description: 'Fit a pump', assigned_to: capa.idOf('anna'), due_date: daysLater(day, -10) }]
    const { id } = await capa.open({ due_date: day, actions })
    const { id: review } = ok(await capa.plan('petra', id, { due_date: daysLater(day, 10) }))
    const count = async () => [
      (await told('anna', 'capa_due', id)).length,
      (await told('anna', 'capa_overdue', id)).length,
      (await told('alan', 'capa_due', id)).length,
      (await told('alan', 'capa_overdue', id)).length,
      (await told('quentin', 'capa_review_due', review)).length,
      (await told('quentin', 'capa_review_overdue', review)).length,
    ]
    const after = async (days: number) =>
      at(daysLater(day, days), async () => {
        await tick()
        await tick()
        return count()
      })
    assert.deepEqual(await after(-14), [0, 0, 0, 0, 0, 0])
    assert.deepEqual(await after(-13), [1, 0, 0, 0, 0, 0])
    assert.deepEqual(await after(-9), [1, 1, 0, 1, 0, 0])
    assert.deepEqual(await after(-3), [1, 1, 1, 1, 0, 0])
    assert.deepEqual(await after(1), [1, 1, 1, 2, 0, 0])
    assert.deepEqual(await after(7), [1, 1, 1, 2, 1, 0])
    assert.deepEqual(await after(11), [1, 1, 1, 2, 1, 1])
    assert.deepEqual(await after(400), [1, 1, 1, 2, 1, 1])
    await at(daysLater(day, 1), async () => {
      assert.deepEqual(
        [(await capa.get('alan', id)).overdue, (await capa.get('alan', id)).actions[0].overdue],
        [true, true],
      )
      const { items } = ok(await world.as('alan').get('/api/capa/?overdue=true&page_size=100'))
      assert.ok(items.some((each: Json) => each.id === id))
    })
  })

  it('is told of no more once it is done or over, and again for a later day', async () => {
    const day = daysLater(today(), 40)
    const { id } = await capa.inState('in_progress', { due_date: day })
    await capa.done(id)
    const { id: cancelled } = await capa.open({ due_date: day })
    ok(await capa.put('petra', cancelled, { status: 'cancelled' }))
    await at(daysLater(day, 1), tick)
    assert.deepEqual(await told('anna', 'capa_overdue', id), [])
    assert.deepEqual(await told('alan', 'capa_overdue', cancelled), [])
    assert.equal((await told('alan', 'capa_overdue', id)).length, 1)
    const later = daysLater(day, 60)
    ok(await world.as('petra').post(`${capa.url(id)}/extend`, { due_date: later, reason: 'The pump is late' }))
    await at(later, tick)
    await at(daysLater(later, 1), tick)
    assert.deepEqual(
      [(await told('alan', 'capa_due', id)).length, (await told('alan', 'capa_overdue', id)).length],
      [1, 2],
    )
  })

  it('is told to nobody who may not read CAPAs any more', async () => {
    const day = daysLater(today(), 50)
    const { id } = await capa.open({ due_date: day })
    ok(await world.as('ada').put(`/api/users/${capa.idOf('alan')}/permissions`, { granted: [], denied: ['capa.read'] }))
    await at(daysLater(day, 1), tick)
    ok(await capa.put('petra', id, { status: 'cancelled' }))
    const [{ count }] = (await world.rows<{ count: string }>(
      `select count(*) from notifications where user_id = $1 and resource_type = 'capa' and resource_id = $2`,
      [capa.idOf('alan'), id],
    )) as [{ count: string }]
    assert.equal(Number(count), 0)
    ok(await world.as('ada').put(`/api/users/${capa.idOf('alan')}/permissions`, { granted: [], denied: [] }))
  })

  it('of a decision is asked of those whose it is', async () => {
    const { id } = await capa.draft({ assigned_to: capa.idOf('anna') })
    for (const name of ['petra', 'quentin', 'quinn', 'ada'])
      assert.equal((await told(name, 'capa_approval_requested', id)).length, 1, name)
    assert.equal((await told('otto', 'capa_approval_requested', id)).length, 0)
    assert.equal((await told('anna', 'capa_assigned', id)).length, 1)
    const asking = () =>
      world.rows(`select from notifications where resource_id = $1 and type = 'capa_assigned' and requires_action`, [
        id,
      ])
    assert.equal((await asking()).length, 0, 'a draft is not to be worked on yet')
    ok(await world.as('petra').post(`${capa.url(id)}/approve-draft`, {}))
    assert.equal((await asking()).length, 1)
    const { id: due } = await capa.inState('pending_effectiveness')
    assert.equal((await told('quentin', 'capa_review_requested', due)).length, 1)
    const [review] = await capa.get('petra', due, '/effectiveness')
    ok(await capa.conclude('quentin', due, review.id))
    assert.equal((await told('quinn', 'capa_reviewed', review.id)).length, 1)
  })
})
