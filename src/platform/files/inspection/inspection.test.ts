import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { AppError } from '#kernel/errors.ts'
import {
  bomb,
  gif,
  greatBomb,
  jpeg,
  localEntry,
  mp4,
  office,
  officeParts,
  openDocument,
  png,
  tiff,
  webp,
  type ZipEntry,
  zipOf,
} from '#test/faults/hostile-files.ts'
import { pdf } from '#test/world/world.ts'
import { knownEndings, requireHead, typeOf } from '../media-type.ts'
import { inspect } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-inspection-'))
after(() => rmSync(folder, { recursive: true }))

/** As an upload is looked at, once it lies in the spool. */
async function look(name: string, content: Buffer, max_bytes = 100 * 1024 * 1024) {
  const path = join(folder, 'received')
  writeFileSync(path, content)
  try {
    const { extension } = typeOf(name, knownEndings)
    await requireHead(content.subarray(0, 4_100), extension)
    const terms = { accepted: knownEndings, max_bytes, max_pdf_pages: 5_000 }
    const outcomeOf = (file: Parameters<typeof inspect>[0]) =>
      inspect(file, extension, terms).then(
        () => undefined,
        (error: Error) => error,
      )
    const [read, held] = [await outcomeOf({ path }), await outcomeOf({ path, whole: content })]
    assert.equal(held?.message, read?.message, 'the same in memory as on the disk')
    if (read) throw read
  } finally {
    assert.deepEqual(readdirSync(folder), ['received'], 'nothing of what was unpacked stays')
  }
}
const refused = (sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.status, 422)
  assert.match(error.message, sentence)
  return true
}

const MiB = 1024 * 1024
const noise = (bytes: number): ZipEntry => ({
  name: 'word/media/image1.jpeg',
  content: randomBytes(bytes),
  isStored: true,
})
const textPdf = (tail: string) => Buffer.concat([pdf(), Buffer.from(tail, 'latin1')])
const nested = (depth: number): Buffer =>
  depth === 0
    ? office('xlsx')
    : office('docx', {
        name: `word/embeddings/inner${depth}.${depth === 1 ? 'xlsx' : 'docx'}`,
        content: nested(depth - 1),
      })
const blanks = { packed: bomb(10 * MiB), claimed: 10 * MiB, crc: crc32(Buffer.alloc(10 * MiB, ' ')) }
const inner: ZipEntry = { name: 'word/b.xml', content: '<b/>' }
const overlapping = [
  ...officeParts('docx'),
  { name: 'word/a.xml', isStored: true, content: localEntry(inner).bytes },
  { ...inner, inside: 3 },
]
const samsung = Buffer.concat([
  Buffer.from('\0\0\x01\x0a\x0e\0\0\0Image_UTC_Data1700000000000'),
  Buffer.from('SEFHxxxxSEFT'),
])
const second = zipOf([{ name: 'a.txt', content: 'x' }])

