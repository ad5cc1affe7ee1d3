// The text of a version: who may read it, how it is recorded, and that its paragraphs are those of the file.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { pdfOf } from '#test/builders/text-files.ts'
import { openWorld, type World } from '#test/world/world.ts'

const sentence = (n: number) => `In step ${n} the operator rinses the vessel, and writes down the conductivity.`
const long = Array.from({ length: 40 }, (_, n) => sentence(n)).join(' ')
const written = {
  bytes: Buffer.from(`# Cleaning\n\nBefore.\n\n${long}\n\nAfter.\n\n## Records\n\nKept.\n`),
  name: 'a.md',
}

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const textOf = (by: string, id: number, version = '1.0') =>
  world.as(by).get(`/api/documents/${id}/versions/${version}/text`)
const views = async (id: number) =>
  (
    await world.rows<{ entry: string }>(
      `select username || ' ' || (changes #>> '{version,to}') as entry from audit_entries
        where resource_type = 'document' and resource_id = $1 and action = 'document.viewed' order by id`,
      [id],
    )
  ).map(({ entry }) => entry)

describe('the text of a version (proves: DOC-03, SRCH-01)', () => {
  it('has the paragraphs of the file, also those that the search cuts into passages', async () => {
    const { id } = await paper.upload({}, written)
    await world.work()
    const [{ pieces }] = (await world.rows<{ pieces: number }>(
      `select count(*)::int as pieces from document_chunks c join document_versions v on v.id = c.version_id where v.document_id = $1`,
      [id],
    )) as [{ pieces: number }]
    assert.ok(pieces > 3, `${pieces}: the long paragraph is cut`)
    const text = ok(await textOf('alan', id))
    assert.deepEqual([text.version, text.status, text.by_ocr, text.language], ['1.0', 'extracted', false, 'eng'])
    assert.deepEqual(text.pages, [
      {
        number: null,
        paragraphs: [
          { heading: 'Cleaning', text: 'Before.' },
          { heading: 'Cleaning', text: long },
          { heading: 'Cleaning', text: 'After.' },
          { heading: 'Records', text: 'Kept.' },
        ],
      },
    ])
  })

  it('is by pages where the file has them', async () => {
    const write = (text: string) => (page: { text(text: string): unknown }) => page.text(text)
    const bytes = await pdfOf(['Rinse thoroughly.', 'Then dry.'].map(write))
    const { id } = await paper.upload({}, { bytes, name: 'a.pdf' })
    await world.work()
    const { pages } = ok(await textOf('alan', id))
    assert.deepEqual(
      pages.map(({ number, paragraphs }: Json) => [number, paragraphs.map(({ text }: Json) => text)]),
      [
        [1, ['Rinse thoroughly.']],
        [2, ['Then dry.']],
      ],
    )
  })

  it('is not there before it was extracted, and that is no opening', async () => {
    const { id } = await paper.upload({}, written)
    const { status, pages } = ok(await textOf('alan', id))
    assert.deepEqual([status, pages], ['waiting', []])
    assert.deepEqual(await views(id), [])
  })

  it('is an opening of the file, recorded once for each person, version and day, however it is opened', async () => {
    const { id } = await paper.upload({}, written)
    ok(await paper.addVersion(await paper.release(id).then(() => id), {}, 'alan', written))
    await world.work()
    const replies = await Promise.all([textOf('alan', id), textOf('alan', id), textOf('alan', id)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [200, 200, 200],
    )
    assert.deepEqual(await views(id), ['alan 1.0'])
    for (const range of ['bytes=0-9', 'bytes=10-'])
      assert.equal(
        (await world.as('alan').get(`/api/documents/${id}/download?version=1.0&purpose=view`, { range })).statusCode,
        206,
      )
    assert.deepEqual(await views(id), ['alan 1.0'], 'neither the file nor a part of it is another opening')
    ok(await textOf('alan', id, '1.1'))
    ok(await textOf('uma', id))
    assert.deepEqual(await views(id), ['alan 1.0', 'alan 1.1', 'uma 1.0'])
  })

  it('is for those alone who may read that version, and open its file', async () => {
    const { id } = await paper.upload({}, written)
    await world.work()
    assert.equal((await textOf('uma', id)).statusCode, 404, 'a draft of somebody else')
    assert.equal((await textOf('alan', id, '2.0')).statusCode, 404)
    assert.equal((await textOf('alan', id, '1')).statusCode, 422)
    await paper.release(id)
    ok(await textOf('uma', id))
  })

  it('is as closed as the file to people without its training', async () => {
    const gates = gatedDocuments(world)
    const { id } = await gates.released((await gates.type({ training_gate: 'before_access' })).id)
    const refused = await textOf('uma', id)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'document_training_needed'])
  })
})
