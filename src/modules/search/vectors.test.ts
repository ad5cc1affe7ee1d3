import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { indexText } from '#modules/projections'
import type { Tx } from '#platform/db/database.ts'
import { Postponed } from '#platform/jobs/queue.ts'
import type { Embeddings } from '#platform/models/embeddings.ts'
import { ModelFailed } from '#platform/models/failure.ts'
import { unit } from '#platform/models/unit.ts'
import { papers } from '#test/builders/documents.ts'
import { spellingModel } from '#test/fakes/spelling-model.ts'
import { openWorld, type World } from '#test/world/world.ts'
import type { SearchScope } from './scope.ts'
import { embedQuery, findByMeaning } from './semantic.ts'
import { replaceChunks, saveReading } from './text-queries.ts'
import { bytesOf, signsOf } from './vector-bytes.ts'
import { visitVectorStore } from './vector-store.ts'
import { type VectorsItem, vectorsJob } from './vectors.ts'

const bodies = {
  cleaning: 'Rinse the filling line with purified water and disinfect its equipment after each campaign.',
  gowning: 'Wear hood, mask, gloves and coverall before entering the grade B cleanroom.',
  deviation: 'Report a temperature excursion of the cold storage as a deviation within one working day.',
  draft: 'Validation of the steriliser is repeated each year.',
}

