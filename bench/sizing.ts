// The needs of an installation: processor time of a request, memory of a process, bytes of a record. The table of docs/operations.md#size
// is made from what this prints. Processor time, and not requests a second, because it says the same on a machine that is busy.
//
//   node bench/sizing.ts [--size 2000] [--seconds 3]
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openTextExtractor } from '#platform/text-extraction/index.ts'
import { pdfOf } from '#test/builders/text-files.ts'
import type { World } from '#test/world/world.ts'
import { openPlaces } from './installation.ts'
import { measure } from './measure.ts'
import { processorTimeOf } from './processes.ts'
import { scenarios } from './scenarios.ts'
import { MiB, residentOf } from './service.ts'

const { values: given } = parseArgs({
  options: { size: { type: 'string', default: '2000' }, seconds: { type: 'string', default: '3' } },
})
const records = Number(given.size)
const seconds = Number(given.seconds)
const measured = [
  'list documents',
  'read a document',
  'search',
  'list the audit trail',
  'report a deviation',
  'upload a document',
]
/** Tables by what their rows are of; the others grow with people and settings. */
const groups: [string, RegExp][] = [
  ['documents: records and history', /^(documents|document_versions|document_history|document_comments)$/],
  [
    'documents: text and search index',
    /^(document_index|document_texts|document_chunks|chunk_bits|version_vectors|embedding_models)$/,
  ],
  ['deviations: records, history and index', /^(deviations|deviation_\w+|record_history|record_comments)$/],
  ['audit entries, sealed', /^audit_\w+$/],
]

const kidsOf = (pid: number) =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ')[1] === String(pid)
      } catch {
        return false // it has ended since the folder was read
      }
    })
    .map(Number)

/** The processor time of the database server with all its processes, in milliseconds. */
async function serverTime(world: World) {
  const [folder] = await world.rows<{ data_directory: string }>('show data_directory')
  const main = Number(readFileSync(join(folder!.data_directory, 'postmaster.pid'), 'utf8').split('\n')[0])
  return [main, ...kidsOf(main)].reduce((sum, pid) => sum + processorTimeOf(pid), 0)
}

async function bytesByGroup(world: World) {
  const tables = await world.rows<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid)::text as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const [name, pattern] of groups) {
    const bytes = tables.filter(table => pattern.test(table.name)).reduce((sum, table) => sum + Number(table.bytes), 0)
    console.log(`${name.padEnd(44)}${(bytes / MiB).toFixed(1).padStart(8)} MiB`)
  }
  const [all] = await world.rows<{ bytes: string }>('select pg_database_size(current_database())::text as bytes')
  console.log(`${'the whole database'.padEnd(44)}${(Number(all!.bytes) / MiB).toFixed(1).padStart(8)} MiB`)
}

/** The most that a process which reads the text of one file has in memory. */
async function extraction(folder: string) {
  const works = openTextExtractor()
  const others = new Set(kidsOf(process.pid))
  const words = 'The operator wipes every surface with a cloth and writes down the time, the lot and the name. '
  for (const pages of [3, 200]) {
    const path = join(folder, `${pages}.pdf`)
    const write = (pdf: PDFKit.PDFDocument) => pdf.fontSize(10).text(words.repeat(32))
    writeFileSync(path, await pdfOf(Array.from({ length: pages }, () => write)))
    let peak_mib = 0
    const timer = setInterval(() => {
      for (const pid of kidsOf(process.pid).filter(each => !others.has(each))) {
        try {
          peak_mib = Math.max(peak_mib, residentOf(pid))
        } catch {
          // it has ended meanwhile
        }
      }
    }, 20)
    const { status } = await works.extract({ path, ending: 'pdf' })
    clearInterval(timer)
    console.log(`reading a PDF of ${pages} pages: ${status}, at most ${peak_mib.toFixed(0)} MiB`)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'attest-sizing-'))
const places = await openPlaces(() => {})
try {
  const [load] = loadavg()
  console.log(
    `load average ${load!.toFixed(1)}; ${records} documents, ${records} deviations, ${10 * records} audit entries`,
  )
  const place = await places.open({ documents: records, deviations: records, entries: 10 * records })
  const { world, served } = place
  await bytesByGroup(world)
  console.log(`${'idle after the start'.padEnd(28)}${residentOf(served.pid).toFixed(0).padStart(6)} MiB`)
  console.log(`${''.padEnd(28)}service ms  database ms   memory MiB`)
  for (const scenario of scenarios.filter(({ name }) => measured.includes(name))) {
    const before = await serverTime(world)
    const { figures } = await measure({ ...scenario, peers: [] }, place, {
      rounds: 1,
      until: { seconds },
      connections: 8,
      folder,
    })
    const { count, processor_ms, failed } = figures.Attest!
    const database_ms = ((await serverTime(world)) - before) / count
    const shown = [processor_ms!.toFixed(2), database_ms.toFixed(2), residentOf(served.pid).toFixed(0)]
    console.log(
      `${scenario.name.padEnd(28)}${shown.map(each => each.padStart(10)).join('   ')}${failed ? `  failed ${failed}` : ''}`,
    )
  }
  await extraction(folder)
} finally {
  await places.close()
  rmSync(folder, { recursive: true, force: true })
}
