// Files as people upload them, through the service and all of its works.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { pdfOf, relations } from '#test/builders/text-files.ts'
import { officeParts, type ZipEntry, zipOf } from '#test/faults/hostile-files.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

/** An Office file with this as its main part. */
const office = (kind: 'docx' | 'xlsx', main: string, ...more: ZipEntry[]) =>
  zipOf([
    ...officeParts(kind).map(part => (/^(word|xl)\//.test(part.name) ? { ...part, content: main } : part)),
    ...more,
  ])

describe('a document is found by what its file says', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  async function read(bytes: Buffer, name: string) {
    const { id } = await papers(world).upload({ title: 'A document' }, { bytes, name })
    await world.work()
    const content: Json = ok(await world.as('alan').get(`/api/documents/${id}`)).content
    const pieces = await world.rows<{ page: number | null; heading: string | null; body: string }>(
      `select page, heading, body from document_chunks c join document_versions v on v.id = c.version_id
       where document_id = $1 order by position`,
      [id],
    )
    return { content, pieces }
  }

  // proves: SRCH-01
  it('as a PDF, with its pages', async () => {
    const said = ['Put on the gown before the gloves.', 'Take off the gloves before the gown.']
    const { content, pieces } = await read(await pdfOf(said.map(text => page => page.text(text))), 'gowning.pdf')
    assert.deepEqual([content.status, content.reason, content.pages, content.by_ocr], ['extracted', null, 2, false])
    assert.deepEqual(
      pieces.map(({ page, body }) => [page, body]),
      said.map((text, index) => [index + 1, text]),
    )
  })

  it('as a Word file, with its headings', async () => {
    const p = (text: string, style = '') => `<w:p>${style}<w:r><w:t>${text}</w:t></w:r></w:p>`
    const heading = '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'
    const body = p('Purpose', heading) + p('Hands are washed.') + p('Scope', heading) + p('The filling room.')
    const file = office('docx', `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`)
    const { content, pieces } = await read(file, 'gowning.docx')
    assert.equal(content.status, 'extracted', content.reason)
    assert.deepEqual(
      pieces.map(each => [each.heading, each.body.replace(/^(Purpose|Scope)\s+/, '')]),
      [
        ['Purpose', 'Hands are washed.'],
        ['Scope', 'The filling room.'],
      ],
    )
  })

  it('as a workbook, with its sheets', async () => {
    const file = office(
      'xlsx',
      '<?xml version="1.0"?><workbook><sheets><sheet name="Lots" r:id="a" xmlns:r="r"/></sheets></workbook>',
      relations('xl/workbook.xml', { a: ['worksheet', 'worksheets/sheet1.xml'] }),
      {
        name: 'xl/worksheets/sheet1.xml',
        content:
          '<?xml version="1.0"?><worksheet><sheetData><row><c t="inlineStr"><is><t>Stoppers</t></is></c><c><v>4711</v></c></row></sheetData></worksheet>',
      },
    )
    const { content, pieces } = await read(file, 'lots.xlsx')
    assert.equal(content.status, 'extracted', content.reason)
    assert.deepEqual(pieces, [{ page: null, heading: 'Lots', body: 'Stoppers | 4711' }])
  })

  it('and says why it is not, where it is not', async () => {
    const { content, pieces } = await read(pdf(), 'empty.pdf')
    assert.notEqual(content.status, 'extracted')
    assert.match(content.reason, /^[A-Z].+\.$/)
    assert.deepEqual(pieces, [])
  })
})
