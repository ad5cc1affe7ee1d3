import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { officeFile, openDocumentFile, pdfOf, relations } from '#test/builders/text-files.ts'
import type { Ending } from '../../files/media-type.ts'
import { openTextExtractor } from '../index.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-texts-'))
after(() => rmSync(folder, { recursive: true }))
const works = openTextExtractor()

async function read(content: Buffer | string, ending: Ending) {
  const path = join(folder, `file.${ending}`)
  writeFileSync(path, content)
  return works.extract({ path, ending })
}
const blocksOf = async (content: Buffer | string, ending: Ending) => {
  const { status, reason, blocks } = await read(content, ending)
  assert.deepEqual({ status, reason }, { status: 'extracted', reason: null })
  return blocks
}

describe('a PDF (proves: SRCH-01)', () => {
  it('is read page by page below its headings, with divided words whole again', async () => {
    const file = await pdfOf([
      pdf => {
        pdf.fontSize(20).text('Gowning for the filling room').fontSize(11).moveDown()
        pdf.text('Wash the hands and disin-').text('fect them. Then wait until they are dry.').moveDown()
        pdf.text('Nobody enters without a mask.').moveDown()
        pdf.font('Helvetica-Bold').text('2.1 Gloves').font('Helvetica')
        pdf.text('Two pairs of gloves are worn, one over the other, by everybody who is in the room.')
      },
      pdf => pdf.fontSize(11).text('The outer pair is changed every hour, and whenever it is torn.'),
    ])
    const { pages } = await read(file, 'pdf')
    assert.equal(pages, 2)
    assert.deepEqual(await blocksOf(file, 'pdf'), [
      {
        page: 1,
        heading: 'Gowning for the filling room',
        text: 'Wash the hands and disinfect them. Then wait until they are dry.\n\nNobody enters without a mask.',
      },
      {
        page: 1,
        heading: '2.1 Gloves',
        text: 'Two pairs of gloves are worn, one over the other, by everybody who is in the room.',
      },
      { page: 2, heading: '2.1 Gloves', text: 'The outer pair is changed every hour, and whenever it is torn.' },
    ])
  })

  it('has what stands above and below each page once', async () => {
    const file = await pdfOf(
      Array.from({ length: 6 }, (_, at) => pdf => {
        pdf.fontSize(9).text('SOP-0012 Confidential', 72, 20, { lineBreak: false })
        pdf.fontSize(11).text(`Step ${'abcdef'[at]} is done by two people.`, 72, 100)
        pdf.page.margins.bottom = 0
        pdf.fontSize(9).text(`Page ${at + 1} of 6`, 72, 760, { lineBreak: false })
      }),
    )
    const text = (await blocksOf(file, 'pdf')).map(block => block.text).join('\n')
    assert.equal(text.match(/SOP-0012/g)?.length, 1)
    assert.equal(text.match(/Page \d of 6/g)?.length, 1)
    assert.equal(text.match(/is done by two people/g)?.length, 6)
  })

  it('is read one column after the other, in whatever order they were written', async () => {
    const left = Array.from({ length: 12 }, (_, at) => `left ${at} stands here.`)
    const right = Array.from({ length: 12 }, (_, at) => `right ${at} stands there.`)
    const file = await pdfOf([
      pdf => {
        for (let at = 11; at >= 0; at -= 1) pdf.text(right[at]!, 320, 100 + 15 * at, { lineBreak: false })
        for (let at = 11; at >= 0; at -= 1) pdf.text(left[at]!, 72, 100 + 15 * at, { lineBreak: false })
      },
    ])
    const [block] = await blocksOf(file, 'pdf')
    assert.equal(block!.text.replace(/\s+/g, ' '), [...left, ...right].join(' '))
  })

  it('says so where it is protected by a password', async () => {
    const file = await pdfOf([pdf => pdf.text('secret')], { userPassword: 'x', ownerPassword: 'y' })
    const { status, reason } = await read(file, 'pdf')
    assert.deepEqual(
      { status, reason },
      { status: 'failed', reason: 'The file cannot be read: it is protected by a password.' },
    )
  })
})

