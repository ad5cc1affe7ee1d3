// A document that is opened to be read, and readings that ask for it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let training: ReturnType<typeof trainings>
before(async () => {
  world = await openWorld()
  training = trainings(world)
})
after(() => world.close())

const view = (by: string, document: number, more = '') =>
  world.as(by).get(`/api/documents/${document}/download?purpose=view${more}`)
const entriesOf = async (document: number) =>
  (
    await world.rows<{ entry: string }>(
      `select username || ' ' || action as entry from audit_entries where resource_type = 'document' and resource_id = $1
        and action in ('document.viewed', 'document.downloaded') order by id`,
      [document],
    )
  ).map(({ entry }) => entry)
const answerOf = (reply: { statusCode: number; json(): Json }) => [reply.statusCode, reply.json().code]

describe('opening a document to read it (proves: DOC-03, SVC-06)', () => {
  it('is shown inline, and recorded once for each person, version and day, also of requests at the same moment', async () => {
    const { id } = await training.effectiveDocument()
    const replies = await Promise.all([view('uma', id), view('uma', id), view('uma', id)])
    for (const reply of replies) {
      assert.equal(reply.statusCode, 200, reply.body)
      assert.match(String(reply.headers['content-disposition']), /^inline; filename=/)
    }
    assert.deepEqual(await entriesOf(id), ['uma document.viewed'])
    assert.equal((await view('anna', id, '&rendition=signed')).statusCode, 200)
    const download = await world.as('uma').get(`/api/documents/${id}/download`)
    assert.match(String(download.headers['content-disposition']), /^attachment; /)
    assert.deepEqual(await entriesOf(id), ['uma document.viewed', 'anna document.viewed', 'uma document.downloaded'])
    world.clock.moved_ms = 86_400_000
    try {
      assert.equal((await view('uma', id)).statusCode, 200)
    } finally {
      world.clock.moved_ms = 0
    }
    assert.equal((await entriesOf(id)).filter(entry => entry === 'uma document.viewed').length, 2)
  })

  it('changes no training: the reading is begun by the page that opened it', async () => {
    const { id, document_id } = await training.reading()
    const assignment = await training.assign(id, ['uma'])
    assert.equal((await view('uma', document_id)).statusCode, 200)
    const before = await training.assignment(assignment)
    assert.deepEqual([before.status, before.opened_at, before.revision], ['assigned', null, 1])
    const begun = ok(await training.start('uma', id))
    assert.deepEqual([begun.status, begun.opened.version], ['in_progress', '1.0'])
  })
})

describe('a reading that asks for its document to be opened (proves: TRN-03)', () => {
  it('is completed once the version was opened after the assignment, and says when and which', async () => {
    const { id, document_id, requires_opening } = await training.reading({ requires_opening: true })
    assert.equal(requires_opening, true)
    assert.equal((await view('uma', document_id)).statusCode, 200)
    await training.assign(id, ['uma'])
    assert.deepEqual(answerOf(await training.complete('uma', id)), [409, 'training_document_not_opened'])
    assert.equal((await view('anna', document_id)).statusCode, 200)
    assert.deepEqual(answerOf(await training.complete('uma', id)), [409, 'training_document_not_opened'])
    assert.equal((await world.as('uma').get(`/api/documents/${document_id}/download`)).statusCode, 200)
    const { opened, completed_at, signature_id } = ok(await training.complete('uma', id))
    assert.equal(opened.version, '1.0')
    assert.ok(Date.parse(opened.at) <= Date.parse(completed_at))
    const { payload, verification } = ok(await world.as('quinn').get(`/api/signatures/${signature_id}`))
    assert.equal(verification.valid, true, JSON.stringify(verification))
    assert.ok(JSON.parse(payload).content.opened_at)
    const url = `/api/training/records/${world.people.uma!.id}`
    const { items } = ok(await world.as('quinn').get(`${url}?training_id=${id}`))
    assert.deepEqual(items[0].opened, opened)
    const past = ok(await world.as('quinn').get(`${url}?training_id=${id}&as_of=${world.clock.now().toISOString()}`))
    assert.deepEqual(
      [Date.parse(past.items[0].opened.at), past.items[0].opened.version],
      [Date.parse(opened.at), opened.version],
    )
  })

  it('is not the default, belongs to readings alone, and can be changed with a reason', async () => {
    const reading = await training.reading()
    await training.assign(reading.id, ['uma'])
    const done = ok(await training.complete('uma', reading.id))
    assert.deepEqual([reading.requires_opening, done.opened], [false, null])
    const url = `/api/training/${reading.id}`
    const asked = { requires_opening: true, change_reason: 'An inspector asked' }
    assert.equal(ok(await world.as('quinn').put(url, asked)).requires_opening, true)
    const { id } = await training.create()
    for (const reply of [
      await world.as('quinn').put(`/api/training/${id}`, asked),
      await world.as('quinn').post('/api/training/', { title: 'Gowning', type: 'classroom', requires_opening: true }),
    ]) {
      assert.equal(reply.statusCode, 422)
      assert.equal(reply.json().detail[0].type, 'training_opening_needs_document')
    }
  })
})
