import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ok, papers } from '#test/documents.ts'
import { openWorld, type World } from '#test/world.ts'
import type { Chunk } from './chunks.ts'
import { replaceChunks } from './text-queries.ts'

/** The index as a query over the records themselves computes it. */
const computed = `
  select v.tenant_id, v.id as version_id, d.id as document_id, d.number, lower(unaccent(v.title)) as title, d.document_type_id, v.category,
    v.status, v.status_kind, d.owner_id, v.created_by,
    case when v.effective_at is null then (v.created_at at time zone 'UTC')::date else v.effective_date end as dated,
    v.id = coalesce(d.effective_version_id, d.latest_version_id) as is_shown,
    coalesce(d.training_gate, t.training_gate) = 'before_access' as is_restricted,
    ts_filter(label_words(d.number, v.title, v.keywords, v.description), '{a,b}')::text as label
  from document_versions v join documents d on d.id = v.document_id join document_types t on t.id = d.document_type_id`
const kept = `
  select tenant_id, version_id, document_id, number, title, document_type_id, category, status, status_kind, owner_id, created_by, dated,
    is_shown, is_restricted, ts_filter(words, '{a,b}')::text as label from document_index`

describe('what a document is found by', () => {
  let world: World
  let acme: number
  before(async () => {
    world = await openWorld()
    acme = world.people.alan!.tenant_id
  })
  after(() => world.close())

  /** Places are counted on from those of the text: only which words there are can be compared where there is one. */
  const requireRight = async () =>
    assert.deepEqual(
      await world.rows(`select count(*)::int from (${kept}) k full join (${computed}) c using (version_id)
        where to_jsonb(k) - 'label' is distinct from to_jsonb(c) - 'label' or strip(k.label::tsvector) <> strip(c.label::tsvector)`),
      [{ count: 0 }],
    )
  const write = async (versionId: number, chunks: Chunk[], language: string | null = 'eng') =>
    world.database.transaction({ tenantId: acme, userId: null }, 'read write', tx =>
      replaceChunks(tx, versionId, language, chunks),
    )
  const versionOf = async (id: number) =>
    Number(
      (await world.rows<{ id: string }>('select max(id) as id from document_versions where document_id = $1', [id]))[0]!
        .id,
    )
  const finds = async (query: string) =>
    (
      await world.rows<{ number: string }>(
        `select number from document_index where tenant_id = $1 and words @@ $2::tsquery order by 1`,
        [acme, query],
      )
    ).map(({ number }) => number)

  // proves: SRCH-01
  it('is its number whole and in parts, its title, keywords and description, with their weights, by stem and as they stand', async () => {
    const { upload } = papers(world)
    const { number } = await upload({
      title: 'Reinigung/Cleaning of l’Atelier',
      keywords: 'FRM-017, Prüfung',
      description: 'wöchentliche Ärgernisse',
    })
    await requireRight()
    const [, digits] = number.split('-')
    for (const word of [`'${number.toLowerCase()}':A`, 'sop:A', `'${digits}':A`, `'${Number(digits)}':A`])
      assert.ok((await finds(word)).includes(number), word)
    for (const word of ['reinigung:A', 'clean:A', 'cleaning:A', 'atelier:A', 'prufung:B', "'017':B", "'-017':B"])
      assert.deepEqual(await finds(word), [number], word)
    assert.deepEqual(await finds('argernisse:B'), [number])
    assert.deepEqual(await finds('clean:B'), [])
  })

  it('follows it through its whole life, and its text stays with it', async () => {
    const { as } = world
    const { upload, release, addVersion, get } = papers(world)
    const { id, number } = await upload({ title: 'Gowning', effective_date: '2031-02-03' })
    await write(await versionOf(id), [{ page: 1, heading: 'Purpose', body: 'Hood, mask and coverall.' }])
    await requireRight()
    ok(await as('alan').put(`/api/documents/${id}`, { title: 'Gowning of people', effective_date: null }))
    await requireRight()
    assert.deepEqual(await finds('people:A & coverall:D & purpos:C'), [number])
    await release(id)
    await requireRight()
    assert.equal((await addVersion(id, { title: 'Gowning again' })).statusCode, 201)
    await requireRight()
    await release(id)
    await requireRight()
    assert.deepEqual(await finds('people:A & coverall'), [number], 'the superseded version')
    const { revision } = await get('quinn', id)
    ok(
      await as('quinn').put(`/api/documents/${id}`, {
        owner_id: world.people.petra!.id,
        change_reason: 'Left',
        revision,
      }),
    )
    await requireRight()
  })
})
