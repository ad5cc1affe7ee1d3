import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { library } from '#test/builders/search.ts'
import { spellingModel } from '#test/fakes/spelling-model.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { fuse, type TextHit } from './fusion.ts'
import { ranking } from './ranking.ts'

// proves: SRCH-01, SVC-07
describe('a search by words and by meaning', () => {
  let world: World
  let books: ReturnType<typeof library>
  const ids: Record<string, number> = {}
  before(async () => {
    world = await openWorld({}, { embeddings: spellingModel })
    books = library(world)
    const add = async (title: string, text: string) =>
      (await books.release((await books.upload({ title }, { bytes: Buffer.from(text), name: 'a.txt' })).id))
        .id as number
    ids.temperature = await add(
      'Storage of goods',
      'Temperatures of the warehouse are recorded by loggers, which are calibrated each year.',
    )
    ids.visitors = await add(
      'Visitors',
      'Visitors of the production area are accompanied at all times and sign the book at the gate.',
    )
    await world.work()
  })
  after(() => world.close())

  it('finds what no word of the question is in, and says how it was found', async () => {
    const { mode, items } = await books.ask('temperatureloggers')
    assert.equal(mode, 'hybrid')
    assert.equal(items[0]?.document_id, ids.temperature)
    assert.deepEqual(items[0]?.matched, ['semantic'])
    assert.match(items[0]!.snippet!, /^Temperatures of the warehouse/)
    assert.deepEqual((await books.ask('warehouse loggers')).items[0]?.matched, ['text', 'semantic'])
  })

  it('finds by meaning nothing that lacks what must be there, or has what must not', async () => {
    for (const q of ['temperatureloggers -calibrated', 'temperatureloggers "calibrated annually"'])
      assert.ok(!(await books.found(q)).includes(ids.temperature!), q)
    assert.deepEqual(await books.found('xkqzjwv'), [])
  })

  it('goes on by words alone where meaning fails, is slow or is not there', async () => {
    const { embeddings } = world.services
    const broken = {
      ...embeddings!,
      embed: async () => {
        throw new Error('the provider is away')
      },
    }
    for (const each of [undefined, broken, { ...embeddings!, embed: () => new Promise<never>(() => {}) }]) {
      world.services.embeddings = each
      const begun = performance.now()
      const { mode, items } = await books.ask('loggers')
      assert.equal(mode, 'text')
      assert.deepEqual(
        items.map(({ document_id }) => document_id),
        [ids.temperature],
      )
      assert.ok(performance.now() - begun < 30_000)
    }
    world.services.embeddings = embeddings
  })

  it('puts what both found before what one of them did, and a number before all', () => {
    const hit = (version_id: number, fields: Partial<TextHit> = {}): TextHit => ({
      ...{ version_id, score: 1, is_exact: true, is_number: false, may_know: true },
      ...fields,
    })
    const text = [
      hit(1),
      hit(2),
      hit(3, { score: 0, is_exact: false }),
      hit(4, { is_number: true, score: 0, is_exact: false }),
    ]
    const semantic = [
      { version_id: 2, position: 0, score: 0.9 },
      { version_id: 3, position: 5, score: 0.8 },
      { version_id: 9, position: 0, score: 0.7 },
    ]
    const fused = fuse(text, semantic, { ...ranking, text: 1, semantic: 1, constant: 60 })
    assert.deepEqual(
      fused.map(({ version_id }) => version_id),
      [4, 2, 1, 3],
    )
    assert.deepEqual(
      fused.map(({ matched }) => matched.join()),
      ['text', 'text,semantic', 'text', 'semantic'],
    )
    assert.ok(fused.every(({ score }) => score > 0 && score <= 1))
    assert.equal(fused[3]?.position, 5)
  })
})
