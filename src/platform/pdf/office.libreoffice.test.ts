// proves: DOC-03 (renditions of Office files)
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import yazl from 'yazl'
import { pagesOf } from '#test/builders/pdf.ts'
import { openOffice } from './office.ts'
import { NotPages } from './thread.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-office-test-'))
after(() => rmSync(folder, { recursive: true }))
// Not where other suites, which convert files as well, have theirs.
const temporary = join(folder, 'temporary')
mkdirSync(temporary)
const leftovers = () => readdirSync(temporary)

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'

/** A text of Word, with a picture that is somewhere else if `link` says where. */
async function textOf(words: string, link?: string): Promise<Buffer> {
  const picture = link
    ? `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="p"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="rId9"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
    : ''
  const zip = new yazl.ZipFile()
  const add = (name: string, text: string) =>
    zip.addBuffer(Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`), name)
  add(
    '[Content_Types].xml',
    `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${docx}.main+xml"/></Types>`,
  )
  add(
    '_rels/.rels',
    `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
  )
  add(
    'word/document.xml',
    `<w:document xmlns:w="${word}" xmlns:r="${relations}"><w:body><w:p><w:r><w:t>${words}</w:t></w:r></w:p>${picture}</w:body></w:document>`,
  )
  if (link)
    add(
      'word/_rels/document.xml.rels',
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId9" Type="${relations}/image" Target="${link}" TargetMode="External"/></Relationships>`,
    )
  zip.end()
  return buffer(zip.outputStream as Readable)
}

let count = 0
async function convert(bytes: Buffer, content_type = docx) {
  const path = join(folder, `file-${++count}`)
  writeFileSync(path, bytes)
  const { path: made, discard } = await openOffice(undefined, temporary).toPdf(path, content_type)
  try {
    return readFileSync(made)
  } finally {
    await discard()
  }
}

describe('LibreOffice', () => {
  it('makes pages of a text, and leaves nothing behind', async () => {
    assert.match((await pagesOf(await convert(await textOf('Zażółć gęślą jaźń'))))[0]!, /Zażółć gęślą jaźń/)
    assert.deepEqual(leftovers(), [])
  })

  it('makes pages of one file at a time, whoever asks at once', async () => {
    const all = await Promise.all(
      ['one', 'two', 'three'].map(async words => pagesOf(await convert(await textOf(words)))),
    )
    assert.deepEqual(
      all.flat().map(text => text.trim()),
      ['one', 'two', 'three'],
    )
  })

  it('fetches nothing that a file points at', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      assert.match(
        (await pagesOf(await convert(await textOf('linked', `http://127.0.0.1:${port}/spy.png`))))[0]!,
        /linked/,
      )
      assert.deepEqual(asked, [])
    } finally {
      server.close()
    }
  })

  it('fails alone on what it cannot read', async () => {
    await assert.rejects(convert(Buffer.from('PK nothing')), NotPages)
    assert.deepEqual(leftovers(), [])
  })
})
