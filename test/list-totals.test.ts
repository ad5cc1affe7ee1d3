// Lists that nothing narrows read their total from counts that are kept: it must be that of what their pages show.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
})
after(() => world.close())

/** The total of a list, which equals the number of rows on its pages, each once. */
async function total(by: string, list: string): Promise<number> {
  const read = async (page: string): Promise<Json> => ok(await world.as(by).get(`${list}${page}`))
  const ids: number[] = []
  for (let page = 1; ; page++) {
    const { items } = await read(`page=${page}&page_size=2`)
    if (items.length === 0) break
    ids.push(...items.map(({ id }: Json) => id))
  }
  // A page that is not whole shows where the list ends: there nothing needs to be counted.
  const { total } = await read('page_size=1')
  assert.deepEqual([ids.length, new Set(ids).size], [total, total], `${by} ${list}`)
  return total
}

describe('the total of a list (proves: SVC-04)', () => {
  it('of deviations is of all, or of the states that are asked for', async () => {
    const { inState } = deviations(world)
    for (const state of ['open', 'under_investigation', 'pending_approval', 'closed', 'closed', 'cancelled'] as const)
      await inState(state)
    assert.equal(await total('quinn', '/api/deviations/?'), 6)
    assert.equal(await total('quinn', '/api/deviations/?status=closed&'), 2)
    assert.equal(await total('quinn', '/api/deviations/?status=closed&status=open&'), 3)
    assert.equal(await total('quinn', '/api/deviations/?status=closed&severity=critical&'), 0)
  })

  it('of CAPAs is of all, or of the state that is asked for', async () => {
    const { draft, open } = capas(world)
    await draft()
    await open()
    await open()
    assert.equal(await total('quinn', '/api/capa/?'), 3)
    assert.equal(await total('quinn', '/api/capa/?status=open&'), 2)
    assert.equal(await total('quinn', '/api/capa/?status=open&type=preventive&'), 0)
  })

  it('of documents is of those that one may read: what is effective, and what is shown as a draft to its owner and its author', async () => {
    const seen = async () => {
      const by = (name: string) => total(name, '/api/documents/?')
      return { all: await by('quinn'), author: await by('alan'), other: await by('anna'), user: await by('uma') }
    }
    const { all } = await seen()
    const { upload, effective, addVersion } = papers(world)
    const draft = await upload()
    await upload()
    ok(await addVersion((await effective()).id))
    const { id } = await effective()
    assert.deepEqual(await seen(), { all: all + 4, author: all + 4, other: 2, user: 2 })
    ok(
      await world
        .as('quinn')
        .put(`/api/documents/${draft.id}`, { owner_id: world.people.uma!.id, change_reason: 'Handed over' }),
    )
    assert.deepEqual(await seen(), { all: all + 4, author: all + 4, other: 2, user: 3 })
    ok(
      await world
        .as('quinn')
        .post(`/api/documents/${id}/transition`, { transition: 'obsolete', comment: 'Out of use' }),
    )
    assert.deepEqual(await seen(), { all: all + 4, author: all + 4, other: 1, user: 2 })
  })

  it('is of the own tenant alone', async () => {
    for (const list of ['/api/documents/?', '/api/deviations/?', '/api/capa/?'])
      assert.equal(await total('rita', list), 0, list)
  })
})
