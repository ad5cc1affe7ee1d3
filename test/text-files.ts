import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import Pdf from 'pdfkit'
import { type ZipEntry, zipOf } from './hostile-files.ts'

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
export async function ended(pid: number, within_ms = 15_000) {
  const isRunning = () =>
    /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim())
  for (const deadline = performance.now() + within_ms; isRunning(); await setTimeout(20))
    assert.ok(performance.now() < deadline, `not within ${within_ms} ms`)
}
