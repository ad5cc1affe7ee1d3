import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { indexText } from '#modules/projections'
import { ok, papers } from '#test/builders/documents.ts'
import { assertIndexed } from '#test/builders/search-index.ts'
import { openWorld, type World } from '#test/world/world.ts'
import type { Chunk } from './chunks.ts'
import { replaceChunks } from './text-queries.ts'

describe('what a document is found by', () => {
  let world: World
  let acme: number
  before(async () => {
    world = await openWorld()
    acme = world.people.alan!.tenant_id
  })
  after(() => world.close())

  const write = async (versionId: number, chunks: Chunk[], language: string | null = 'eng') =>
    world.database.transaction({ tenantId: acme, userId: null }, 'read write', async tx => {
      await replaceChunks(tx, versionId, language, chunks)
      await indexText(tx, versionId)
    })
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
    await assertIndexed(world)
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
    await write(await versionOf(id), [{ page: 1, heading: 'Purpose', body: 'Hood, mask and coverall.', gap: null }])
    await assertIndexed(world)
    ok(await as('alan').put(`/api/documents/${id}`, { title: 'Gowning of people', effective_date: null }))
    await assertIndexed(world)
    assert.deepEqual(await finds('people:A & coverall:D & purpos:C'), [number])
    await release(id)
    await assertIndexed(world)
    assert.equal((await addVersion(id, { title: 'Gowning again' })).statusCode, 201)
    await assertIndexed(world)
    await release(id)
    await assertIndexed(world)
    assert.deepEqual(await finds('people:A & coverall'), [number], 'the superseded version')
    const { revision } = await get('quinn', id)
    ok(
      await as('quinn').put(`/api/documents/${id}`, {
        owner_id: world.people.petra!.id,
        change_reason: 'Left',
        revision,
      }),
    )
    await assertIndexed(world)
  })

  // proves: SRCH-01
  it('is compared piece by piece without a look beside the rows', async () => {
    const { upload } = papers(world)
    const { id } = await upload({ title: 'Cleaning' })
    const versionId = await versionOf(id)
    // Words by the digits of a hash: a text that repeats itself would be compressed.
    const body = createHash('shake256', { outputLength: 225 })
      .update('text')
      .digest('hex')
      .replace(/\d/g, digit => 'ghiklmnoru'[Number(digit)]!)
      .match(/.{5}/g)!
      .map(stem => `${stem}ings`)
      .join(' ')
    await write(versionId, [{ page: 1, heading: null, body, gap: null }])
    const [piece] = await world.rows<{ bytes: number }>(
      'select pg_column_size(words) as bytes from document_chunks where version_id = $1',
      [versionId],
    )
    assert.ok(piece!.bytes > 2_040, `${piece!.bytes} bytes are kept in a row without the table's own limit`)
    const [beside] = await world.rows<{ bytes: string }>(
      "select pg_relation_size(reltoastrelid) as bytes from pg_class where oid = 'document_chunks'::regclass",
    )
    assert.equal(Number(beside!.bytes), 0)
  })

  // proves: SVC-01
  it('is restricted by its own gate, or by that of its type from the moment that the type has it', async () => {
    const { as } = world
    const { upload } = papers(world)
    const restricted = () =>
      world.rows<{ count: number }>('select count(*)::int from document_index where is_restricted')
    const { id } = await upload({ title: 'For the trained', type: 'Policy' })
    const { id: own } = await upload({ title: 'For all', type: 'Policy' })
    ok(await as('quinn').put(`/api/documents/${own}`, { training_gate: 'none' }))
    const type = await world.typeId('Policy')
    ok(await as('ada').put(`/api/document-types/${type}`, { training_gate: 'before_access', change_reason: 'Needed' }))
    await assertIndexed(world)
    assert.deepEqual(await restricted(), [{ count: 1 }])
    ok(await as('ada').put(`/api/document-types/${type}`, { training_gate: 'none', change_reason: 'Not needed' }))
    await assertIndexed(world)
    assert.deepEqual(await restricted(), [{ count: 0 }])
    ok(await as('quinn').put(`/api/documents/${id}`, { training_gate: 'before_access' }))
    await assertIndexed(world)
    assert.deepEqual(await restricted(), [{ count: 1 }])
  })
})
