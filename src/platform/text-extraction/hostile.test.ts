import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { officeFile, pageWith, pdfOf, rawPdf, relations } from '#test/builders/text-files.ts'
import { greatBomb, type ZipEntry, zipOf } from '#test/faults/hostile-files.ts'
import type { Ending } from '../files/media-type.ts'
import { openTextExtractor } from './index.ts'
import { limits } from './limits.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-texts-'))
after(() => rmSync(folder, { recursive: true }))
const works = openTextExtractor({ ocr: null })

let files = 0
async function read(content: Buffer | string, ending: Ending, bytes?: number) {
  files += 1
  const path = join(folder, `${files}.${ending}`)
  writeFileSync(path, content)
  if (bytes) truncateSync(path, bytes)
  return works.extract({ path, ending })
}

const begin = '<?xml version="1.0"?><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>begin</w:t></w:r></w:p>'
const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
const docx = (main: Omit<ZipEntry, 'name'>) =>
  zipOf([{ name: 'word/document.xml', ...main }, relations('', { r: ['officeDocument', 'word/document.xml'] })])
const catalogue = '<</Type/Catalog/Pages 2 0 R>>'
const damaged = 'The file cannot be read: it is damaged or cut off.'
const tooLarge = 'The file cannot be read: it takes more memory than there is for one file.'
const inflated = 'The file cannot be read: it inflates to more than text is read from.'

describe('a hostile file (proves: SRCH-01)', { concurrency: 2 }, () => {
  const failing: [what: string, Ending, () => Buffer | Promise<Buffer> | string, reason: string][] = [
    [
      'a part that inflates to 10 GB, a thousand times its size',
      'docx',
      () => docx({ packed: greatBomb(), claimed: 0xfffffff0 }),
      inflated,
    ],
    ['a part that lies about its size', 'docx', () => docx({ packed: greatBomb(), claimed: 1_000 }), damaged],
    [
      'entities that grow without end, or that name other files',
      'docx',
      () =>
        docx({
          content: `<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;"><!ENTITY f SYSTEM "file:///etc/hostname">]><w:document xmlns:w="w">${p('&y;&f;')}</w:document>`,
        }),
      damaged,
    ],
    ['an archive that is cut off', 'docx', () => docx({ content: begin }).subarray(0, 150), damaged],
    ['an archive with nothing in it', 'xlsx', () => zipOf([]), damaged],
    ['a file of another kind', 'pptx', () => 'just text', damaged],
    ['a PDF that is cut off', 'pdf', async () => (await pdfOf([pdf => pdf.text('whole')])).subarray(0, 700), damaged],
    [
      'pages that contain themselves',
      'pdf',
      () =>
        rawPdf(
          catalogue,
          '<</Type/Pages/Kids[2 0 R 3 0 R]/Count 5>>',
          '<</Type/Pages/Kids[2 0 R]/Count 5/Parent 2 0 R>>',
        ),
      damaged,
    ],
    [
      'a page that inflates to 10 GB',
      'pdf',
      () => pageWith(Buffer.concat([Buffer.from('789c', 'hex'), greatBomb()]), '/Filter/FlateDecode'),
      tooLarge,
    ],
  ]
  for (const [what, ending, content, reason] of failing)
    it(`fails alone, in its time, and says why: ${what}`, async () => {
      const { status, reason: told } = await read(await content(), ending)
      assert.deepEqual({ status, told }, { status: 'failed', told: reason })
    })

  it('is read to where it is damaged', async () => {
    const { status, reason, blocks } = await read(docx({ content: `${begin}</w:p>${p('end')}` }), 'docx')
    assert.deepEqual(
      { status, reason },
      { status: 'extracted', reason: 'Only a part of the file was read: it is damaged or cut off.' },
    )
    assert.deepEqual(blocks, [{ page: null, heading: null, text: 'begin' }])
  })

  it('ends where a form draws itself, and where a file claims to have more pages than it has', async () => {
    const form = rawPdf(
      catalogue,
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>>>',
      '<</Length 5>>stream\n/X Do\nendstream',
      '<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>/Length 11>>stream\n/X Do /X Do\nendstream',
    )
    assert.equal((await read(form, 'pdf')).status, 'no_text')
    const claims = rawPdf(
      catalogue,
      '<</Type/Pages/Kids[3 0 R]/Count 2000000000>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
    )
    assert.equal((await read(claims, 'pdf')).status, 'no_text')
  })

  it('is read to the page to which pages are read, and says how many it has', async () => {
    const count = limits.most_pages + 10
    const pages = Array.from({ length: count }, (_, at) => `${at + 4} 0 R`)
    const file = rawPdf(
      catalogue,
      `<</Type/Pages/Kids[${pages.join(' ')}]/Count ${count}/MediaBox[0 0 600 800]/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>`,
      '<</Length 36>>stream\nBT /F 12 Tf 10 10 Td (a word) Tj ET  \nendstream',
      ...pages.map(() => '<</Type/Page/Parent 2 0 R/Contents 3 0 R>>'),
    )
    const { status, reason, pages: had } = await read(file, 'pdf')
    assert.deepEqual({ status, had }, { status: 'extracted', had: count })
    assert.equal(reason, 'Only the first 2,000 of its 2,010 pages were read.')
  })

  it('is read to the character to which characters are read, whatever it is', async () => {
    const { blocks, reason } = await read('a'.repeat(limits.most_characters + 1_000_000), 'txt')
    assert.equal(reason, 'Only the first 4,000,000 characters were read.')
    assert.equal(
      blocks.reduce((sum, { text }) => sum + text.length, 0),
      limits.most_characters,
    )
    const rows = officeFile(
      'xlsx',
      '<workbook><sheets><sheet name="A" id="a"/></sheets></workbook>',
      relations('xl/workbook.xml', { a: ['worksheet', 's.xml'] }),
      { name: 'xl/s.xml', content: `<w>${'<row><c><v>123456</v></c></row>'.repeat(700_000)}</w>` },
    )
    assert.equal((await read(rows, 'xlsx')).reason, 'Only the first 4,000,000 characters were read.')
  })

  it('is not read where it is larger than any text', async () => {
    const { status, reason } = await read('', 'txt', limits.most_file_bytes + 1)
    assert.deepEqual(
      { status, reason },
      { status: 'failed', reason: 'The file cannot be read: it is larger than the 256 MB that text is read from.' },
    )
  })

  it('holds nothing that a database cannot store', async () => {
    const { blocks } = await read(
      docx({ content: `${begin}${p('a&#x202e;b&#xfffd;c&#xf0b7;d&#x85;e')}</w:body></w:document>` }),
      'docx',
    )
    assert.equal(blocks[0]!.text, 'begin\n\nab\ufffdc•d\ne')
    assert.equal((await read(Buffer.alloc(1_000_000), 'txt')).status, 'no_text')
  })
})
