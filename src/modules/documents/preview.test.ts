// proves: DOC-03 (a file of another kind than PDF is shown as pages)
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openPdfRenderer } from '#platform/pdf/rendition.ts'
import { papers } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { readsGerman } from '#test/builders/languages.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { openDocument } from '#test/faults/hostile-files.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const preview = (by: string, id: number, query = '') =>
  world.as(by).get(`/api/documents/${id}/download?rendition=preview${query}`)
const entriesOf = (id: number) =>
  world.rows<{ action: string; rendition: string | null }>(
    `select action, changes #>> '{rendition,to}' as rendition from audit_entries where resource_type = 'document'
      and resource_id = $1 and action in ('document.viewed', 'document.downloaded') order by id`,
    [id],
  )
const spooled = () => readdirSync(join(world.folder, 'uploads', '.tmp'))
const text = { bytes: Buffer.from('# Rinsing\n\nRinse for five minutes.\n'), name: 'rinsing.md' }

describe('a preview', () => {
  it('of a text is a PDF that a browser shows, recorded as an opening once', async () => {
    const { id, number } = await paper.upload({}, text)
    const reply = await preview('alan', id, '&purpose=view')
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(reply.headers['content-type'], 'application/pdf')
    assert.equal(reply.headers['content-disposition'], `inline; filename="${number} v1.0 preview.pdf"`)
    assert.match((await pagesOf(reply.rawPayload)).join(), /Rinse for five minutes/)
    assert.equal((await preview('alan', id, '&purpose=view')).statusCode, 200)
    assert.deepEqual(await entriesOf(id), [{ action: 'document.viewed', rendition: 'preview' }])
    assert.match(String((await preview('alan', id)).headers['content-disposition']), /^attachment; /)
    assert.deepEqual((await entriesOf(id)).at(-1), { action: 'document.downloaded', rendition: 'preview' })
    assert.deepEqual(spooled(), [], 'nothing of it stays on the disk')
  })

  it('of a PDF is the file itself, whole and in parts', async () => {
    const bytes = pdf()
    const { id } = await paper.upload({}, { bytes, name: 'procedure.pdf' })
    const whole = await preview('alan', id, '&purpose=view')
    assert.ok(whole.rawPayload.equals(bytes))
    const part = await world
      .as('alan')
      .get(`/api/documents/${id}/download?rendition=preview&purpose=view`, { range: 'bytes=0-3' })
    assert.deepEqual([part.statusCode, part.body], [206, '%PDF'])
    assert.equal((await entriesOf(id)).length, 1)
  })

  it('is refused with a reason where the file has no pages, or the program for it is missing', async () => {
    const { pdf: usual } = world.services
    world.services.pdf = openPdfRenderer({ office: [] })
    try {
      const upload = { bytes: openDocument('text'), name: 'a.odt' }
      const settings = { upload_types: ['pdf', 'odt', 'html', 'md'], change_reason: 'For this test' }
      assert.equal((await world.as('ada').put('/api/settings/', settings)).statusCode, 200)
      const { id } = await paper.upload({}, upload)
      const missing = await preview('alan', id)
      assert.deepEqual([missing.statusCode, missing.json().code], [409, 'document_preview_converter_missing'])
      const page = await paper.upload({}, { bytes: Buffer.from('<html><body>Rinse</body></html>'), name: 'a.html' })
      const refused = await preview('alan', page.id)
      assert.deepEqual([refused.statusCode, refused.json().code], [409, 'document_preview_not_possible'])
      const german = await world.as('alan').get(`/api/documents/${page.id}/download?rendition=preview`, readsGerman)
      assert.match(german.json().detail, /\(eine Datei dieser Art lässt sich nicht als Seiten zeigen\)/)
      assert.deepEqual(await entriesOf(id), [], 'nothing was opened')
      assert.deepEqual(spooled(), [])
    } finally {
      world.services.pdf = usual
    }
  })

  it("is as closed as the file, and never of bytes that are not the record's", async () => {
    const gates = gatedDocuments(world)
    const { id: gated } = await gates.released((await gates.type({ training_gate: 'before_access' })).id)
    assert.equal((await preview('uma', gated)).json().code, 'document_training_needed')
    const { id, file_path } = await paper.upload({}, text)
    assert.equal((await preview('uma', id)).statusCode, 404)
    writeFileSync(join(world.services.config.upload_dir, file_path), '# Rinsing\n\nRinse for six minutes.\n')
    assert.equal((await preview('alan', id)).statusCode, 500)
  })
})