const p = (text: string, more = '') => `<w:p>${more}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
const styled = (style: string) => `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`

describe('a text of Word (proves: SRCH-01)', () => {
  const styles = `<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
    <w:style w:styleId="Ours"><w:name w:val="Our own"/><w:basedOn w:val="berschrift1"/></w:style></w:styles>`
  const docx = (body: string, ...more: Parameters<typeof officeFile>[2][]) =>
    officeFile(
      'docx',
      `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
      { name: 'word/styles.xml', content: styles },
      relations('word/document.xml', { s: ['styles', 'styles.xml'], f: ['footnotes', 'footnotes.xml'] }),
      ...more,
    )

  it('has its headings, also where their style is named in another language, and its tables row by row', async () => {
    const cell = (text: string) => `<w:tc>${p(text)}</w:tc>`
    const file = docx(
      p('Purpose', styled('berschrift1')) +
        p('To keep the room clean.') +
        p('Materials', styled('Ours')) +
        `<w:tbl><w:tr>${cell('No.')}${cell('Item')}</w:tr><w:tr>${cell('1')}${cell('Hood')}</w:tr></w:tbl>` +
        p('Gloves', '<w:pPr><w:numPr/></w:pPr>'),
    )
    assert.deepEqual(await blocksOf(file, 'docx'), [
      { page: null, heading: 'Purpose', text: 'To keep the room clean.' },
      { page: null, heading: 'Materials', text: 'No. | Item\n1 | Hood\nGloves' },
    ])
  })

  it('has its footnotes where they belong, and nothing that was taken out or hidden', async () => {
    const file = docx(
      '<w:p><w:r><w:t>Wait</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r>' +
        '<w:del><w:r><w:delText>an hour</w:delText></w:r></w:del><w:ins><w:r><w:t> a day</w:t></w:r></w:ins>' +
        '<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>' +
        '<w:r><w:instrText>PAGEREF x</w:instrText></w:r></w:p>' +
        p('Then go on.'),
      {
        name: 'word/footnotes.xml',
        content: `<w:footnotes xmlns:w="w"><w:footnote w:id="2">${p('At 20 °C.')}</w:footnote></w:footnotes>`,
      },
    )
    assert.deepEqual(
      (await blocksOf(file, 'docx')).map(block => block.text),
      ['Wait a day\n\nAt 20 °C.\n\nThen go on.'],
    )
  })
})

describe('a workbook (proves: SRCH-01)', () => {
  it('has each sheet that is shown as a heading, each row as a line, and days as days', async () => {
    const file = officeFile(
      'xlsx',
      '<workbook><sheets><sheet name="Lots" r:id="a" xmlns:r="r"/><sheet name="Lists" state="hidden" r:id="b" xmlns:r="r"/></sheets></workbook>',
      relations('xl/workbook.xml', {
        a: ['worksheet', 'worksheets/sheet1.xml'],
        b: ['worksheet', 'worksheets/sheet2.xml'],
        c: ['sharedStrings', 'sharedStrings.xml'],
        d: ['styles', 'styles.xml'],
      }),
      {
        name: 'xl/sharedStrings.xml',
        content: '<sst><si><t>Lot</t></si><si><r><t>Re</t></r><r><t>leased</t></r></si></sst>',
      },
      {
        name: 'xl/styles.xml',
        content:
          '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd\\.mm\\.yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
      },
      {
        name: 'xl/worksheets/sheet1.xml',
        content:
          '<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c><v>4711</v></c><c s="1"><v>46053</v></c><c t="inlineStr"><is><t>yes</t></is></c><c t="b"><v>1</v></c></row></sheetData></worksheet>',
      },
      { name: 'xl/worksheets/sheet2.xml', content: '<worksheet><row><c><v>1</v></c></row></worksheet>' },
    )
    assert.deepEqual(await blocksOf(file, 'xlsx'), [
      { page: null, heading: 'Lots', text: 'Lot | Released\n4711 | 2026-01-31 | yes | TRUE' },
    ])
  })
})

