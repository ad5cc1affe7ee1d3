// proves: DOC-03 (renditions of whatever was uploaded)
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { degrees, PDFDocument, PDFName, PDFNumber, StandardFonts } from '@cantoo/pdf-lib'
import { attachmentsOf, pagesOf } from '#test/builders/pdf.ts'
import { makePdfHere } from '#test/world/make-pdf.ts'
import type { PdfJob } from './job.ts'
import { openPdfRenderer, type PdfRenderer, type Rendition } from './rendition.ts'
import { inThread, NotPages } from './thread.ts'

const MiB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'attest-pdf-'))
after(() => rmSync(folder, { recursive: true }))

const works = openPdfRenderer({ make: makePdfHere })
/** As the service makes them. */
const threads = openPdfRenderer()

const info = { title: 'SOP-0001', subject: 'OBSOLETE', author: 'Uma', created_at: '2026-01-01T00:00:00Z' }
const frame: Omit<Rendition, 'file'> = {
  language: 'en',
  cover: [{ kind: 'title', text: 'SOP-0001 version 1.0' }],
  sheets: [{ kind: 'title', text: 'Signatures' }],
  stamp: {
    head: { left: 'SOP-0001  version 1.0', right: 'OBSOLETE', below: 'Cleaning of line 1' },
    foot: { first: 'Printed by Uma Example', last: 'Effective date: 2026-01-01' },
    across: 'OBSOLETE',
  },
  info,
}

let count = 0
async function render(
  bytes: Uint8Array,
  {
    content_type = 'application/pdf',
    by = works,
    ...more
  }: Partial<Rendition> & { content_type?: string; by?: PdfRenderer } = {},
) {
  const path = join(folder, `file-${++count}`)
  writeFileSync(path, bytes)
  return by.render({
    file: { path, name: 'original', content_type, size_bytes: bytes.length },
    ...frame,
    ...more,
  })
}

/** A PDF of pages that are each made odd in their way. */
async function odd(...change: ((page: ReturnType<PDFDocument['addPage']>, pdf: PDFDocument) => void)[]) {
  const pdf = await PDFDocument.create()
  const font = await pdf.embedFont(StandardFonts.Helvetica)
  for (const each of change) {
    const page = pdf.addPage([300, 400])
    page.drawText('The original', { font, size: 12, x: 40, y: 200 })
    each(page, pdf)
  }
  return pdf.save()
}

/** Every page of a rendition has its stamp, and the original's text. */
function requireStamped(pages: string[], { shown = pages.length - 1 } = {}) {
  for (const [at, page] of pages.entries()) {
    assert.match(page, new RegExp(`Page ${at + 1} of ${pages.length}`), page)
    assert.equal(page.match(/OBSOLETE/g)?.length, 2, page)
    if (at < shown) assert.match(page, /The original/)
  }
}

