// How long others wait for a list of documents while large files are uploaded, checked and downloaded. The service is a process of
// its own, on its own database; curl carries the files. By hand, on Linux: node bench/beside.ts
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { office } from '../test/hostile-files.ts'
import { startService } from '../test/service-process.ts'

const MiB = 1024 * 1024
const at_once = 20
const file_mib = 50
const quiet_ms = 5_000
const password = 'Correct horse 1 battery'
const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), 'attest-bench-beside-'))
const pdf = join(folder, 'report.pdf')
const docx = join(folder, 'report.docx')
const out = join(folder, 'out')

async function curl(...options: string[]) {
  const { stdout } = await run('curl', ['-sS', '--fail-with-body', '--noproxy', '*', ...options], { maxBuffer: MiB })
  return stdout
}

/** Some 100 MiB that inflate to 190: hexadecimal text, of which deflating leaves a good half. */
const largeOffice = () =>
  office(
    'docx',
    ...Array.from({ length: 19 }, (_, n) => ({
      name: `word/part${n}.xml`,
      content: `<x>${randomBytes(5 * MiB - 8).toString('hex')}</x>`,
    })),
  )

const percentile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

const service = await startService({
  DATA_DIR: join(folder, 'data'),
  MAX_UPLOAD_MB: '200',
  BOOTSTRAP_TENANT: 'Acme',
  BOOTSTRAP_ADMIN_USERNAME: 'ada',
  BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
  BOOTSTRAP_ADMIN_PASSWORD: password,
})
try {
  writeFileSync(pdf, Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(file_mib * MiB), Buffer.from('\n%%EOF\n')]))
  writeFileSync(docx, largeOffice())
  const api = `${service.address}/api`
  const logIn = await curl(
    `${api}/auth/token`,
    '-H',
    'content-type: application/json',
    '-d',
    JSON.stringify({ username: 'ada', password }),
  )
  const authorization = `Bearer ${JSON.parse(logIn).access_token}`
  const as = ['-H', `authorization: ${authorization}`]
  const types = JSON.parse(await curl(`${api}/document-types/?page_size=100`, ...as))
  const sop = types.items.find((type: { name: string }) => type.name === 'SOP').id
  const upload = async (path: string) =>
    JSON.parse(
      await curl(
        `${api}/documents/upload`,
        ...as,
        '-F',
        `file=@${path}`,
        '-F',
        `document_type=${sop}`,
        '-F',
        'title=Report',
      ),
    ).id as number

  /** One after the other, for as long as the work takes. */
  async function beside(name: string, work: () => Promise<unknown>) {
    let isOver = false
    const begun = performance.now()
    const working = work().finally(() => {
      isOver = true
    })
    const waits: number[] = []
    while (!isOver) {
      const asked = performance.now()
      const response = await fetch(`${api}/documents/`, { headers: { authorization } })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`the list was a ${response.status}`)
      waits.push(performance.now() - asked)
    }
    await working
    const seconds = (performance.now() - begun) / 1000
    waits.sort((a, b) => a - b)
    const figures = [0.5, 0.99, 1].map(share => `${percentile(waits, share).toFixed(1).padStart(7)}`)
    console.log(
      `${name.padEnd(44)}${seconds.toFixed(1).padStart(6)} s ${String(waits.length).padStart(6)}   ${figures.join(' ')}`,
    )
  }

  const id = await upload(pdf)
  console.log(`load average ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}; GET /api/documents/ in ms`)
  console.log(
    `${'beside'.padEnd(44)}${'took'.padStart(8)} ${'asked'.padStart(6)}   ${['p50', 'p99', 'most'].map(each => each.padStart(7)).join(' ')}`,
  )
  await beside('nothing', () => new Promise(done => setTimeout(done, quiet_ms)))
  await beside(`${at_once} uploads of a PDF of ${file_mib} MiB`, () =>
    Promise.all(Array.from({ length: at_once }, () => upload(pdf))),
  )
  await beside(`an upload of a .docx of ${Math.round(readFileSync(docx).length / MiB)} MiB`, () => upload(docx))
  await beside(`${at_once} downloads of a PDF of ${file_mib} MiB`, () =>
    Promise.all(
      Array.from({ length: at_once }, (_, n) => curl(`${api}/documents/${id}/download`, ...as, '-o', `${out}${n}`)),
    ),
  )
} finally {
  service.child.kill('SIGTERM')
  await service.ended
  rmSync(folder, { recursive: true, force: true })
}
