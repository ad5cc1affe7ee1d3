import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { askAgain } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { papers } from '#test/documents.ts'
import { openWorld, type World } from '#test/world.ts'
import type { Asked } from './asked.ts'
import { embedQuery, findByMeaning } from './semantic.ts'
import { replaceChunks, saveReading } from './text-queries.ts'
import { vectorsWork } from './vectors.ts'

const bodies = {
  cleaning: 'Rinse the filling line with purified water and disinfect its equipment after each campaign.',
  gowning: 'Wear hood, mask, gloves and coverall before entering the grade B cleanroom.',
  deviation: 'Report a temperature excursion of the cold storage as a deviation within one working day.',
}

// proves: SRCH-01
describe('vectors of the texts', () => {
  let world: World
  const ids: Record<string, number> = {}
  before(async () => {
    world = await openWorld()
    const { upload, release } = papers(world)
    for (const [name, body] of Object.entries(bodies)) {
      const { id } = await upload({ title: name })
      await release(id)
      ids[name] = await versionOf(id)
      await write(ids[name], [body])
    }
    await make()
  })
  after(() => world.close())

  const versionOf = async (id: number) =>
    Number(
      (await world.rows<{ id: string }>('select max(id) as id from document_versions where document_id = $1', [id]))[0]!
        .id,
    )
  const tenant = (name: string) => world.people[name]!.tenant_id
  const bound = <T>(name: string, work: (tx: Tx) => Promise<T>) =>
    world.database.transaction({ tenantId: tenant(name), userId: null }, 'read write', work)
  const write = (version: number, texts: string[], name = 'quinn') =>
    bound(name, async tx => {
      await replaceChunks(
        tx,
        version,
        'eng',
        texts.map(body => ({ page: 1, heading: null, body })),
      )
      await saveReading(tx, version, {
        ...{ status: 'extracted', reason: null, extractor: 1, language: 'eng', pages: 1, characters: 100 },
        ...{ by_ocr: false, extracted_at: '2026-01-02T03:04:05Z' },
      })
    })
  /** What the records want of the model, done. */
  const make = async (embeddings = world.services.embeddings!) => {
    const { database } = world
    await askAgain([vectorsWork({ database, embeddings })], database).run(new AbortController().signal)
    return world.work()
  }
  const search = async (q: string, more: Partial<Asked> = {}, { by = 'quinn', services = world.services } = {}) => {
    const vector = await embedQuery({ read: work => bound(by, work), services }, q)
    if (!vector) return undefined
    const asked = { kinds: ['effective'], user_id: world.people[by]!.id, drafts: false, trained: [], ...more }
    const found = await bound(by, tx => findByMeaning(tx, asked, vector, 10))
    return found.map(({ version_id }) => Object.keys(ids).find(name => ids[name] === version_id) ?? version_id)
  }

  it('find a text by other forms of its words, the nearest first', async () => {
    assert.equal((await search('disinfection of filling lines'))![0], 'cleaning')
    assert.equal((await search('temprature excursions'))![0], 'deviation')
    assert.equal((await search('clean room gown'))![0], 'gowning')
  })
})