describe('pages are stamped', () => {
  it('whichever way they are turned, wherever they begin, and however small or large they are', async () => {
    const bytes = await odd(
      page => page.setRotation(degrees(90)),
      page => page.setRotation(degrees(180)),
      page => page.setRotation(degrees(270)),
      page => page.setRotation(degrees(-90)),
      page => page.setMediaBox(-100, -200, 500, 700),
      page => page.setCropBox(20, 150, 200, 120),
      page => page.setCropBox(5_000, 5_000, 10, 10), // beyond the page
      page => page.setMediaBox(0, 0, 100, 250),
      page => page.setMediaBox(0, 0, 5_000, 7_000),
      page => page.node.set(PDFName.of('MediaBox'), PDFNumber.of(7)),
      page => page.node.delete(PDFName.of('MediaBox')),
      page => page.node.set(PDFName.of('UserUnit'), PDFNumber.of(10)),
      page => page.node.set(PDFName.of('Rotate'), PDFNumber.of(45)),
    )
    const { bytes: made, pages } = await render(bytes, { by: threads })
    assert.equal(pages, 14)
    requireStamped(await pagesOf(made))
  })

  it('as large as they were, with the stamp beside what they show and not on it', async () => {
    const { bytes } = await render(
      await odd(
        page => page.setSize(600, 800),
        page => page.setRotation(degrees(90)),
      ),
    )
    const pdf = await PDFDocument.load(bytes)
    assert.deepEqual(pdf.getPage(0).getSize(), { width: 600, height: 866 })
    assert.deepEqual(pdf.getPage(1).getSize(), { width: 366, height: 400 }, 'turned: it grows at its sides')
  })

  it('whatever the original left turned, clipped or unbalanced', async () => {
    const bytes = await odd(page => {
      page.node.set(
        PDFName.of('Contents'),
        page.doc.context.register(
          page.doc.context.stream(
            'q q 0.01 0 0 0.01 5000 5000 cm 0 0 1 1 re W n 1 1 1 rg BT /F1 1 Tf (The original) Tj',
          ),
        ),
      )
    })
    const made = await render(bytes)
    const pages = await pagesOf(made.bytes)
    assert.match(pages[0]!, /Page 1 of 2/)
    assert.match(pages[0]!, /OBSOLETE/)
  })

  it('where they are blank', async () => {
    const bytes = await odd(page => page.node.delete(PDFName.of('Contents')))
    requireStamped(await pagesOf((await render(bytes)).bytes), { shown: 0 })
  })

  it('hundreds of them', async () => {
    const bytes = await odd(...Array.from({ length: 200 }, () => () => {}))
    const { pages, bytes: made } = await render(bytes)
    assert.equal(pages, 201)
    const some = await PDFDocument.load(made)
    assert.equal(some.getPageCount(), 201)
  })

  it('of a form, with what was filled in', async () => {
    const pdf = await PDFDocument.create()
    const page = pdf.addPage([400, 400])
    const field = pdf.getForm().createTextField('batch')
    field.setText('Batch 4711')
    field.addToPage(page, { x: 50, y: 200, width: 200, height: 30 })
    const made = await PDFDocument.load((await render(await pdf.save())).bytes)
    assert.equal(made.getForm().getTextField('batch').getText(), 'Batch 4711')
  })

  it('of a PDF that is locked against changes, and none of one that takes a password to open', async () => {
    const locked = async (passwords: { userPassword?: string; ownerPassword: string }) => {
      const pdf = await PDFDocument.load(await odd(() => {}))
      pdf.encrypt({ ...passwords, permissions: { modifying: false } })
      return pdf.save()
    }
    requireStamped(await pagesOf((await render(await locked({ ownerPassword: 'owner' }))).bytes))
    const bytes = await locked({ userPassword: 'user', ownerPassword: 'owner' })
    const closed = await render(bytes)
    assert.match((await pagesOf(closed.bytes))[0]!, /The file is not shown here/)
    assert.ok(Buffer.from(bytes).equals((await attachmentsOf(closed.bytes)).get('original')!))
  })

  it('of which nothing runs when the copy is opened', async () => {
    const bytes = await odd((_, pdf) => pdf.addJavaScript('main', 'app.alert(1)'))
    assert.match(Buffer.from(bytes).toString('latin1'), /JavaScript/)
    const made = await PDFDocument.load((await render(bytes)).bytes)
    const names = made.catalog.lookup(PDFName.of('Names')) as unknown as { get(name: PDFName): unknown } | undefined
    assert.equal(names?.get(PDFName.of('JavaScript')), undefined)
    assert.equal(made.catalog.get(PDFName.of('OpenAction')), undefined)
  })

  it('with the data of the copy, not of the original', async () => {
    const made = await PDFDocument.load((await render(await odd((_, pdf) => pdf.setTitle('Secret')))).bytes, {
      updateMetadata: false,
    })
    assert.equal(made.getTitle(), 'SOP-0001')
    assert.equal(made.getProducer(), 'Attest')
    assert.equal(made.getCreationDate()?.toISOString(), '2026-01-01T00:00:00.000Z')
  })
})

