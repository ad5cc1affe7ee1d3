import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { library } from '#test/builders/search.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { ranking } from './ranking.ts'

describe('what a search answers', () => {
  let world: World
  let books: ReturnType<typeof library>
  const made: { id: number; type: number }[] = []
  before(async () => {
    world = await openWorld()
    books = library(world)
    for (const [type, category] of [
      ['SOP', 'Filling'],
      ['SOP', 'Packaging'],
      ['Form', 'Filling'],
    ] as const) {
      const { id } = await books.draft({ type, title: `Torque of caps ${made.length}`, category }, [
        `Torque is checked on ${made.length + 3} caps.`,
      ])
      made.push({ id, type: await world.typeId(type) })
    }
    await books.release(made[0]!.id)
  })
  after(() => world.close())

  const refused = async (query: string, loc: unknown[]) => {
    const answer = await world.as('alan').get(`/api/search/?q=torque&${query}`)
    assert.equal(answer.statusCode, 422, `${query}: ${answer.body}`)
    assert.deepEqual(answer.json().detail[0].loc, loc, query)
  }
  const count = async (filters: object, by = 'alan') =>
    (await books.ask('torque', { by, filters: JSON.stringify({ status: ['draft', 'effective'], ...filters }) })).total

  // proves: SRCH-02
  it('is of the types, categories, states and days asked for', async () => {
    const today = new Date().toISOString().slice(0, 10)
    assert.equal(await count({}), 3)
    assert.equal(await count({ document_type: made[2]!.type }), 1)
    assert.equal(await count({ document_type: [made[0]!.type, made[2]!.type] }), 3)
    assert.equal(await count({ category: 'Filling' }), 2)
    assert.equal(await count({ category: ['Filling', 'Packaging'], document_type: made[0]!.type }), 2)
    assert.equal(await count({ status: 'draft' }), 2)
    assert.equal(await count({ status: 'draft' }, 'uma'), 0)
    assert.equal(await count({ date_from: today, date_to: today }), 3)
    assert.equal(await count({ date_from: `${today}T08:00:00Z` }), 3)
    assert.equal(await count({ date_to: '2020-01-01' }), 0)
    const plain = `status=draft&status=effective&category=Filling&document_type=${made[0]!.type}&document_type=${made[2]!.type}`
    assert.equal((await world.as('alan').get(`/api/search/?q=torque&${plain}`)).json().total, 2)
  })

  // proves: SRCH-02
  it('is refused for filters that are none, with the place that is wrong', async () => {
    await refused('filters={', ['query', 'filters'])
    await refused('filters=[]', ['query', 'filters'])
    await refused('filters=null', ['query', 'filters'])
    await refused('filters={"colour":"red"}', ['query', 'filters', 'colour'])
    await refused('filters={"document_type":"SOP"}', ['query', 'filters', 'document_type'])
    await refused('filters={"date_from":"2026-02-30"}', ['query', 'filters', 'date_from'])
    await refused('filters={"status":[]}', ['query', 'filters', 'status'])
    await refused('colour=red', ['query', 'colour'])
    await refused('category=a&filters={"category":"b"}', ['query', 'category'])
    await refused('page_size=101', ['query', 'page_size'])
  })

  // proves: SVC-04, SVC-05
  it('has the same total on each page, and each version on one page alone, ranked or not', async () => {
    const most = ranking.most
    Object.assign(ranking, { most: 4 })
    try {
      for (let more = 0; more < 6; more++)
        await books.effective({ title: `Caps of line ${more}` }, ['Torque, torque.'.repeat(more + 1)])
      const asked = { by: 'alan', status: 'effective', page_size: '2' }
      for (const q of ['torque', 'torque line', 'torque caps -checked', 'line torque nonsense']) {
        const pages = []
        for (let page = 1; page <= 5; page++) pages.push(await books.ask(q, { ...asked, page: String(page) }))
        const total = pages[0]!.total
        const seen = pages.flatMap(({ items }) => items.map(({ document_id }) => document_id))
        assert.ok(total >= 6, q)
        assert.deepEqual(
          pages.map(each => [each.total, each.pages]),
          pages.map(() => [total, Math.ceil(total / 2)]),
          q,
        )
        assert.equal(seen.length, total, q)
        assert.equal(new Set(seen).size, total, q)
      }
    } finally {
      Object.assign(ranking, { most })
    }
  })

  // proves: SRCH-01, SVC-04
  it('counts a frequent word no further than it answers, those with it in the title first, and says so', async () => {
    const { most, most_counted, few } = ranking
    Object.assign(ranking, { most: 2, most_counted: 3, few: 1 })
    try {
      for (let line = 0; line < 5; line++) await books.effective({ title: `Gaskets ${line}` }, ['Inspect the flange.'])
      const { id } = await books.effective({ title: 'Flange of the vessel' }, ['Nothing else is said.'])
      await books.effective({ title: 'Gaskets of the end' }, ['Inspect the flange.'])
      const ask = (page: number) =>
        books.ask('flange', { by: 'alan', status: 'effective', page_size: '2', page: String(page) })
      const pages = [await ask(1), await ask(2), await ask(3)]
      assert.deepEqual(
        pages.map(({ total, pages, is_total_exact, items }) => [total, pages, is_total_exact, items.length]),
        [
          [3, 2, false, 2],
          [3, 2, false, 1],
          [3, 2, false, 0],
        ],
      )
      assert.equal(
        pages[0]!.items[0]!.document_id,
        id,
        'the newest of those that were counted do not have it in the title',
      )
      const seen = pages.flatMap(({ items }) => items.map(({ document_id }) => document_id))
      assert.equal(new Set(seen).size, seen.length)
      assert.equal((await books.ask('flange vessel', { by: 'alan' })).is_total_exact, true)
    } finally {
      Object.assign(ranking, { most, most_counted, few })
    }
  })
})