describe('files as programs and cameras write them are accepted (proves: DOC-07)', () => {
  const accepted: [string, string, Buffer][] = [
    ['a PDF whose last block is filled up', 'a.pdf', textPdf('\r\n\0\0\0\0')],
    ['a PDF that was changed by appending', 'a.pdf', textPdf('5 0 obj<<>>endobj\nxref\n0 0\ntrailer<<>>\n%%EOF')],
    ['a PDF that speaks of encryption', 'a.pdf', pdf('the key /Encrypt names the dictionary, /EncryptMetadata true')],
    [
      'a PDF with a script and an attached archive',
      'a.pdf',
      Buffer.concat([pdf('/JavaScript (app.alert)'), second, pdf('x'.repeat(70_000)).subarray(9)]),
    ],
    ['a Word file', 'a.docx', office('docx', noise(300_000))],
    ['an Excel file', 'a.xlsx', office('xlsx')],
    [
      'a PowerPoint file with the table behind a chart',
      'a.pptx',
      office('pptx', { name: 'ppt/embeddings/Microsoft_Excel_Sheet1.xlsx', content: office('xlsx') }),
    ],
    ['a file in a file in a file', 'a.docx', nested(2)],
    [
      'an old drawing, and an SVG with a document type, in a Word file',
      'a.docx',
      office(
        'docx',
        { name: 'word/media/image1.emz', content: Buffer.from('1f8b0800', 'hex') },
        { name: 'word/media/image2.svg', content: '<!DOCTYPE svg><svg/>' },
      ),
    ],
    [
      'a part that is empty, and a folder',
      'a.docx',
      office('docx', { name: 'word/', isStored: true }, { name: 'word/empty.xml' }),
    ],
    [
      'entries whose sizes follow them',
      'a.docx',
      office('docx', { name: 'x.xml', content: '<x/>', flags: 0x808, gap: Buffer.alloc(16) }),
    ],
    [
      'a table that is very repetitive, but small',
      'a.xlsx',
      office('xlsx', { name: 'xl/worksheets/sheet1.xml', content: Buffer.alloc(5 * MiB, '<c/>') }),
    ],
    ['an OpenDocument text', 'a.odt', openDocument('text')],
    [
      'an OpenDocument spreadsheet with empty lists of macros',
      'a.ods',
      openDocument('spreadsheet', { name: 'Basic/Standard/script-lb.xml', content: '<x/>' }),
    ],
    ['an OpenDocument presentation', 'a.odp', openDocument('presentation')],
    ['a text of more than one piece', 'a.txt', Buffer.from('Größe 検査 '.repeat(60_000))],
    ['a PNG', 'a.png', png()],
    ['a JPEG', 'a.jpg', jpeg()],
    ['a JPEG with a second picture behind it', 'a.jpg', jpeg(Buffer.alloc(500), jpeg())],
    ['a JPEG with the film of a moving picture', 'a.jpg', jpeg(mp4())],
    ['a JPEG of a phone that signs its pictures', 'a.jpg', jpeg(samsung)],
    ['a GIF, filled up', 'a.gif', gif(Buffer.alloc(7))],
    ['a WebP', 'a.webp', webp()],
    ['a TIFF', 'a.tiff', tiff()],
    ['a film', 'a.mp4', mp4()],
    [
      'a ZIP archive of files that could be uploaded one by one',
      'a.zip',
      zipOf(
        [
          { name: 'batch 7/', isStored: true },
          { name: 'batch 7/report.pdf', content: pdf() },
          { name: 'batch 7/sheet.xlsx', content: office('xlsx') },
          { name: 'note.txt', content: 'Größe' },
        ],
        { comment: 'of batch 7' },
      ),
    ],
  ]
  for (const [what, name, content] of accepted) it(what, () => look(name, content))
})

