// How long others wait for a list of documents while large files are uploaded, checked and downloaded. By hand, on Linux:
// node bench/beside.ts
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { office } from '#test/faults/hostile-files.ts'
import { MiB, makeLarge, openService, percentile, timed, waitsDuring } from './service.ts'

const at_once = 20
const file_mib = 50
const quiet_ms = 5_000

const folder = mkdtempSync(join(tmpdir(), 'attest-bench-beside-'))
const pdf = join(folder, 'report.pdf')
const docx = join(folder, 'report.docx')

/** Some 100 MiB that inflate to 190: hexadecimal text, of which deflating leaves a good half. */
const largeOffice = () =>
  office(
    'docx',
    ...Array.from({ length: 19 }, (_, n) => ({
      name: `word/part${n}.xml`,
      content: `<x>${randomBytes(5 * MiB - 8).toString('hex')}</x>`,
    })),
  )

const service = await openService(join(folder, 'data'))
try {
  await makeLarge(pdf, file_mib)
  writeFileSync(docx, largeOffice())

  async function beside(name: string, work: () => Promise<unknown>) {
    const { seconds, result: waits } = await timed(() => waitsDuring(service, work))
    const figures = [0.5, 0.99, 1].map(share => percentile(waits, share).toFixed(1).padStart(7))
    console.log(
      `${name.padEnd(44)}${seconds.toFixed(1).padStart(6)} s ${String(waits.length).padStart(6)}   ${figures.join(' ')}`,
    )
  }
  const all = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: at_once }, (_, n) => work(n)))

  const id = await service.upload(pdf)
  console.log(`load average ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}; GET /api/documents/ in ms`)
  console.log(
    `${'beside'.padEnd(44)}${'took'.padStart(8)} ${'asked'.padStart(6)}   ${['p50', 'p99', 'most'].map(each => each.padStart(7)).join(' ')}`,
  )
  await beside('nothing', () => setTimeout(quiet_ms))
  await beside(`${at_once} uploads of a PDF of ${file_mib} MiB`, () => all(() => service.upload(pdf)))
  await beside(`an upload of a .docx of ${Math.round(statSync(docx).size / MiB)} MiB`, () => service.upload(docx))
  await beside(`${at_once} downloads of a PDF of ${file_mib} MiB`, () =>
    all(n => service.download(id, join(folder, `out${n}`))),
  )
} finally {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}
