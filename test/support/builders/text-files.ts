import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import Pdf from 'pdfkit'
import { type ZipEntry, zipOf } from '../faults/hostile-files.ts'

/** A PDF of pages that each write themselves. */
export async function pdfOf(
  pages: readonly ((pdf: typeof Pdf.prototype) => void)[],
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  const pdf = new Pdf({ autoFirstPage: false, ...options })
  const pieces: Buffer[] = []
  pdf.on('data', (piece: Buffer) => pieces.push(piece))
  const ended = new Promise(resolve => pdf.once('end', resolve))
  for (const write of pages) {
    pdf.addPage()
    write(pdf)
  }
  pdf.end()
  await ended
  return Buffer.concat(pieces)
}

/** The parts that lead from one to the others, as `word/_rels/document.xml.rels`. */
export const relations = (of: string, targets: Record<string, [kind: string, target: string]>): ZipEntry => ({
  name: of.replace(/([^/]*)$/, '_rels/$1.rels'),
  content: `<Relationships>${Object.entries(targets)
    .map(
      ([id, [kind, target]]) => `<Relationship Id="${id}" Type="http://x/relationships/${kind}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`,
})

/** An Office file whose main part is this. */
export function officeFile(kind: 'docx' | 'xlsx' | 'pptx', main: string, ...more: ZipEntry[]): Buffer {
  const path = { docx: 'word/document.xml', xlsx: 'xl/workbook.xml', pptx: 'ppt/presentation.xml' }[kind]
  return zipOf([{ name: path, content: main }, relations('', { r: ['officeDocument', path] }), ...more])
}

export const openDocumentFile = (content: string) =>
  zipOf([{ name: 'content.xml', content: `<?xml version="1.0"?><o:document-content>${content}</o:document-content>` }])

/** Until a process does nothing any more: one that has ended may wait for somebody to ask how. */
export async function ended(pid: number, within_ms = 60_000) {
  const isRunning = () =>
    /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim())
  for (const deadline = performance.now() + within_ms; isRunning(); await setTimeout(20))
    assert.ok(performance.now() < deadline, `not within ${within_ms} ms`)
}

/** A PDF byte by byte, because no writer of PDFs writes wrong ones: the first object is its catalogue, the second its pages. */
export function rawPdf(...objects: (string | Buffer)[]): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')]
  const places: number[] = []
  let end = parts[0]!.length
  for (const [at, object] of objects.entries()) {
    const bytes = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    places.push(end)
    parts.push(bytes)
    end += bytes.length
  }
  const list = places.map(place => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${list}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${end}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

/** One page with this content. */
export const pageWith = (content: Buffer, dictionary = '') =>
  rawPdf(
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>',
    Buffer.concat([
      Buffer.from(`<</Length ${content.length}${dictionary}>>stream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
  )