describe('a presentation (proves: SRCH-01)', () => {
  const shape = (text: string, type = '') =>
    `<p:sp><p:nvSpPr><p:nvPr>${type && `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
  const slide = (attributes: string, ...shapes: string[]) =>
    `<p:sld xmlns:p="p" xmlns:a="a" ${attributes}>${shapes.join('')}</p:sld>`

  it('has its slides in their order as pages, below their titles, with what the speaker notes', async () => {
    const file = officeFile(
      'pptx',
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="1" r:id="two"/><p:sldId r:id="one" id="2"/><p:sldId id="3" r:id="three"/></p:sldIdLst></p:presentation>',
      relations('ppt/presentation.xml', {
        one: ['slide', 'slides/slide1.xml'],
        two: ['slide', 'slides/slide2.xml'],
        three: ['slide', '/ppt/slides/slide3.xml'],
      }),
      { name: 'ppt/slides/slide1.xml', content: slide('', shape('Second'), shape('7', 'sldNum')) },
      { name: 'ppt/slides/slide2.xml', content: slide('', shape('Wash first.'), shape('Hygiene', 'title')) },
      { name: 'ppt/slides/slide3.xml', content: slide('show="0"', shape('not shown')) },
      relations('ppt/slides/slide2.xml', { n: ['notesSlide', '../notesSlides/notesSlide1.xml'] }),
      { name: 'ppt/notesSlides/notesSlide1.xml', content: slide('', shape('Say why.', 'body'), shape('2', 'sldNum')) },
    )
    assert.deepEqual(await blocksOf(file, 'pptx'), [
      { page: 1, heading: 'Hygiene', text: 'Wash first.\nSay why.' },
      { page: 2, heading: 'Hygiene', text: 'Second' },
    ])
    assert.equal((await read(file, 'pptx')).pages, 3)
  })
})

describe('an OpenDocument file (proves: SRCH-01)', () => {
  it('is read below its headings, row by row, with its notes and without what was taken out', async () => {
    const file = openDocumentFile(
      '<t:tracked-changes><t:p>gone</t:p></t:tracked-changes><t:h>Purpose</t:h>' +
        '<t:p>Wait<t:note><t:note-citation>1</t:note-citation><t:note-body><t:p>At 20 °C.</t:p></t:note-body></t:note><t:s t:c="999999999"/>here.</t:p>' +
        '<t:list><t:list-item><t:p>Hood</t:p></t:list-item></t:list>' +
        '<b:table><b:table-row><b:table-cell><t:p>a</t:p><t:p>b</t:p></b:table-cell><b:table-cell><t:p>c</t:p></b:table-cell></b:table-row></b:table>',
    )
    assert.deepEqual(await blocksOf(file, 'odt'), [
      { page: null, heading: 'Purpose', text: 'Wait here.\n\nAt 20 °C.\n\nHood\na b | c' },
    ])
  })

  it('has each sheet and each slide as a heading', async () => {
    const row = '<b:table-row><b:table-cell><t:p>1</t:p></b:table-cell></b:table-row>'
    const sheets = openDocumentFile(`<o:spreadsheet><b:table b:name="Lots">${row}</b:table></o:spreadsheet>`)
    assert.deepEqual(await blocksOf(sheets, 'ods'), [{ page: null, heading: 'Lots', text: '1' }])
    const slides = openDocumentFile(
      '<d:page/><d:page><d:frame p:class="title"><t:p>Hygiene</t:p></d:frame><d:frame><t:p>Wash first.</t:p></d:frame></d:page>',
    )
    assert.deepEqual(await blocksOf(slides, 'odp'), [{ page: 2, heading: 'Hygiene', text: 'Wash first.' }])
    assert.equal((await read(slides, 'odp')).pages, 2)
  })
})

