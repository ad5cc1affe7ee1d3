// How much of copying a file while hashing it is left of an upload and a download of 1 GiB, and what memory they take. The service
// is a process of its own, on its own database; curl is the client. By hand, on Linux: node bench/files.ts [MiB]
import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { startService } from '../test/service-process.ts'
import { bucketOf, openSwift, swiftLogin } from '../test/swift.ts'

const MiB = 1024 * 1024
const size_mib = Number(process.argv[2] ?? 1024)
const rounds = 3
const sampled_every_ms = 20
const password = 'Correct horse 1 battery'
const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), 'attest-bench-files-'))
const source = join(folder, 'batch record.pdf')
const copy = join(folder, 'copy.pdf')

interface Measured {
  seconds: number
  grown_mib: number
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
const timed = async (work: () => Promise<unknown>) => {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

async function makeSource() {
  const piece = randomBytes(MiB)
  function* pieces() {
    yield Buffer.from('%PDF-1.4\n')
    for (let n = 0; n < size_mib; n++) {
      piece.writeUInt32LE(n)
      yield piece
    }
    yield Buffer.from('\n%%EOF\n')
  }
  await pipeline(Readable.from(pieces()), createWriteStream(source))
}

/** Resident memory of the service now, in MiB. */
const residentOf = (pid: number) => {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kb) / 1024
}

/** `idle_mib`: what the service took before its first file. */
async function watched(pid: number, idle_mib: number, work: () => Promise<unknown>): Promise<Measured> {
  let peak = idle_mib
  const timer = setInterval(() => {
    peak = Math.max(peak, residentOf(pid))
  }, sampled_every_ms)
  const seconds = await timed(work)
  clearInterval(timer)
  return { seconds, grown_mib: peak - idle_mib }
}

const copyAndHash = () =>
  timed(async () => {
    rmSync(copy, { force: true })
    await run('cp', [source, copy])
    await run('sha256sum', [copy])
  })

async function curl(...options: string[]) {
  const { stdout } = await run('curl', ['-sS', '--fail-with-body', '--noproxy', '*', ...options], { maxBuffer: MiB })
  return stdout
}

/** What the store itself takes, without the service: the file as one object, and back. */
interface Bare {
  put(): Promise<unknown>
  get(): Promise<unknown>
}

async function measure(name: string, storage: Record<string, string>, bare?: Bare) {
  const service = await startService({
    DATA_DIR: join(folder, name),
    MAX_UPLOAD_MB: '10240',
    BOOTSTRAP_TENANT: 'Acme',
    BOOTSTRAP_ADMIN_USERNAME: 'ada',
    BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
    BOOTSTRAP_ADMIN_PASSWORD: password,
    ...storage,
  })
  try {
    const api = `${service.address}/api`
    const json = ['-H', 'content-type: application/json']
    const logIn = await curl(`${api}/auth/token`, ...json, '-d', JSON.stringify({ username: 'ada', password }))
    const as = ['-H', `authorization: Bearer ${JSON.parse(logIn).access_token}`]
    const types = JSON.parse(await curl(`${api}/document-types/?page_size=100`, ...as))
    const sop = types.items.find((type: { name: string }) => type.name === 'SOP').id
    const pid = service.child.pid!
    const idle_mib = residentOf(pid)
    const found: Found = { copy: [], put: [], get: [], upload: [], download: [] }
    for (let round = -1; round < rounds; round++) {
      const copied = await copyAndHash()
      const [put, got] = bare ? [await timed(bare.put), await timed(bare.get)] : [0, 0]
      let id = 0
      const upload = await watched(pid, idle_mib, async () => {
        const form = ['-F', `file=@${source}`, '-F', `document_type=${sop}`, '-F', 'title=Batch record']
        id = JSON.parse(await curl(`${api}/documents/upload`, ...as, ...form)).id
      })
      rmSync(copy)
      const download = await watched(pid, idle_mib, () => curl(`${api}/documents/${id}/download`, ...as, '-o', copy))
      if (statSync(copy).size !== statSync(source).size) throw new Error('the download is not as long as the upload')
      if (spawnSync('cmp', [source, copy]).status !== 0) throw new Error('what came back is not what was sent')
      if (round < 0) continue // what is loaded and reserved once
      found.copy.push(copied)
      found.put.push(put)
      found.get.push(got)
      found.upload.push(upload)
      found.download.push(download)
    }
    report(name, found, bare !== undefined)
  } finally {
    service.child.kill('SIGTERM')
    await service.ended
    rmSync(join(folder, name), { recursive: true, force: true })
  }
}

interface Found {
  copy: number[]
  put: number[]
  get: number[]
  upload: Measured[]
  download: Measured[]
}

function report(name: string, found: Found, hasBare: boolean) {
  const copied = median(found.copy)
  const line = (what: string, seconds: number, grown?: number) =>
    console.log(
      `  ${what.padEnd(16)}${seconds.toFixed(2).padStart(7)} s ${((size_mib * 1.048576) / seconds).toFixed(0).padStart(6)} MB/s  ${(copied / seconds).toFixed(2).padStart(5)} of copying${grown === undefined ? '' : `, memory +${grown.toFixed(0)} MiB at its peak`}`,
    )
  console.log(`\n${name}: ${size_mib} MiB, medians of ${rounds}`)
  line('cp + sha256sum', copied)
  if (hasBare) {
    line('bare put', median(found.put))
    line('bare get', median(found.get))
  }
  for (const what of ['upload', 'download'] as const)
    line(
      what,
      median(found[what].map(({ seconds }) => seconds)),
      Math.max(...found[what].map(({ grown_mib }) => grown_mib)),
    )
}

try {
  await makeSource()
  await measure('local', {})
  if (existsSync('/usr/bin/swift-object-server')) {
    const swift = await openSwift()
    try {
      const client = await bucketOf(swift, 'attest')
      const whole = { Bucket: 'attest', Key: 'bare' }
      const bare: Bare = {
        put: () =>
          client.send(
            new PutObjectCommand({ ...whole, Body: createReadStream(source), ContentLength: statSync(source).size }),
          ),
        async get() {
          const { Body } = await client.send(new GetObjectCommand(whole))
          await pipeline(Body as Readable, createWriteStream(copy))
        },
      }
      await measure(
        's3 (OpenStack Swift)',
        {
          STORAGE_TYPE: 's3',
          S3_BUCKET: 'attest',
          S3_ENDPOINT: swift.endpoint,
          S3_ACCESS_KEY_ID: swiftLogin.access_key_id,
          S3_SECRET_ACCESS_KEY: swiftLogin.secret_access_key,
        },
        bare,
      )
      client.destroy()
    } finally {
      await swift.close()
    }
  } else console.log('\ns3: left out, OpenStack Swift is not installed')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