describe('files that are not what they seem are refused, each with what is wrong (proves: DOC-07)', () => {
  const docx = (...more: ZipEntry[]) => office('docx', ...more)
  const withDtd = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><x>&a;</x>'
  const hostile: [string, string, Buffer | (() => Buffer), RegExp][] = [
    ['a PDF that is cut off', 'a.pdf', pdf().subarray(0, -8), /does not end with %%EOF/],
    [
      'a PDF with a page for browsers behind it',
      'a.pdf',
      textPdf('<script>alert(1)</script>'),
      /does not end with %%EOF/,
    ],
    [
      'a PDF behind something else',
      'a.pdf',
      Buffer.concat([Buffer.from('\r\n'), pdf()]),
      /is not that of|does not begin with %PDF-/,
    ],
    ['a PDF that needs a password', 'a.pdf', pdf('\ntrailer<</Encrypt 5 0 R>>'), /The PDF is encrypted/],
    [
      'a PDF that needs a password, said across two pieces',
      'a.pdf',
      pdf(`${'x'.repeat(256 * 1024 - 80)}/Encrypt 5 0 R`),
      /The PDF is encrypted/,
    ],
    [
      'a PDF that is an archive as well',
      'a.pdf',
      Buffer.concat([pdf(), zipOf([{ name: 'run.exe', content: 'MZ' }], { comment: '\n%%EOF\n' })]),
      /hides a ZIP archive/,
    ],
    [
      'a PDF that is an archive as well, with an end that does not fit',
      'a.pdf',
      Buffer.concat([pdf(), second, Buffer.from('\n%%EOF\n')]),
      /hides a ZIP archive/,
    ],
    [
      'a text that is none further on',
      'a.txt',
      Buffer.concat([Buffer.alloc(400_000, 'a'), Buffer.from([0xe4])]),
      /not text in UTF-8 to its end/,
    ],
    [
      'a text that ends in half a character',
      'a.csv',
      Buffer.concat([Buffer.alloc(9_000, 'a'), Buffer.from([0xc3])]),
      /not text in UTF-8 to its end/,
    ],
    [
      'a text with NUL further on',
      'a.md',
      Buffer.concat([Buffer.alloc(9_000, 'a'), Buffer.from([0])]),
      /not text in UTF-8 to its end/,
    ],
    [
      'a text that is an archive as well',
      'a.txt',
      Buffer.concat([Buffer.alloc(9_000, 'a'), second]),
      /not text in UTF-8 to its end/,
    ],
    ['a PNG that is cut off', 'a.png', png().subarray(0, -5), /PNG file is cut off/],
    ['a PNG without its end', 'a.png', png().subarray(0, -12), /PNG file is cut off/],
    ['a PNG with something behind it', 'a.png', png(Buffer.from('<?php')), /follows the end of the PNG/],
    ['a PNG that is an archive as well', 'a.png', png(second), /follows the end of the PNG/],
    ['a JPEG that is cut off', 'a.jpg', jpeg().subarray(0, 200_000), /JPEG file is cut off/],
    ['a JPEG with something behind it', 'a.jpg', jpeg(Buffer.from('<html>')), /follows the end of the JPEG/],
    ['a JPEG that is an archive as well', 'a.jpg', jpeg(second), /follows the end of the JPEG/],
    ['a JPEG whose film is an archive as well', 'a.jpg', jpeg(mp4(), second), /hides a ZIP archive/],
    ['a GIF that is cut off', 'a.gif', gif().subarray(0, -1), /GIF file is cut off/],
    ['a GIF that is a script as well', 'a.gif', gif(Buffer.from('=1;alert(1)')), /follows the end of the GIF/],
    ['a WebP that is cut off', 'a.webp', webp().subarray(0, -4), /WebP file is cut off/],
    ['a WebP with something behind it', 'a.webp', webp(second), /follows the end of the WebP/],
    ['a TIFF whose pages are nowhere', 'a.tif', tiff(9_999), /TIFF file is cut off/],
    ['a TIFF whose pages never end', 'a.tif', tiff(8), /TIFF file is cut off/],
    ['a TIFF that is an archive as well', 'a.tif', Buffer.concat([tiff(), second]), /hides a ZIP archive/],
    ['a film that is cut off', 'a.mp4', mp4().subarray(0, -1), /MP4 file is cut off/],
    ['a film with something behind it', 'a.mp4', mp4(second), /MP4 file is cut off/],

    ['an Office file that is cut off', 'a.docx', docx(noise(10_000)).subarray(0, -100), /cut off or damaged/],
    [
      'an Office file with a changed byte',
      'a.docx',
      (() => {
        const file = docx(noise(10_000))
        file[9_000]! ^= 1
        return file
      })(),
      /image1\.jpeg\\?" in the archive is damaged/,
    ],
    [
      'an Office file behind something else',
      'a.docx',
      zipOf(officeParts('docx'), { before: 'MZ' }),
      /content is that of a \.exe/,
    ],
    [
      'an Office file with something behind it',
      'a.docx',
      Buffer.concat([docx(), Buffer.from('MZ')]),
      /cut off or damaged/,
    ],
    [
      'an Office file with something behind its list',
      'a.docx',
      zipOf(officeParts('docx'), { behindList: 'MZ' }),
      /data that its list of entries does not name/,
    ],
    [
      'an Office file with something between its entries',
      'a.docx',
      docx({ name: 'x.xml', gap: Buffer.from('PK\x03\x04 and a whole entry that no list names') }),
      /data that its list of entries does not name/,
    ],
    ['another kind of Office file', 'a.docx', office('xlsx'), /content is that of a \.xlsx/],
    [
      'another kind of Office file, which the first bytes do not tell',
      'a.docx',
      zipOf([
        { name: '_rels/.rels', content: '<r/>' },
        noise(9_000),
        ...officeParts('xlsx').filter(({ name }) => name !== '_rels/.rels'),
      ]),
      /names another kind of file/,
    ],
    [
      'an Office file without its list of parts',
      'a.docx',
      zipOf([{ name: '_rels/.rels', content: '<r/>' }, noise(9_000)]),
      /list of parts is missing/,
    ],
    ['an Office file with macros', 'a.docx', docx({ name: 'word/vbaProject.bin', content: 'x' }), /has macros/],
    [
      'an Office file with macros under another name',
      'a.docx',
      zipOf(
        officeParts('docx').map(part =>
          part.name === '[Content_Types].xml'
            ? {
                ...part,
                content: `${String(part.content)}<Override ContentType="application/vnd.ms-office.vbaProject"/>`,
              }
            : part,
        ),
      ),
      /has macros/,
    ],
    [
      'an Office file with macros in what was inserted',
      'a.docx',
      docx({ name: 'word/embeddings/a.xlsx', content: office('xlsx', { name: 'xl/vbaProject.bin' }) }),
      /has macros/,
    ],
    [
      'an Office file with old macros of Excel',
      'a.xlsx',
      office('xlsx', { name: 'xl/macrosheets/sheet1.xml', content: '<x/>' }),
      /has macros/,
    ],
    [
      'an Office file with entities',
      'a.docx',
      docx({ name: 'customXml/item1.xml', content: withDtd }),
      /document type \(DTD\)/,
    ],
    [
      'an Office file with entities in UTF-16',
      'a.docx',
      docx({ name: 'customXml/item1.xml', content: Buffer.from(`\uFEFF${withDtd}`, 'utf16le').swap16() }),
      /document type \(DTD\)/,
    ],
    [
      'an Office file with entities across two pieces',
      'a.docx',
      docx({ name: 'customXml/item1.xml', content: `${' '.repeat(64 * 1024 - 4)}${withDtd}` }),
      /document type \(DTD\)/,
    ],
    [
      'an archive where none belongs',
      'a.docx',
      docx({ name: 'word/media/image1.png', content: second }),
      /contains an archive/,
    ],
    ['files in files without end', 'a.docx', nested(5), /more than 3 levels deep/],
    ['an entry outside of the folder', 'a.docx', docx({ name: '../../etc/passwd' }), /without a valid file name/],
    ['an entry at the root', 'a.docx', docx({ name: '/etc/passwd' }), /without a valid file name/],
    ['an entry on a drive of Windows', 'a.docx', docx({ name: 'C:evil.dll' }), /without a valid file name/],
    [
      'an entry with a folder of Windows',
      'a.docx',
      docx({ name: 'word\\..\\..\\evil.dll' }),
      /without a valid file name/,
    ],
    ['an entry with a line end in its name', 'a.docx', docx({ name: 'word/a\nb.xml' }), /without a valid file name/],
    [
      'an entry that is a link',
      'a.docx',
      docx({ name: 'word/link.xml', content: '/etc/passwd', mode: 0o120777 }),
      /without a valid file name/,
    ],
    ['an entry that is there twice', 'a.docx', docx({ name: 'WORD/document.xml', content: '<other/>' }), /twice/],
    ['an entry with two names', 'a.docx', docx({ name: 'word/a.xml', localName: 'word/b.xml' }), /contradicts itself/],
    ['an entry that needs a password', 'a.docx', docx({ name: 'word/a.xml', flags: 0x801 }), /protected by a password/],
    [
      'an entry with strong encryption',
      'a.docx',
      docx({ name: 'word/a.xml', flags: 0x840 }),
      /protected by a password/,
    ],
    [
      'an entry that is compressed in another way',
      'a.docx',
      docx({ name: 'word/a.xml', method: 12 }),
      /compressed by a method/,
    ],
    [
      'an OpenDocument file that needs a password',
      'a.odt',
      zipOf([
        { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text', isStored: true },
        { name: 'META-INF/manifest.xml', content: '<manifest:encryption-data/>' },
      ]),
      /protected by a password/,
    ],
    [
      'an OpenDocument file with macros',
      'a.odt',
      openDocument('text', { name: 'Basic/Standard/Module1.xml', content: '<x/>' }),
      /has macros/,
    ],
    ['an OpenDocument file of another kind', 'a.odt', openDocument('spreadsheet'), /content is that of a \.ods/],
    [
      'an Office file with the head of an old one',
      'a.docx',
      Buffer.from('d0cf11e0a1b11ae1' + '00'.repeat(600), 'hex'),
      /old or password-protected Office file/,
    ],
    [
      'a ZIP archive with a program',
      'a.zip',
      zipOf([{ name: 'run.exe', content: 'MZ' }]),
      /run\.exe.* Files that end in \.exe are not accepted/,
    ],
    [
      'a ZIP archive with a program that is called a PDF',
      'a.zip',
      zipOf([{ name: 'x/run.pdf', content: 'MZ\x90\0'.repeat(20) }]),
      /x\/run\.pdf.* its content is/,
    ],
    [
      'a ZIP archive in a ZIP archive',
      'a.zip',
      zipOf([{ name: 'b.zip', content: second }]),
      /Files that end in \.zip are not accepted/,
    ],
    [
      'a ZIP archive with a page for browsers',
      'a.zip',
      zipOf([{ name: 'page.svg', content: '<svg/>' }]),
      /Files that end in \.svg/,
    ],
    ['an empty ZIP archive', 'a.zip', zipOf([]), /empty|content is/],

    [
      'a bomb that says how large it is',
      'a.docx',
      docx({ name: 'word/b.xml', packed: bomb(300 * MiB), claimed: 300 * MiB }),
      /inflates to more than/,
    ],
    [
      'a bomb that says that it is small',
      'a.docx',
      docx({ name: 'word/b.xml', packed: bomb(300 * MiB), claimed: 100 }),
      /gives a wrong size/,
    ],
    [
      'a bomb of 10 GB that says that it is 150 MiB',
      'a.docx',
      () => docx({ name: 'word/b.xml', packed: greatBomb(), claimed: 150 * MiB }),
      /gives a wrong size/,
    ],
    [
      'a bomb of many parts',
      'a.docx',
      docx(...Array.from({ length: 30 }, (_, n) => ({ name: `word/b${n}.xml`, ...blanks }))),
      /inflates to more than/,
    ],
    [
      'a bomb in what was inserted',
      'a.docx',
      docx({
        name: 'word/embeddings/a.xlsx',
        content: office('xlsx', { name: 'xl/b.xml', packed: bomb(150 * MiB), claimed: 150 * MiB }),
      }),
      /inflates to more than/,
    ],
    ['entries that overlap', 'a.docx', zipOf(overlapping), /overlap/],
    [
      'more entries than any file has',
      'a.docx',
      docx(...Array.from({ length: 2_000 }, (_, n) => ({ name: `word/${n}.xml` }))),
      /more than 2000 entries/,
    ],
  ]
  for (const [what, name, content, sentence] of hostile)
    it(what, () => assert.rejects(look(name, typeof content === 'function' ? content() : content), refused(sentence)))
})

describe('a page of HTML (proves: DOC-07)', () => {
  const page = (body: string) =>
    Buffer.from(`<!doctype html><html><head><title>SOP</title></head><body>${body}</body></html>`)

  it('is accepted where it only shows something', async () => {
    const body =
      '<h1 style="color:red">Gowning</h1><!-- owner: QA --><a href="https://x.example/a?b=1">x</a><a href="#top">up</a><a href="other.html">y</a><img src="data:image/png;base64,AAAA" alt="a > b"><p>on time = 5'
    await look('page.html', page(body))
    await look('PAGE.HTM', Buffer.from('\ufeff<!-- saved -->\n<html><body>text</body></html>'))
  })

  const hostile: Record<string, string> = {
    'a script': '<script>alert(1)</script>',
    'a script whose name is written otherwise': '<ScRiPt/x>alert(1)</ScRiPt>',
    'a script that is not ended': '<script src=//x.example/a',
    'an event': '<p OnClick = "alert(1)">x',
    'an event without blanks': '<img/src="a"/onerror=alert(1)>',
    'an event behind a bracket in quotes': '<img alt=">" onerror=alert(1)>',
    'an address that is a script': '<a href="  jav&#x09;ascript:alert(1)">x</a>',
    'an address that is a page': '<a href="data:text/html,<script>1</script>">x</a>',
    'another page': '<iframe src="a.html"></iframe>',
    'an object': '<object data="a.swf"></object>',
    'a drawing': '<svg><a xlink:href="javascript:alert(1)"/></svg>',
    'a form': '<form action="https://x.example"><input name=password></form>',
    'a page that follows by itself': '<meta http-equiv="Refresh" content="0;url=https://x.example">',
    'a remark that ends earlier for a browser': '<!--><img src=x onerror=alert(1)>-->',
    'a remark that ends otherwise for a browser': '<!-- --!><img src=x onerror=alert(1)> -->',
    'what some take for text': '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    'a section of XML': '<![CDATA[><img src=x onerror=alert(1)>]]>',
  }
  for (const [what, body] of Object.entries(hostile))
    it(`is refused with ${what}`, () =>
      assert.rejects(
        look('page.html', page(body)),
        refused(/^body\.file: The page (has the element|would run|has a comment)/),
      ))

  it('is refused where it is something else', async () => {
    for (const content of ['just text', '<svg onload="alert(1)"/>', '<?xml version="1.0"?><html/>', '%PDF-1.7'])
      await assert.rejects(look('page.html', Buffer.from(content)), refused(/not that of a web page/))
    await assert.rejects(look('page.html', Buffer.from('<html>\xe4', 'latin1')), refused(/not text in UTF-8/))
  })
})