// proves: SRCH-01
describe('vectors of the texts', () => {
  let world: World
  const ids: Record<string, number> = {}
  const documents: Record<string, number> = {}
  before(async () => {
    world = await openWorld({}, { embeddings: spellingModel })
    const { upload, release } = papers(world)
    for (const [name, body] of Object.entries(bodies)) {
      const { id } = await upload({ title: name })
      if (name !== 'draft') await release(id)
      documents[name] = id
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
  const bound = <T>(name: string, work: (tx: Tx) => Promise<T>) =>
    world.database.transaction({ tenantId: world.people[name]!.tenant_id, userId: null }, 'read write', work)
  const write = (version: number, texts: string[]) =>
    bound('quinn', async tx => {
      await replaceChunks(
        tx,
        version,
        'eng',
        texts.map(body => ({ page: 1, heading: null, body, gap: null })),
      )
      await indexText(tx, version)
      await saveReading(tx, version, {
        ...{ status: 'extracted', reason: null, extractor: 1, language: 'eng', pages: 1, characters: 100 },
        ...{ by_ocr: false, extracted_at: '2026-01-02T03:04:05Z' },
      })
    })
  const run = (embeddings: Embeddings, item: VectorsItem) =>
    vectorsJob.run({ ...world.services, embeddings }, item, {
      ...{ number: 1, isLast: false, signal: new AbortController().signal },
    })
  const wanted = (embeddings: Embeddings) =>
    bound('quinn', async tx =>
      (await vectorsJob.find(tx, { ...world.services, embeddings })).map(({ data }) => data as VectorsItem),
    )
  /** Makes all missing vectors. */
  async function make(embeddings = world.services.embeddings!) {
    for (const item of await wanted(embeddings)) await run(embeddings, item)
  }
  const searchScopeOf = (by: string, more: Partial<SearchScope> = {}): SearchScope => ({
    ...{ kinds: ['effective'], user_id: world.people[by]!.id, drafts: false, trained: [], ...more },
  })
  const search = async (
    q: string,
    more: Partial<SearchScope> = {},
    { by = 'quinn', embeddings = world.services.embeddings } = {},
  ) => {
    const services = { ...world.services, embeddings }
    const vector = await embedQuery({ read: work => bound(by, work), services }, q)
    if (!vector) return undefined
    const found = await bound(by, tx => findByMeaning(tx, searchScopeOf(by, more), vector, 10))
    return found.map(({ version_id }) => Object.keys(ids).find(name => ids[name] === version_id) ?? version_id)
  }
  const modelsOf = async (version: number) =>
    (
      await world.rows<{ name: string }>(
        'select name from version_vectors v join embedding_models m on m.id = v.model_id where version_id = $1 order by 1',
        [version],
      )
    ).map(({ name }) => name)

  it('find a text by other forms of its words and with another spelling, the nearest first', async () => {
    assert.equal((await search('disinfection of filling lines'))![0], 'cleaning')
    assert.equal((await search('temprature excursions'))![0], 'deviation')
    assert.equal((await search('clean room gown'))![0], 'gowning')
    assert.deepEqual(await search('%%% ---'), undefined, 'what says nothing is near to nothing')
  })

  it('find a text by its title, and by another title once it has one', async () => {
    const kinds = ['initial', 'effective']
    const first = async (q: string) => (await search(q, { kinds, status: ['draft', 'effective'] }))![0]
    const { id } = await papers(world).upload({ title: 'Questionnaire of the laundry' })
    ids.laundry = await versionOf(id)
    await write(ids.laundry, ['It goes to the quality unit, with a corrective and preventive action for each answer.'])
    await make()
    assert.equal(await first('laundries'), 'laundry')
    const { revision } = await papers(world).get('alan', id)
    const reply = await world
      .as('alan')
      .put(`/api/documents/${id}`, { title: 'Questionnaire of the carrier', revision })
    assert.equal(reply.statusCode, 200, reply.body)
    await make()
    assert.equal(await first('carriers'), 'laundry')
    assert.notEqual(await first('laundries'), 'laundry')
  })

  // proves: SVC-01
  it('find nothing of another tenant', async () => {
    const kinds = ['effective', 'draft', 'review', 'approval', 'approved', 'superseded', 'obsolete']
    const documents_ = Object.values(documents)
    assert.deepEqual(await search('filling line', { kinds, drafts: true }, { by: 'rex' }), [])
    assert.deepEqual(await search('filling line', { kinds, drafts: true, documents: documents_ }, { by: 'rex' }), [])
  })

  it('find what may be found alone: no draft of others, and nothing that training keeps back', async () => {
    const status = ['draft', 'effective']
    assert.ok(!(await search('validation of the steriliser', { status }))!.includes('draft'))
    const author = world.people.alan!.id
    assert.equal((await search('validation of the steriliser', { status, user_id: author }))![0], 'draft')
    await world.superuser.query('update document_index set is_restricted = true where version_id = $1', [ids.gowning])
    try {
      assert.ok(!(await search('hood mask gloves'))!.includes('gowning'))
      assert.equal((await search('hood mask gloves', { trained: [documents.gowning!] }))![0], 'gowning')
      assert.equal((await search('hood mask gloves', { drafts: true }))![0], 'gowning')
    } finally {
      await world.superuser.query('update document_index set is_restricted = false where version_id = $1', [
        ids.gowning,
      ])
    }
  })

  it('find what is asked for alone: of some documents, types, categories, states and days', async () => {
    assert.deepEqual(await search('filling line', { documents: [documents.gowning!] }), ['gowning'])
    assert.deepEqual(await search('filling line', { document_type: [999_999] }), [])
    assert.deepEqual(await search('filling line', { category: ['none'] }), [])
    assert.deepEqual(await search('filling line', { status: ['obsolete'] }), [])
    assert.deepEqual(await search('filling line', { date_from: '2199-01-01' }), [])
    assert.equal((await search('filling line', { date_from: '2001-01-01', date_to: '2199-01-01' }))!.length, 3)
  })

  it('find a version once, by the passage that is nearest', async () => {
    await write(ids.cleaning!, ['Purpose and scope of it all.', bodies.cleaning, 'Records are kept for ten years.'])
    await make()
    const vector = (await embedQuery(
      { read: work => bound('quinn', work), services: world.services },
      'rinse the filling line',
    ))!
    const [first, ...others] = await bound('quinn', tx => findByMeaning(tx, searchScopeOf('quinn'), vector, 10))
    assert.deepEqual([first!.version_id, first!.position], [ids.cleaning, 1])
    assert.ok(first!.score > 0.3 && first!.score < 1)
    assert.ok(!others.some(({ version_id }) => version_id === ids.cleaning))
  })

  it('are those of the text as it is: what it does not say any more does not find it', async () => {
    await write(ids.gowning!, ['Calibrate each balance with weights of a known mass.'])
    assert.ok(!(await search('hood mask gloves'))!.includes('gowning'))
    assert.deepEqual(
      (await wanted(world.services.embeddings!)).map(({ version_id }) => version_id),
      [ids.gowning],
    )
    await make()
    assert.equal((await search('calibrating balances'))![0], 'gowning')
  })

  it('of a text that is replaced while they are made are begun again', async () => {
    let isReplaced = false
    const { embeddings } = world.services
    const slow: Embeddings = {
      ...embeddings!,
      async embed(texts, kind, signal) {
        if (!isReplaced) {
          isReplaced = true
          await write(ids.gowning!, [bodies.gowning])
        }
        return embeddings!.embed(texts, kind, signal)
      },
    }
    await write(ids.gowning!, ['Something else about pumps.'])
    await make(slow)
    assert.equal((await search('hood mask gloves'))![0], 'gowning')
    assert.ok(!(await search('pumps'))!.slice(0, 1).includes('gowning'))
  })

  it('find the same among very many, of which most are read no further than their signs', async () => {
    const { superuser } = world
    const model = world.services.embeddings!
    const others = 4000
    const vectors = await model.embed(
      Array.from({ length: others }, (_, number) => `Pump ${number} is lubricated by recipe ${number * 31}`),
      'passage',
    )
    await superuser.query(
      `begin; set local app.tenant_id = '${world.people.quinn!.tenant_id}'; set local session_replication_role = replica`,
    )
    await superuser.query(
      `insert into document_index (version_id, document_id, number, title, document_type_id, status, status_kind, owner_id, created_by, listed_on,
        is_shown, is_restricted, content_revision) select 1000000 + n, 1000000 + n, 'SOP-' || n, 'pump', 1, 'any', case n % 4 when 0 then 'superseded' else 'effective' end,
        1, 1, '2026-01-01', true, n % 4 = 1, 1 from generate_series(1, $1::integer) n`,
      [others],
    )
    await superuser.query(
      `insert into version_vectors (version_id, model_id, vectors) select 1000000 + n, m.id, vectors from embedding_models m,
        unnest($1::bytea[]) with ordinality v (vectors, n) where is_searched`,
      [vectors.map(bytesOf)],
    )
    await superuser.query(
      `insert into chunk_bits (model_id, version_id, position, bits) select m.id, 1000000 + n, 0, bits::bit varying from embedding_models m,
        unnest($1::text[]) with ordinality v (bits, n) where is_searched`,
      [vectors.map(signsOf)],
    )
    await superuser.query('commit')
    try {
      for (const reltuples of [-1, 60_000]) {
        await superuser.query("update pg_class set reltuples = $1 where oid = 'chunk_bits'::regclass", [reltuples])
        assert.equal((await search('disinfection of filling lines'))![0], 'cleaning', `of ${reltuples}`)
        const numbers = ((await search('lubricated pump'))! as number[]).map(id => (id - 1_000_000) % 4)
        assert.ok(numbers.length === 10 && numbers.every(each => each === 2 || each === 3), numbers.join())
      }
    } finally {
      await superuser.query(`begin; set local session_replication_role = replica; delete from chunk_bits where version_id > 1000000;
        delete from version_vectors where version_id > 1000000; delete from document_index where version_id > 1000000; commit`)
    }
  })

  describe('of another model', () => {
    /** Knows what belongs together without a letter in common. */
    const meanings = ['clean rinse disinfect purified', 'hood mask gown clothing', 'temperature deviation incident']
    let fails: Error | undefined
    const other: Embeddings = {
      id: 'openai-compatible:test:16',
      dimensions: 16,
      isLocal: true,
      async embed(texts) {
        if (fails) throw fails
        return texts.map(text =>
          unit(
            Float32Array.from({ length: 16 }, (__, place) =>
              (meanings[place] ?? '').split(' ').some(word => word && text.toLowerCase().includes(word)) ? 1 : 0.01,
            ),
          ),
        )
      },
      state: () => (fails ? { status: 'Down', detail: fails.message } : { status: 'Operational' }),
      reach: async () => {},
      former: id => (id === world.services.embeddings!.id ? world.services.embeddings : undefined),
    }
    const visit = () => visitVectorStore({ database: world.database, embeddings: other }, AbortSignal.timeout(60_000))

    it('are made beside those of the one before, which are searched meanwhile, and say how far they are', async () => {
      const first = (await wanted(other)).at(-1)!
      await run(other, first)
      assert.deepEqual(await modelsOf(first.version_id!), [world.services.embeddings!.id, other.id].sort())
      assert.equal((await search('disinfection of filling lines', {}, { embeddings: other }))![0], 'cleaning')
      assert.deepEqual(await visit(), {
        status: 'Degraded',
        detail: `20 % of 5 texts have vectors of ${other.id}; until all have them, the vectors of ${world.services.embeddings!.id} are searched`,
      })
      const without = { ...other, former: () => undefined }
      assert.equal(await search('filling', {}, { embeddings: without }), undefined, 'by words alone')
    })

    it('wait where the model fails, and search goes on without them', async () => {
      fails = new ModelFailed('unreachable', 'It is away')
      const [item] = await wanted(other)
      await assert.rejects(run(other, item!), Postponed)
      assert.match((await visit()).detail!, /^Search is by words alone: It is away/)
      fails = undefined
    })

    it('take over once nothing is left, and those of the one before are removed', async () => {
      await make(other)
      assert.equal((await wanted(other)).length, 1, 'what is left of the other')
      assert.equal((await search('clothing', {}, { embeddings: other }))![0], 'gowning')
      await make(other)
      assert.deepEqual(await wanted(other), [])
      assert.deepEqual(await modelsOf(ids.cleaning!), [other.id])
      assert.deepEqual(await world.rows('select distinct length(bits) as length from chunk_bits'), [{ length: 16 }])
      assert.deepEqual(await visit(), {})
    })

    it('that fail or hang keep nobody waiting: the query has no vector', async () => {
      fails = new ModelFailed('unreachable', 'It is away')
      assert.equal(await search('clothing', {}, { embeddings: other }), undefined)
      const hanging = { ...other, embed: () => new Promise<never>(() => {}) }
      const begun = performance.now()
      assert.equal(await search('clothing', {}, { embeddings: hanging }), undefined)
      assert.ok(performance.now() - begun < 30_000)
    })
  })
})
