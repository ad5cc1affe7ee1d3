// What was used before in a field of free text, so that the next person spells it alike.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cases } from '#test/builders/cases.ts'
import { copies } from '#test/builders/copies.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('the values of a field', () => {
  let world: World
  const values = async (path: string, by = 'quinn'): Promise<unknown> =>
    ok(await world.as(by).get(`/api/${path}`)).items.map(({ value, count }: Json) => [value, count])
  before(async () => {
    world = await openWorld()
    await papers(world).upload({ title: 'A draft', category: 'Secret project', keywords: 'gowning, draft' })
    await papers(world).effective({ title: 'Two', category: 'Cleaning', keywords: 'gowning' })
    await papers(world).effective({ title: 'Three', category: 'Cleaning' })
    await papers(world).effective({ title: 'Four', category: 'Cleaning 100%' })
    const items = [{ kind: 'batch', identifier: 'LOT-7' }]
    await cases(world).deviation({ department: 'Packaging', affected_items: items })
    await cases(world).deviation({ department: 'packaging', affected_items: items })
    await cases(world).deviation({ department: 'Packaging' })
    ok(
      await world.as('rita').post('/api/deviations/', {
        ...{ title: 'Theirs', description: 'Theirs', severity: 'minor', department: 'Rival packaging' },
        detected_at: world.clock.now().toISOString(),
      }),
    )
    const { id } = await copies(world).document({ title: 'Printed' })
    await copies(world).issue(id)
  })
  after(() => world.close())

  // proves: DOC-02
  it('are those of documents that the caller may read, the most frequent first', async () => {
    assert.deepEqual(await values('documents/values?field=category'), [
      ['Cleaning', 2],
      ['Cleaning 100%', 1],
      ['Secret project', 1],
    ])
    assert.deepEqual(await values('documents/values?field=category', 'uma'), [
      ['Cleaning', 2],
      ['Cleaning 100%', 1],
    ])
    assert.deepEqual(await values('documents/values?field=category&q=CLEAN', 'alan'), [
      ['Cleaning', 2],
      ['Cleaning 100%', 1],
    ])
    assert.deepEqual(await values('documents/values?field=category&q=0%25'), [['Cleaning 100%', 1]])
    assert.deepEqual(await values('documents/values?field=keywords'), [
      ['gowning', 2],
      ['draft', 1],
    ])
    assert.deepEqual(await values('documents/values?field=keywords', 'uma'), [['gowning', 1]])
  })

  // proves: DEV-01, SVC-01
  it('are those of deviations and of places of copies, and never of another tenant', async () => {
    assert.deepEqual(await values('deviations/values?field=department&q=pack'), [
      ['Packaging', 2],
      ['packaging', 1],
    ])
    assert.deepEqual(await values('deviations/values?field=department', 'rita'), [['Rival packaging', 1]])
    assert.deepEqual(await values('deviations/values?field=affected_items'), [['LOT-7', 2]])
    assert.deepEqual(await values('controlled-copies/values?field=location', 'petra'), [['Line 1', 1]])
    assert.deepEqual(await values('controlled-copies/values?field=location', 'anna'), [], 'copies of others')
  })

  it('are of the fields that there are, and twenty at most', async () => {
    for (const path of ['documents/values', 'documents/values?field=title', 'deviations/values?field=category'])
      assert.equal((await world.as('quinn').get(`/api/${path}`)).statusCode, 422, path)
    for (let n = 0; n < 21; n++) await cases(world).deviation({ department: `Site ${n}` })
    assert.equal(((await values('deviations/values?field=department')) as unknown[]).length, 20)
  })
})
