import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assignments, dayOf, daysGoBy } from '#test/builders/assignments.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('lists of training', () => {
  let world: World
  let training: ReturnType<typeof assignments>
  const id = (name: string) => world.people[name]!.id
  /** By title. */
  const programs: Record<string, Json> = {}
  before(async () => {
    world = await openWorld()
    training = assignments(world)
    const give = async (title: string, days: number, names: string[], fields: object = {}) => {
      programs[title] = await training.program({ title, ...fields })
      await training.assign({
        training_id: programs[title].id,
        user_ids: training.ids(names),
        due_date: dayOf(world, days),
      })
    }
    await give('Late', 1, ['uma', 'anna'])
    await give('Done', 5, ['uma'], { requires_verification: true })
    await give('Later', 30, ['uma'])
    await give('Soon', 3, ['uma'])
    await training.complete('uma', programs.Done.id)
    const group = await training.group('alan')
    programs.Grouped = await training.program({ title: 'Grouped' })
    await training.assign({ training_id: programs.Grouped.id, group_ids: [group.id] })
    programs.group = group
    daysGoBy(world, 2)
  })
  after(() => world.close())

  const titles = (page: Json) => page.items.map(({ title }: Json) => title)
  const own = async (query = '') => ok(await world.as('uma').get(`/api/training/my-training${query}`))
  const all = async (query: string) => ok(await world.as('petra').get(`/api/training/assignments/${query}`))

  it('show everybody their own, what is due first before what is over; TRN-02', async () => {
    const page = await own()
    assert.deepEqual(titles(page), ['Late', 'Soon', 'Later', 'Done'])
    assert.deepEqual(
      [page.total, page.items[0].id, page.items[0].is_overdue, page.items[1].is_overdue],
      [4, programs.Late.id, true, false],
    )
    assert.equal((await world.as('uma').get(`/api/training/${page.items[0].id}`)).statusCode, 200)
    assert.deepEqual(titles(await own('?overdue=true')), ['Late'])
    assert.deepEqual(titles(await own('?status=completed')), ['Done'])
    assert.deepEqual(titles(await own('?sort=due_date:desc&page_size=2')), ['Later', 'Done'])
    assert.deepEqual(titles(ok(await world.as('rob').get('/api/training/my-training'))), [])
  })

  it('show who may read all of them everybody’s, by what is asked', async () => {
    const cases: Record<string, string[]> = {
      '?sort=id': ['Late', 'Late', 'Done', 'Later', 'Soon', 'Grouped'],
      '?sort=due_date:asc&page_size=2&page=2': ['Soon', 'Done'],
      '?overdue=true': ['Late', 'Late'],
      [`?overdue=false&user_id=${id('uma')}`]: ['Soon', 'Later', 'Done'],
      [`?user_id=${id('anna')}`]: ['Late'],
      [`?training_id=${programs.Soon.id}`]: ['Soon'],
      [`?group_id=${programs.group.id}`]: ['Grouped'],
      '?source=group': ['Grouped'],
      '?awaiting_verification=true': ['Done'],
      '?status=completed': ['Done'],
      '?q=soo': ['Soon'],
      '?q=Anna': ['Late'],
      [`?due_from=${dayOf(world, 1)}&due_to=${dayOf(world, 3)}`]: ['Soon', 'Done'],
      [`?date_to=${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}`]: [],
    }
    for (const [query, expected] of Object.entries(cases)) {
      const page = await all(query)
      assert.deepEqual(titles(page).sort(), expected.toSorted(), query)
      if (!query.includes('page')) assert.equal(page.total, expected.length, query)
    }
    assert.deepEqual(titles(await all('?sort=id')), cases['?sort=id'])
    assert.equal((await world.as('petra').get('/api/training/assignments/?sort=score')).statusCode, 422)
    assert.equal((await world.as('uma').get('/api/training/assignments/')).statusCode, 403)
    assert.deepEqual(titles(ok(await world.as('rita').get('/api/training/assignments/'))), [])
  })

  it('lead to each assignment, for the person and for who may read all', async () => {
    const [{ assignment_id }] = (await own()).items
    const url = `/api/training/assignments/${assignment_id}`
    assert.equal(ok(await world.as('uma').get(url)).title, 'Late')
    assert.equal(ok(await world.as('otto').get(url)).title, 'Late')
    for (const other of ['anna', 'rita']) {
      const reply = await world.as(other).get(url)
      assert.deepEqual([reply.statusCode, reply.json().detail], [404, 'Training assignment not found'])
    }
  })

  it('name the document that is to be read', async () => {
    const document = await papers(world).effective()
    await training.assign({ document_id: document.id, user_ids: [id('uma')] })
    const [item] = (await own('?sort=id:desc')).items
    assert.deepEqual(item.document, { id: document.id, number: document.number, version: '1.0' })
  })
})
