// How long the signed copy of a PDF of 100 pages takes, what memory, and what others notice meanwhile; and what the dossier of a large
// file takes. By hand, on Linux: node bench/renditions.ts [MiB]
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import PDFDocument from 'pdfkit'
import { MiB, makeLarge, median, openService, percentile, residentOf, waitsDuring, watched } from './service.ts'

const size_mib = Number(process.argv[2] ?? 1024)
const rounds = 5
const pages = 100
const quiet_ms = 3_000
const folder = mkdtempSync(join(tmpdir(), 'attest-bench-renditions-'))

/** A page of text each, as a procedure is. */
async function makePaper(path: string) {
  const pdf = new PDFDocument({ autoFirstPage: false })
  const written = pipeline(pdf as unknown as Readable, createWriteStream(path))
  for (let page = 1; page <= pages; page++) {
    pdf.addPage().fontSize(16).text(`Section ${page}`).fontSize(10)
    for (let line = 0; line < 40; line++)
      pdf.text(`${page}.${line} Rinse with purified water for ${line} minutes, and record it.`)
  }
  pdf.end()
  await written
}

const service = await openService(join(folder, 'data'))
try {
  /** To its end, of which nothing is kept. */
  const sizeOf = async (path: string) => {
    let bytes = 0
    for await (const chunk of (await service.get(path)).body!) bytes += (chunk as Uint8Array).length
    return bytes
  }

  const paper = join(folder, 'paper.pdf')
  await makePaper(paper)
  const id = await service.upload(paper)
  const copy = () => sizeOf(`/documents/${id}/download?rendition=signed`)
  const size = await copy() // what is loaded and reserved once
  const before_mib = residentOf(service.pid)
  const found = []
  // As somebody asks who has read the one before, and not as a machine does.
  for (let round = 0; round < rounds; round++) {
    await setTimeout(quiet_ms)
    found.push(await watched(service.pid, copy))
  }
  const times_ms = found.map(({ seconds }) => seconds * 1000)
  console.log(
    `signed copy of ${pages} pages (${(size / 1024).toFixed(0)} KiB), ${rounds} times, ${quiet_ms / 1000} s apart:`,
  )
  console.log(
    `  median ${median(times_ms).toFixed(0)} ms (${Math.min(...times_ms).toFixed(0)} to ${Math.max(...times_ms).toFixed(0)})`,
  )
  console.log(
    `  resident memory of the service ${before_mib.toFixed(0)} MiB before, ${Math.max(...found.map(({ peak_mib }) => peak_mib)).toFixed(0)} MiB at its peak`,
  )
  const idle = await waitsDuring(service, () => setTimeout(quiet_ms))
  const busy = await waitsDuring(service, async () => {
    for (let round = 0; round < rounds; round++) await copy()
  })
  console.log(
    `GET /api/documents/ by another: p99 ${percentile(idle, 0.99).toFixed(1)} ms, while copies are made ${percentile(busy, 0.99).toFixed(1)} ms`,
  )

  const large = join(folder, 'large.pdf')
  await makeLarge(large, size_mib)
  const record = await service.upload(large)
  const idle_mib = residentOf(service.pid)
  const { seconds, peak_mib, result } = await watched(service.pid, () => sizeOf(`/documents/${record}/dossier`))
  console.log(
    `dossier with a file of ${size_mib} MiB: ${seconds.toFixed(1)} s for ${(result / MiB).toFixed(0)} MiB, memory +${(peak_mib - idle_mib).toFixed(0)} MiB at its peak`,
  )
} finally {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}
