// The time to read the text of files, the share of it that starting a process for each takes, and the memory that the service keeps.
//
//   node bench/text-extraction.ts
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ending } from '#platform/files/media-type.ts'
import { openTextExtractor } from '#platform/text-extraction/index.ts'
import { readers } from '#platform/text-extraction/readers.ts'
import { openWriter } from '#platform/text-extraction/writer.ts'
import { pdfOf } from '#test/builders/text-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-bench-'))
const works = openTextExtractor()
const words = 'The operator wipes every surface with a cloth and writes down the time, the lot and the name. '

async function file(name: string, pages: number) {
  const path = join(folder, name)
  const write = (pdf: PDFKit.PDFDocument) => pdf.fontSize(16).text('Cleaning').fontSize(10).text(words.repeat(32))
  writeFileSync(path, await pdfOf(Array.from({ length: pages }, () => write)))
  return path
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
async function timesOf(work: () => Promise<unknown>, rounds: number) {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    await work()
    times.push(performance.now() - begun)
  }
  return { median: median(times), most: Math.max(...times) }
}
const shown = ({ median, most }: { median: number; most: number }) =>
  `${median.toFixed(0)} ms (at most ${most.toFixed(0)})`

/** As in a process that is there already, and was warmed up by other files. */
async function readHere(path: string, ending: Ending) {
  const descriptor = openSync(path, 'r')
  const writer = openWriter(() => {})
  await (await readers[ending]!())(descriptor, writer, { maxPdfPages: Number.POSITIVE_INFINITY })
  writer.end()
  closeSync(descriptor)
}
const memory = () => `${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MiB`

try {
  const text = join(folder, 'note.txt')
  writeFileSync(text, words.repeat(10))
  const short = await file('short.pdf', 3)
  const usual = await file('usual.pdf', 200)
  const endless = await file('endless.pdf', 5_000)
  const before = memory()
  console.log(`a note of a page: ${shown(await timesOf(() => works.extract({ path: text, ending: 'txt' }), 15))}`)
  console.log(`a PDF of 3 pages: ${shown(await timesOf(() => works.extract({ path: short, ending: 'pdf' }), 15))}`)
  const long = await timesOf(() => works.extract({ path: usual, ending: 'pdf' }), 5)
  console.log(`a PDF of 200 pages: ${shown(long)}, ${(200_000 / long.median).toFixed(0)} pages a second`)
  const begun = performance.now()
  const { status, reason, blocks } = await works.extract({ path: endless, ending: 'pdf' })
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  console.log(`a PDF of 5,000 pages: ${status} after ${seconds} s, ${blocks.length} blocks. ${reason}`)
  console.log(`the service's memory: ${before} before, ${memory()} after`)
  await readHere(short, 'pdf')
  console.log(`the PDF of 3 pages in a process that stays: ${shown(await timesOf(() => readHere(short, 'pdf'), 15))}`)
} finally {
  rmSync(folder, { recursive: true })
}