describe('a file that cannot be shown', () => {
  const notShown = async (bytes: Uint8Array, more: { content_type?: string; by?: PdfRenderer }, why: RegExp) => {
    const made = await render(bytes, more)
    const pages = await pagesOf(made.bytes)
    assert.match(pages[0]!, why)
    assert.match(pages[0]!, /SOP-0001 version 1\.0/)
    assert.match(pages.at(-1)!, /Signatures/)
    assert.ok(Buffer.from(bytes).equals((await attachmentsOf(made.bytes)).get('original')!))
  }

  it('breaks the lines of a text between words, and within a word only if it is longer than a line', async () => {
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`)
    const text = `${words.join(' ')}\n${' '.repeat(300)}\n    ${'x'.repeat(250)}\n${'two  '.repeat(40)}`
    const { bytes } = await render(Buffer.from(text), { content_type: 'text/plain' })
    const shown = (await pagesOf(bytes))[0]!
    assert.deepEqual(shown.match(/word\S*/g), words, 'each word whole and once')
    assert.equal(shown.match(/xx+/g)?.join('').length, 250)
    assert.equal(shown.match(/two/g)?.length, 40)
  })

  it('is attached to a cover that says why: of a kind that has no pages, damaged, or no text at all', async () => {
    await notShown(Buffer.from('x'), { content_type: 'application/octet-stream' }, /no way to show a file of this kind/)
    await notShown(Buffer.from('%PDF-1.7 broken'), { by: threads }, /could not be read/)
    await notShown(Buffer.from('broken'), { content_type: 'image/png' }, /could not be read/)
    await notShown(Buffer.from([0x41, 0xff, 0xfe]), { content_type: 'text/plain' }, /could not be read/)
    await notShown(Buffer.alloc(5 * MiB, 'a'), { content_type: 'text/plain' }, /text of more than 4 MiB/)
  })

  it('is attached where LibreOffice would be needed and is not installed', async () => {
    const without = openPdfRenderer({ office: [], make: makePdfHere })
    const path = join(folder, 'a.docx')
    writeFileSync(path, 'PK')
    const made = await without.render({
      file: {
        path,
        name: 'a.docx',
        content_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        size_bytes: 2,
      },
      ...frame,
    })
    assert.match((await pagesOf(made.bytes))[0]!, /showing it takes LibreOffice, which is not installed here/)
  })

  it('is named alone where it is too large', async () => {
    const made = await works.render({
      file: { path: undefined, name: 'large.pdf', content_type: 'application/pdf', size_bytes: 2 ** 30 },
      ...frame,
    })
    assert.match((await pagesOf(made.bytes))[0]!, /larger than 64 MiB.*too large to be attached/)
    assert.equal((await attachmentsOf(made.bytes)).size, 0)
  })
})

describe('a file that was made to do harm fails alone', () => {
  const jobOf = (bytes: Uint8Array) => {
    const path = join(folder, `hostile-${++count}`)
    writeFileSync(path, bytes)
    return { source: { kind: 'pdf' as const, path }, info }
  }

  it('when it takes too long', async () => {
    const job = jobOf(await odd(...Array.from({ length: 500 }, () => () => {})))
    await assert.rejects(inThread(job, { longest_ms: 50, most_memory_mb: 512 }), (error: Error) => {
      assert.ok(error instanceof NotPages)
      assert.match(error.message, /too long/)
      return true
    })
  })

  it('when it unpacks to more than there is memory for', async () => {
    const most_memory_mb = 64
    const pdf = await PDFDocument.create()
    const page = pdf.addPage()
    const bomb = pdf.context.register(pdf.context.flateStream(Buffer.alloc(most_memory_mb * MiB)))
    page.node.set(PDFName.of('Contents'), pdf.context.obj([bomb, bomb, bomb, bomb]))
    const bytes = await pdf.save()
    assert.ok(bytes.length < MiB / 2)
    let turns = 0
    const timer = setInterval(() => turns++, 10)
    const make = (job: PdfJob) => inThread(job, { longest_ms: 60_000, most_memory_mb })
    const { pages } = await render(bytes, { by: openPdfRenderer({ make }) })
    clearInterval(timer)
    assert.equal(pages, 2, 'the cover and the signatures')
    assert.ok(turns > 20, `the service goes on meanwhile: ${turns}`)
  })
})
