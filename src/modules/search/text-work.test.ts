// From the upload of a file to what is found of it.
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { recoverLost } from '#modules/jobs'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { textJob } from './text-work.ts'

const text = (...paragraphs: string[]) => ({ bytes: Buffer.from(paragraphs.join('\n\n')), name: 'procedure.txt' })
const gowning = 'The operator washes the hands and puts on hood, mask, coverall, boots and gloves, in this order. '
const reinigung =
  'Die Reinigung der Abfüllanlage erfolgt nach jedem Wechsel des Produkts durch geschulte Mitarbeiter der Produktion. '

describe('the text of a document', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const contentOf = async (id: number): Promise<Json> => ok(await world.as('alan').get(`/api/documents/${id}`)).content
  const keyOf = async (id: number) =>
    (await world.rows<{ file_key: string }>('select file_key from document_versions where document_id = $1', [id]))[0]!
      .file_key
  const fileOf = async (id: number) => join(world.folder, 'uploads', await keyOf(id))
  const chunksOf = (id: number) =>
    world.rows<{ position: number; page: number | null; heading: string | null; body: string }>(
      `select position, page, heading, body from document_chunks join document_versions v on v.id = version_id
       where document_id = $1 order by version_id, position`,
      [id],
    )
  const finds = async (query: string) =>
    (
      await world.rows<{ id: number }>('select document_id::int as id from document_index where words @@ $1::tsquery', [
        query,
      ])
    ).map(({ id }) => id)
  const spooled = () => readdirSync(join(world.folder, 'uploads/.tmp'))

  // proves: SRCH-01
  it('is found once its file was read, in pieces that end where its paragraphs do, and nothing is left on the disk', async () => {
    const { id } = await papers(world).upload(
      { title: 'Gowning' },
      text(...Array.from({ length: 12 }, (_, n) => `${n + 1}. ${gowning.repeat(3)}`.trim()), 'See FRM-017.'),
    )
    assert.equal((await contentOf(id)).status, 'waiting')
    assert.deepEqual(await finds('coverall'), [])
    await world.work()
    assert.deepEqual(await contentOf(id), {
      ...{ status: 'extracted', reason: null, pages: null, language: 'eng', by_ocr: false },
    })
    const chunks = await chunksOf(id)
    assert.ok(chunks.length >= 4 && chunks.every(({ body }) => body.length <= 1200 && /order\.$|017\.$/.test(body)))
    for (const query of ['coverall:D', 'oper', 'hood <-> mask', "'017'", 'gown:A & glove:D'])
      assert.deepEqual(await finds(query), [id], query)
    assert.deepEqual(spooled(), [])
  })

  it('is found by its stems in the language that it is written in', async () => {
    const { id } = await papers(world).upload({ title: 'Reinigung' }, text(reinigung.repeat(3)))
    await world.work()
    assert.equal((await contentOf(id)).language, 'deu')
    for (const query of ['geschult', 'mitarbeit', 'abfullanlag', 'abfullanlage'])
      assert.deepEqual(await finds(query), [id], query)
  })

  it('of a newer version stands beside that of the one before', async () => {
    const { upload, addVersion, get } = papers(world)
    const { id } = await upload({ title: 'Two texts' }, text('The first says alpha.'))
    await world.work()
    assert.equal((await addVersion(id, {}, 'alan', text('The second says omega.'))).statusCode, 201)
    const versions: Json = await get('alan', id, '/versions')
    assert.deepEqual(
      versions.map(({ version, content }: Json) => [version, content.status]),
      [
        ['1.1', 'waiting'],
        ['1.0', 'extracted'],
      ],
    )
    await world.work()
    assert.deepEqual([await finds('alpha'), await finds('omega')], [[id], [id]])
  })

  it('is not there where the stored file is another than the uploaded one, and the document says so', async () => {
    const { id } = await papers(world).upload({ title: 'Changed' }, text('It says sigma.'))
    appendFileSync(await fileOf(id), 'and more')
    await world.work()
    const { status, reason } = await contentOf(id)
    assert.deepEqual([status, reason], ['failed', 'The stored file differs from the one that was uploaded.'])
    const { id: gone } = await papers(world).upload({ title: 'Gone' }, text('It says tau.'))
    rmSync(await fileOf(gone))
    await world.work()
    assert.equal((await contentOf(gone)).reason, 'The file is missing from the store.')
    assert.deepEqual([await finds('sigma'), spooled()], [[], []])
  })

  it('is read once the store answers again', async () => {
    const { storage } = world.services
    const { id } = await papers(world).upload({ title: 'Later' }, text('It says upsilon.'))
    const { open } = storage
    storage.open = () => Promise.reject(new Error('the store is away'))
    try {
      assert.equal((await world.work({ mayFail: true })).failed, 1)
      assert.equal((await contentOf(id)).status, 'waiting')
    } finally {
      storage.open = open
    }
    world.clock.moved_ms = 3_600_000
    await world.work()
    world.clock.moved_ms = 0
    assert.equal((await contentOf(id)).status, 'extracted')
  })

  it('that the queue has forgotten is asked for again', async () => {
    const { id } = await papers(world).upload({ title: 'Forgotten' }, text('It says phi.'))
    await world.rows(`delete from pgboss.job where name = 'texts'`)
    await world.work()
    assert.equal((await contentOf(id)).status, 'waiting')
    await world.round(recoverLost([textJob]))
    await world.work()
    assert.deepEqual(await finds('phi'), [id])
  })

  it('stays whole until the new one is in its place, and is given up in the end where that cannot be written', async () => {
    const { id } = await papers(world).upload({ title: 'Whole' }, text('It says chi.'))
    await world.work()
    const [row] = await world.rows<{ tenant_id: number; version_id: number }>(
      'select tenant_id::int, version_id::int from document_texts where document_id = $1',
      [id],
    )
    const again = (isLast: boolean) =>
      textJob.run(world.services, row!, { number: 1, isLast, signal: new AbortController().signal })
    await world.rows(`create function refuse_words() returns trigger language plpgsql as $$ begin
      if new.words @@ 'chi' then raise exception 'not these'; end if; return new; end $$`)
    await world.rows(
      'create trigger refused before update on document_index for each row execute function refuse_words()',
    )
    try {
      await assert.rejects(again(false))
      assert.deepEqual(
        [(await chunksOf(id)).length, await finds('chi'), (await contentOf(id)).status],
        [1, [id], 'extracted'],
      )
      await assert.rejects(again(true))
      assert.deepEqual([await chunksOf(id), await finds('chi'), (await contentOf(id)).status], [[], [], 'failed'])
    } finally {
      await world.rows('drop trigger refused on document_index')
    }
    await again(false)
    assert.deepEqual(await finds('chi'), [id])
  })
})
