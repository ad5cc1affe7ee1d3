import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ended, pdfOf } from '#test/builders/text-files.ts'
import { png } from '#test/faults/hostile-files.ts'
import { openSandbox } from '../sandbox.ts'
import { openTextExtractor } from './index.ts'
import { findOcr } from './ocr.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-pictures-'))
after(() => rmSync(folder, { recursive: true }))
const works = openTextExtractor()
const path = (name: string) => join(folder, name)

before(async () => {
  const typed = await pdfOf([
    pdf =>
      pdf.fontSize(18).text('Wash the hands and disin-').text('fect the gloves.').moveDown().text('Nobody enters.'),
  ])
  writeFileSync(path('typed.pdf'), typed)
  execFileSync('/usr/bin/pdftoppm', ['-r', '120', '-png', '-singlefile', path('typed.pdf'), path('scan')])
  const scan = readFileSync(path('scan.png'))
  const pages = [
    (pdf: PDFKit.PDFDocument) => pdf.image(scan, 0, 0, { width: 612 }),
    (pdf: PDFKit.PDFDocument) => pdf.text('A page that was typed.'),
  ]
  writeFileSync(path('mixed.pdf'), await pdfOf([...pages, pages[0]!]))
})

describe('letters in pictures (proves: SRCH-01)', () => {
  const read = 'Wash the hands and disinfect the gloves.\n\nNobody enters.'

  it('are read, and it is said that they were', async () => {
    assert.deepEqual(await works.extract({ path: path('scan.png'), ending: 'png' }), {
      status: 'extracted',
      reason: null,
      pages: 1,
      by_ocr: true,
      blocks: [{ page: 1, heading: null, text: read }],
    })
  })

  it('are read from the pages of a PDF that are scans, in their places', async () => {
    const { by_ocr, pages, blocks } = await works.extract({ path: path('mixed.pdf'), ending: 'pdf' })
    assert.deepEqual({ by_ocr, pages }, { by_ocr: true, pages: 3 })
    assert.deepEqual(
      blocks.map(({ page, text }) => [page, text]),
      [
        [1, read],
        [2, 'A page that was typed.'],
        [3, read],
      ],
    )
  })

  it('are no text where there are none', async () => {
    writeFileSync(path('dot.png'), png())
    const { status, reason } = await works.extract({ path: path('dot.png'), ending: 'png' })
    assert.notEqual(status, 'extracted')
    assert.match(reason!, /^There are no letters in the picture\.$|could not be told in time\.$/)
  })

  it('are not read where nothing is installed that can, which is said', async () => {
    const without = openTextExtractor({ ocr: null })
    const { status, reason } = await without.extract({ path: path('scan.png'), ending: 'png' })
    assert.equal(without.canRead('png'), false)
    assert.deepEqual(
      { status, reason },
      {
        status: 'no_text',
        reason: 'The file is a picture, and no program that reads letters off pictures is installed here.',
      },
    )
    const mixed = await without.extract({ path: path('mixed.pdf'), ending: 'pdf' })
    assert.equal(mixed.status, 'extracted')
    assert.match(mixed.reason!, /^2 of its pages have no text: if they are pictures, no program/)
  })

  it('are given up in a picture that takes too long, with all that was started for it', async () => {
    const place = path('slow')
    mkdirSync(place)
    const script = `#!/bin/sh\n[ "$1" = --list-langs ] && echo eng && exit\necho $$ > ${place}/pid\nsleep 600\n`
    writeFileSync(join(place, 'tesseract'), script)
    chmodSync(join(place, 'tesseract'), 0o755)
    const slow = openTextExtractor({ ocr: findOcr([place], 2000, openSandbox([])) })
    const { status, reason } = await slow.extract({ path: path('scan.png'), ending: 'png' })
    assert.deepEqual(
      { status, reason },
      { status: 'failed', reason: 'The file cannot be read: the letters of the picture could not be told in time.' },
    )
    const pid = Number(readFileSync(join(place, 'pid'), 'utf8'))
    await ended(pid)
  })
})
