// How much of copying a file while hashing it is left of an upload and a download of 1 GiB, and what memory they take. By hand, on
// Linux: node bench/files.ts [MiB]
import { spawnSync } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { bucketOf, openSwift, swiftLogin } from '#test/fakes/swift.ts'
import { makeLarge, median, openService, residentOf, run, timed, watched } from './service.ts'

const size_mib = Number(process.argv[2] ?? 1024)
const rounds = 3

const folder = mkdtempSync(join(tmpdir(), 'attest-bench-files-'))
const source = join(folder, 'batch record.pdf')
const copy = join(folder, 'copy.pdf')

const copyAndHash = async () => {
  rmSync(copy, { force: true })
  await run('cp', [source, copy])
  await run('sha256sum', [copy])
}

/** The time of the store itself, without the service: the file as one object, and back. */
interface Bare {
  put(): Promise<unknown>
  get(): Promise<unknown>
}

interface Found {
  copy: number[]
  put: number[]
  get: number[]
  upload: number[]
  download: number[]
  /** The most memory beyond that of the service before its first file. */
  upload_mib: number
  download_mib: number
}

async function measure(name: string, storage: Record<string, string>, bare?: Bare) {
  const service = await openService(join(folder, name), storage)
  try {
    const idle_mib = residentOf(service.pid)
    const found: Found = { copy: [], put: [], get: [], upload: [], download: [], upload_mib: 0, download_mib: 0 }
    for (let round = -1; round < rounds; round++) {
      const copied = await timed(copyAndHash)
      const put = bare && (await timed(bare.put))
      const got = bare && (await timed(bare.get))
      const upload = await watched(service.pid, () => service.upload(source))
      rmSync(copy)
      const download = await watched(service.pid, () => service.download(upload.result, copy))
      if (spawnSync('cmp', [source, copy]).status !== 0) throw new Error('what came back is not what was sent')
      if (round < 0) continue // what is loaded and reserved once
      found.copy.push(copied.seconds)
      if (put) found.put.push(put.seconds)
      if (got) found.get.push(got.seconds)
      found.upload.push(upload.seconds)
      found.download.push(download.seconds)
      found.upload_mib = Math.max(found.upload_mib, upload.peak_mib - idle_mib)
      found.download_mib = Math.max(found.download_mib, download.peak_mib - idle_mib)
    }
    report(name, found)
  } finally {
    await service.close()
  }
}

function report(name: string, found: Found) {
  const copied = median(found.copy)
  const line = (what: string, all: readonly number[], grown_mib?: number) => {
    const seconds = median(all)
    console.log(
      `  ${what.padEnd(16)}${seconds.toFixed(2).padStart(7)} s ${((size_mib * 1.048576) / seconds).toFixed(0).padStart(6)} MB/s  ${(copied / seconds).toFixed(2).padStart(5)} of copying${grown_mib === undefined ? '' : `, memory +${grown_mib.toFixed(0)} MiB at its peak`}`,
    )
  }
  console.log(`\n${name}: ${size_mib} MiB, medians of ${rounds}`)
  line('cp + sha256sum', found.copy)
  if (found.put.length > 0) {
    line('bare put', found.put)
    line('bare get', found.get)
  }
  line('upload', found.upload, found.upload_mib)
  line('download', found.download, found.download_mib)
}

try {
  await makeLarge(source, size_mib)
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
