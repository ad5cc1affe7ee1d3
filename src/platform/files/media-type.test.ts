import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import type { AppError } from '#kernel/errors.ts'
import { requireHead, typeOf, usualEndings } from './media-type.ts'

const head_bytes = 4_100
async function sniff(head: Buffer, name: string) {
  const type = typeOf(name, usualEndings)
  await requireHead(head, type.extension)
  return type
}
const pdf = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n', 'latin1')
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const jpg = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(64)])
const main: Record<string, string> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  docm: 'application/vnd.ms-word.document.macroEnabled',
}
const contentTypes = (kind: string, parts = 0) =>
  '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
  Array.from({ length: parts }, (_, n) => `<Override PartName="/p${Math.sin(n)}" ContentType="application/xml"/>`).join(
    '',
  ) +
  `<Override PartName="/main.xml" ContentType="${main[kind]}.main+xml"/></Types>`

/** The first bytes of a ZIP archive with these entries, as one local header after the other. */
function zip(...entries: [string, string | Buffer][]) {
  return Buffer.concat(
    entries.flatMap(([name, content]) => {
      const packed = deflateRawSync(content)
      const header = Buffer.alloc(30)
      header.write('PK\x03\x04', 'latin1')
      header.writeUInt16LE(20, 4)
      header.writeUInt16LE(8, 8)
      header.writeUInt32LE(packed.length, 18)
      header.writeUInt32LE(Buffer.byteLength(content), 22)
      header.writeUInt16LE(name.length, 26)
      return [header, Buffer.from(name), packed]
    }),
  ).subarray(0, head_bytes)
}
const office = (kind: string) => zip(['[Content_Types].xml', contentTypes(kind)], ['_rels/.rels', '<Relationships/>'])

const refused = (status: number, sentence: RegExp) => (error: AppError) =>
  error.status === status && sentence.test(error.message)

describe('what may be uploaded (proves: DOC-07)', () => {
  const accepted: [string, Buffer, string, string?][] = [
    ['SOP.pdf', pdf, 'application/pdf'],
    ['sop.PDF', pdf, 'application/pdf'],
    ['sop.docx', office('docx'), main.docx!],
    ['list.xlsx', office('xlsx'), main.xlsx!],
    ['slides.pptx', office('pptx'), main.pptx!],
    ['photo.png', png, 'image/png'],
    ['photo.jpg', jpg, 'image/jpeg'],
    ['photo.jpeg', jpg, 'image/jpeg', 'jpg'],
    ['note.txt', Buffer.from('BMI of the patient: 22 µg'), 'text/plain'],
    ['list.csv', Buffer.from('\uFEFFNumber;Größe\r\n1;2\r\n'), 'text/csv'],
    ['readme.md', Buffer.from('<!-- owner: QA -->\n# Cleaning\n<b>Wipe</b> first'), 'text/markdown'],
  ]
  for (const [name, bytes, content_type, extension = name.split('.')[1]!.toLowerCase()] of accepted) {
    it(`takes ${name} as ${content_type}`, async () =>
      assert.deepEqual(await sniff(bytes, name), { content_type, extension }))
  }

  it('takes an Office file whose list of parts comes last, or is too long for the first bytes', async () => {
    const thumbnail = Buffer.from(Array.from({ length: 5_000 }, (_, n) => Math.abs(Math.sin(n) * 1e6) & 255))
    await sniff(zip(['_rels/.rels', '<r/>'], ['word/document.xml', thumbnail]), 'libre.docx')
    await sniff(zip(['docProps/thumbnail.jpeg', thumbnail]), 'picture-first.pptx')
    await sniff(zip(['[Content_Types].xml', contentTypes('pptx', 2_000)]), 'long.pptx')
  })

  it('takes a text that is cut in the middle of a character', async () => {
    await sniff(Buffer.from(`${'a'.repeat(head_bytes - 1)}é`).subarray(0, head_bytes), 'long.txt')
  })

  it('refuses every other kind of file, and says which are accepted', async () => {
    for (const name of [
      'image.svg',
      'run.exe',
      'old.doc',
      'macro.docm',
      'archive.zip',
      'x.xml',
      'x.__proto__',
      'x.constructor',
      'pdf',
      'x.',
    ]) {
      await assert.rejects(
        sniff(pdf, name),
        refused(415, /not accepted. Choose one of these types: pdf, docx, xlsx, pptx, txt, csv, md, png, jpg\.$/),
        name,
      )
    }
  })

  const disagreeing: [string, Buffer][] = [
    ['sop.pdf', png],
    ['sop.pdf', Buffer.from('<html><script>alert(1)</script></html>')],
    ['sop.pdf', Buffer.from('just text')],
    ['photo.png', jpg],
    ['photo.jpg', pdf],
    ['sop.docx', office('xlsx')],
    ['sop.docx', office('docm')],
    ['sop.docx', zip(['run.exe', 'MZ'])],
    ['sop.docx', Buffer.from('d0cf11e0a1b11ae1' + '00'.repeat(64), 'hex')],
    ['sop.pdf', office('docx')],
    ['note.txt', pdf],
    ['note.txt', png],
    ['note.txt', Buffer.from('a\0b')],
    ['note.txt', Buffer.from('Gr\xf6\xdfe', 'latin1')],
    ['note.txt', Buffer.from('wide', 'utf16le')],
    ['note.txt', Buffer.from('{\\rtf1 hello}')],
    ['note.txt', Buffer.from('\uFEFF \n<!DOCTYPE html><p>')],
    ['note.md', Buffer.from('<svg onload="alert(1)">')],
    ['note.md', Buffer.from('<script>alert(1)</script>')],
    ['list.csv', Buffer.from('<?xml version="1.0"?><svg/>')],
  ]
  for (const [name, bytes] of disagreeing) {
    it(`refuses ${name} that begins with ${JSON.stringify(bytes.toString('latin1', 0, 12))}`, () =>
      assert.rejects(
        sniff(bytes, name),
        refused(
          422,
          new RegExp(`^body.file: The name of the file ends in \\.${name.split('.')[1]}, but its content is `),
        ),
      ))
  }

  it('refuses an empty file', () =>
    assert.rejects(sniff(Buffer.alloc(0), 'sop.pdf'), refused(422, /The file is empty/)))
})
