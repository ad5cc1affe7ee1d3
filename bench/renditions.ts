// How long the signed copy of a PDF of 100 pages takes, what memory, and what others notice meanwhile; and what the dossier of a large
// file takes. The service is a process of its own, on its own database. By hand, on Linux: node bench/renditions.ts [MiB]
import { randomBytes } from 'node:crypto'
import { createWriteStream, mkdtempSync, openAsBlob, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import PDFDocument from 'pdfkit'
import { startService } from '../test/service-process.ts'

const MiB = 1024 * 1024
const size_mib = Number(process.argv[2] ?? 1024)
const rounds = 5
const pages = 100
const password = 'Correct horse 1 battery'
const folder = mkdtempSync(join(tmpdir(), 'attest-bench-renditions-'))

const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b)
const median = (numbers: number[]) => sorted(numbers)[Math.floor(numbers.length / 2)]!
const p99 = (numbers: number[]) => sorted(numbers)[Math.floor(numbers.length * 0.99)]!

const residentOf = (pid: number) => {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kb) / 1024
}

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

/** No PDF that could be shown, and not to be compressed: what a dossier has to carry. */
async function makeLarge(path: string) {
  function* pieces() {
    yield Buffer.from('%PDF-1.4\n')
    for (let n = 0; n < size_mib; n++) yield randomBytes(MiB)
    yield Buffer.from('\n%%EOF\n')
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path))
}

async function watched<T>(pid: number, work: () => Promise<T>) {
  const before = residentOf(pid)
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, residentOf(pid))
  }, 10)
  const begun = performance.now()
  const result = await work()
  clearInterval(timer)
  return { result, ms: performance.now() - begun, before, peak }
}

const service = await startService({
  DATA_DIR: join(folder, 'data'),
  MAX_UPLOAD_MB: '10240',
  BOOTSTRAP_TENANT: 'Acme',
  BOOTSTRAP_ADMIN_USERNAME: 'ada',
  BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
  BOOTSTRAP_ADMIN_PASSWORD: password,
})
try {
  const api = `${service.address}/api`
  const pid = service.child.pid!
  const logIn = await fetch(`${api}/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password }),
  })
  const headers = { authorization: `Bearer ${((await logIn.json()) as { access_token: string }).access_token}` }
  const get = async (path: string) => {
    const reply = await fetch(`${api}${path}`, { headers })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return reply
  }
  /** To its end, of which nothing is kept. */
  const sizeOf = async (path: string) => {
    let bytes = 0
    for await (const chunk of (await get(path)).body!) bytes += (chunk as Uint8Array).length
    return bytes
  }
  const types = (await (await get('/document-types/?page_size=100')).json()) as {
    items: { id: number; name: string }[]
  }
  const upload = async (path: string) => {
    const form = new FormData()
    form.append('title', 'Cleaning of line 1')
    form.append('document_type', String(types.items.find(({ name }) => name === 'SOP')!.id))
    form.append('file', await openAsBlob(path), 'procedure.pdf')
    const reply = await fetch(`${api}/documents/upload`, { method: 'POST', headers, body: form })
    if (!reply.ok) throw new Error(await reply.text())
    return ((await reply.json()) as { id: number }).id
  }
  /** How long another reader waits, asking again and again until the work is done. */
  const othersDuring = async (work: Promise<unknown>) => {
    const waits: number[] = []
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    while (!isDone) {
      const begun = performance.now()
      await sizeOf('/documents/')
      waits.push(performance.now() - begun)
    }
    await done
    return waits
  }

  const paper = join(folder, 'paper.pdf')
  await makePaper(paper)
  const id = await upload(paper)
  const copy = `/documents/${id}/download?rendition=signed`
  await sizeOf(copy) // what is loaded and reserved once
  const found = []
  for (let round = 0; round < rounds; round++) found.push(await watched(pid, () => sizeOf(copy)))
  const [quickest, slowest] = [Math.min(...found.map(({ ms }) => ms)), Math.max(...found.map(({ ms }) => ms))]
  console.log(`signed copy of ${pages} pages (${(found[0]!.result / 1024).toFixed(0)} KiB), ${rounds} times:`)
  console.log(
    `  median ${median(found.map(({ ms }) => ms)).toFixed(0)} ms (${quickest.toFixed(0)} to ${slowest.toFixed(0)})`,
  )
  console.log(
    `  resident memory of the service ${found[0]!.before.toFixed(0)} MiB before, ${Math.max(...found.map(({ peak }) => peak)).toFixed(0)} MiB at its peak`,
  )
  const idle = await othersDuring(new Promise(resolve => setTimeout(resolve, 3_000)))
  const busy = await othersDuring(
    (async () => {
      for (let round = 0; round < rounds; round++) await sizeOf(copy)
    })(),
  )
  console.log(
    `GET /api/documents/ by another: p99 ${p99(idle).toFixed(1)} ms, while copies are made ${p99(busy).toFixed(1)} ms`,
  )

  const large = join(folder, 'large.pdf')
  await makeLarge(large)
  const record = await upload(large)
  const { ms, before, peak, result } = await watched(pid, () => sizeOf(`/documents/${record}/dossier`))
  console.log(
    `dossier with a file of ${size_mib} MiB: ${(ms / 1000).toFixed(1)} s for ${(result / MiB).toFixed(0)} MiB, memory +${(peak - before).toFixed(0)} MiB at its peak`,
  )
} finally {
  service.child.kill('SIGTERM')
  await service.ended
  rmSync(folder, { recursive: true, force: true })
}
