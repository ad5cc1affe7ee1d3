import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Postponed } from '#platform/jobs/queue.ts'
import type { Embeddings } from '#platform/models/embeddings.ts'
import { ModelFailed } from '#platform/models/failure.ts'
import { cases } from '#test/builders/cases.ts'
import { ok } from '#test/builders/documents.ts'
import { deviationsWithoutVector, makeDeviationVectors, meaningModel as model } from '#test/builders/vector-samples.ts'
import { openWorld, type World } from '#test/world/world.ts'

// proves: DEV-03
describe('similar deviations by meaning', () => {
  let world: World
  const ids: Record<string, number> = {}
  const wanted = (name = 'quinn') => deviationsWithoutVector(world, name)
  const make = (name = 'quinn') => makeDeviationVectors(world, name)
  const ask = async (query: string, by = 'quinn') =>
    ok(await world.as(by).get(`/api/deviations/similar?${query}`)) as {
      method: string
      items: { id: number; matched: string[]; why: string[] }[]
    }
  const found = async (query: string, by?: string) => (await ask(query, by)).items.map(({ id }) => id)

  before(async () => {
    world = await openWorld()
    world.services.embeddings = model
    const { deviation } = cases(world)
    ids.cold = (await deviation({ title: 'Frosty shelves', description: 'Ice on the frosty door' })).id
    ids.major = (await deviation({ title: 'Arctic lorry', description: 'Goods too arctic', severity: 'major' })).id
    ids.turning = (await deviation({ title: 'Rotor of the mixer', description: 'The rotor came loose' })).id
    ids.rival = (await deviation({ by: 'rob', title: 'Frosty drum', description: 'It was frosty' })).id
    await make()
    await make('rex')
  })
  after(() => world.close())

  it('are found without a word in common, and the answer says so', async () => {
    const { method, items } = await ask('q=arctic')
    assert.equal(method, 'hybrid')
    assert.deepEqual(new Set(items.map(({ id }) => id)), new Set([ids.cold, ids.major]))
    const [first, second] = items
    assert.deepEqual([first!.id, first!.matched], [ids.major, ['text', 'semantic']], 'words and meaning come first')
    assert.deepEqual([second!.matched, second!.why], [['semantic'], ['meaning']])
  })

  it('are found of a deviation by its own vector, and not the deviation itself', async () => {
    world.services.embeddings = { ...model, embed: () => Promise.reject(new Error('no text needs to be read')) }
    const { method, items } = await ask(`deviation_id=${ids.cold}`)
    world.services.embeddings = model
    assert.deepEqual([method, items[0]?.id], ['hybrid', ids.major])
    assert.ok(!items.some(({ id }) => id === ids.cold))
  })

  // proves: SVC-01
  it('are those of the filter and of the company alone', async () => {
    assert.deepEqual(await found('q=frosty&severity=minor'), [ids.cold])
    assert.deepEqual(await found('q=arctic', 'rob'), [ids.rival])
  })

  it('are found by words alone where the model fails, is slow or would be sent the text', async () => {
    const embed = () => Promise.reject(new Error('the model is away'))
    const slow = () => new Promise<never>(() => {})
    for (const embeddings of [
      undefined,
      { ...model, embed },
      { ...model, embed: slow },
      { ...model, isLocal: false },
    ]) {
      world.services.embeddings = embeddings
      const { method, items } = await ask('q=arctic')
      assert.deepEqual([method, items.map(({ id }) => id)], ['lexical', [ids.major]])
      assert.deepEqual(items[0]!.matched, ['text'])
    }
    world.services.embeddings = model
  })

  it('are compared by what a deviation says now: a change asks for its vector again, and once', async () => {
    assert.deepEqual(await wanted(), [])
    const queued = () =>
      world.rows<{ id: string }>(
        "select data ->> 'deviation_id' as id from pgboss.job where data ->> 'job' = 'deviation_vectors'",
      )
    const before = (await queued()).length
    const change = { title: 'Spindle', description: 'The spindle of the mixer', change_reason: 'Named wrongly' }
    ok(await world.as('petra').put(`/api/deviations/${ids.cold}`, change))
    assert.ok((await queued()).length >= Math.max(1, before))
    assert.deepEqual(
      (await wanted()).map(({ data }) => data),
      [{ tenant_id: world.people.quinn!.tenant_id, deviation_id: ids.cold }],
    )
    await make()
    assert.deepEqual(await wanted(), [])
    assert.ok((await found('q=rotor')).includes(ids.cold!))
    assert.ok(!(await found('q=frosty')).includes(ids.cold!))
  })

  it('wait for a model that is busy or away, and get the vectors of another one after it was changed', async () => {
    const other = { ...model, id: 'test:other:16' }
    const busy = { ...other, embed: () => Promise.reject(new ModelFailed('unreachable', 'busy')) }
    world.services.embeddings = busy as Embeddings
    assert.equal((await wanted()).length, 3)
    await assert.rejects(make(), Postponed)
    world.services.embeddings = other
    await make()
    assert.deepEqual(await wanted(), [])
    assert.deepEqual(new Set(await found('q=rotor')), new Set([ids.turning, ids.cold]))
    world.services.embeddings = model
  })
})
