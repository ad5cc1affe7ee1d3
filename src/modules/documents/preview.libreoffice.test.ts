// proves: DOC-03 (Office files and pictures are shown as pages, by LibreOffice)
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ok, papers } from '#test/builders/documents.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { zipOf } from '#test/faults/hostile-files.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await openWorld()
  ok(
    await world
      .as('ada')
      .put('/api/settings/', { upload_types: ['docx', 'odt', 'xlsx'], change_reason: 'For this test' }),
  )
})
after(() => world.close())

const oasis = 'urn:oasis:names:tc:opendocument:xmlns'
const odt = zipOf([
  { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text', isStored: true },
  {
    name: 'META-INF/manifest.xml',
    content: `<?xml version="1.0"?><manifest:manifest xmlns:manifest="${oasis}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
  },
  {
    name: 'content.xml',
    content: `<?xml version="1.0"?><office:document-content xmlns:office="${oasis}:office:1.0" xmlns:text="${oasis}:text:1.0" office:version="1.2"><office:body><office:text><text:p>Rinse thoroughly</text:p></office:text></office:body></office:document-content>`,
  },
])
const packages = 'http://schemas.openxmlformats.org/package/2006'
const docx = zipOf([
  {
    name: '[Content_Types].xml',
    content: `<?xml version="1.0"?><Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
  },
  {
    name: '_rels/.rels',
    content: `<?xml version="1.0"?><Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
  },
  {
    name: 'word/document.xml',
    content:
      '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Rinse thoroughly</w:t></w:r></w:p></w:body></w:document>',
  },
])

describe('a preview by LibreOffice', () => {
  const shows = async (name: string, bytes: Buffer, words: RegExp) => {
    const { id } = await papers(world).upload({ title: 'Rinse thoroughly' }, { bytes, name })
    const replies = await Promise.all(
      ['alan', 'quinn'].map(by => world.as(by).get(`/api/documents/${id}/download?rendition=preview&purpose=view`)),
    )
    for (const reply of replies) {
      assert.equal(reply.statusCode, 200, reply.body)
      assert.match(String(reply.headers['content-disposition']), /^inline; /)
      assert.match((await pagesOf(reply.rawPayload)).join(), words)
    }
  }
  it('shows the pages of a text of Word, also to two people at once', () => shows('a.docx', docx, /Rinse thoroughly/))
  it('shows those of an OpenDocument text', () => shows('a.odt', odt, /Rinse thoroughly/))
  it('shows those of a spreadsheet', async () => {
    const list = await world.as('alan').get('/api/documents/?format=xlsx')
    await shows('a.xlsx', list.rawPayload, /Rinse\s+thoroughly/)
  })
})