describe('a page of HTML (proves: SRCH-01)', () => {
  it('is read as it is shown: below its headings, row by row, without scripts, styles and what is hidden', async () => {
    const html =
      '<!doctype html><html><head><title>T</title><style>p{}</style></head><body><h1>Gow&shy;ning &amp; more</h1>Wash the\n <b>hands</b>.<p>Dry them.<p>Wait.' +
      '<script>alert(1)</script><div hidden>gone <p>too</p></div><span style="display: none">gone</span>' +
      '<h2>Materials</h2><table><tr><th>No.<th>Item<tr><td>1<td><p>Hood<p>blue</table><ul><li>Gloves<li>Mask</ul><pre>a\n  b</pre></body></html>'
    assert.deepEqual(await blocksOf(html, 'html'), [
      { page: null, heading: 'Gowning & more', text: 'Wash the hands.\n\nDry them.\n\nWait.' },
      { page: null, heading: 'Materials', text: 'No. | Item\n1 | Hood blue\nGloves\nMask\n\na\nb' },
    ])
  })

  it('is read in the encoding that it names, and nested without end', async () => {
    const named = Buffer.from('<html><head><meta charset="iso-8859-2"></head><body>\xb3\xf3d\xbc', 'latin1')
    assert.equal((await blocksOf(named, 'html'))[0]!.text, 'łódź')
    assert.equal((await blocksOf(`${'<div>'.repeat(50_000)}deep`, 'html'))[0]!.text, 'deep')
  })
})

describe('Markdown (proves: SRCH-01)', () => {
  it('is read below its headings, without its signs', async () => {
    const text =
      '<!-- owner: QA -->\n# Purpose\nKeep it **clean** &amp; dry.\n\n- Hood\n- Mask\n\n```\n# no heading\n```\n\n## Materials\n\n| No. | Item |\n|---|---|\n| 1 | Hood |\n'
    assert.deepEqual(await blocksOf(text, 'md'), [
      { page: null, heading: 'Purpose', text: 'Keep it clean & dry.\n\nHood\nMask\n\n# no heading' },
      { page: null, heading: 'Materials', text: 'No. | Item\n1 | Hood' },
    ])
  })

  it('stays as it was typed where it is nested without end', async () => {
    const [block] = await blocksOf(`${'>'.repeat(500)} deep`, 'md')
    assert.match(block!.text, /deep$/)
  })
})

describe('the encoding of a text (proves: SRCH-01)', () => {
  const narrow = (text: string, from: string) => {
    const table = new Map(
      Array.from({ length: 256 }, (_, byte) => [new TextDecoder(from).decode(Buffer.from([byte])), byte]),
    )
    return Buffer.from(text.split('').map(letter => table.get(letter)!))
  }
  const polish = 'Błąd żółtej części: użyć środka czyszczącego źle.'
  const german = 'Prüfgröße 20 µm – „fünf“ Stück à 3 €'
  const cases: Record<string, [Buffer, string]> = {
    'UTF-8 with a mark': [Buffer.from(`\ufeff${german}`), german],
    'UTF-16 with a mark': [Buffer.from(`\ufeff${polish}`, 'utf16le'), polish],
    'UTF-16 of the other order': [Buffer.from(`\ufeff${polish}`, 'utf16le').swap16(), polish],
    'UTF-16 without a mark': [Buffer.from(german, 'utf16le'), german],
    'Windows-1252': [narrow(german, 'windows-1252'), german],
    'Windows-1250': [narrow(polish, 'windows-1250'), polish],
    'Latin-2': [narrow(polish, 'iso-8859-2'), polish],
    'Shift JIS': [Buffer.from('8ee88f878f91816982c482b682e382f1816a', 'hex'), '手順書（てじゅん）'],
  }
  for (const [name, [bytes, text]] of Object.entries(cases))
    it(`is told where it is ${name}`, async () => assert.equal((await blocksOf(bytes, 'txt'))[0]!.text, text))
})
