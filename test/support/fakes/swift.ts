// A real S3 service for the tests: OpenStack Swift as Debian has it (swift-proxy swift-account swift-container swift-object), which
// verifies the signature of every request. Four processes on 127.0.0.1, with all that they write in a temporary folder.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3'
import { page_files } from '#platform/storage/contract.ts'

/** Where the programs are: tools/test.ts says it when it has found them. */
const bin = process.env.TEST_SWIFT || '/usr/bin'
const env = {
  PATH: '/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  // Spare each start the libraries for DNS and for building packages, which took half of its time and serve nothing here.
  EVENTLET_NO_GREENDNS: 'yes',
  SETUPTOOLS_USE_DISTUTILS: 'stdlib',
}
const start_timeout_ms = 120_000
const partition_power = 4
const servers = ['account', 'container', 'object'] as const

/** The only user there is. */
export const swiftLogin = { access_key_id: 'test:tester', secret_access_key: 'testing' }

export interface Swift {
  endpoint: string
  /** Stops the processes, as a store that is down: nothing listens any more, and connections are cut. */
  stop(): Promise<void>
  /** Listens again where it did, with all that was kept. */
  start(): Promise<void>
  /** Keeps silent on connections old and new, until it goes on. */
  pause(): void
  goOn(): void
  /** How many objects lie on its disk, parts of files among them. */
  objects(): number
  /** Where they lie: what was asked of it before may still be removed. */
  stored(): string[]
  /** Whether these bytes lie anywhere on its disk. */
  holds(bytes: Buffer): boolean
  close(): Promise<void>
}

let suitesToCome = 0
let shared: Promise<Swift> | undefined

/**
 * Opens one Swift for all suites of a process, because each start costs four seconds of a processor. A suite calls this while it is loaded,
 * so that the last one to close it is known, opens it before its first test, and uses buckets of its own.
 */
export function shareSwift(): () => Promise<Swift> {
  suitesToCome++
  return async () => {
    shared ??= openSwift()
    const swift = await shared
    // A test that failed in another suite may have left it stopped or paused.
    swift.goOn()
    await swift.start()
    async function close() {
      suitesToCome--
      if (suitesToCome > 0) return
      shared = undefined
      await swift.close()
    }
    return { ...swift, close }
  }
}

export async function openSwift(): Promise<Swift> {
  const folder = mkdtempSync(join(tmpdir(), 'attest-swift-'))
  const ports = await freePorts(4)
  const proxyPort = ports.pop()!
  mkdirSync(join(folder, 'devices/d1'), { recursive: true })
  const common = {
    bind_ip: '127.0.0.1',
    // One process that serves by itself.
    workers: 0,
    user: userInfo().username,
    swift_dir: folder,
    devices: join(folder, 'devices'),
    mount_check: 'false',
    disable_fallocate: 'true',
    log_level: 'ERROR',
  }
  for (const [index, name] of servers.entries()) {
    const port = ports[index]!
    writeRing(folder, name, port)
    writeSettings(join(folder, `${name}.conf`), {
      DEFAULT: { ...common, bind_port: port },
      'pipeline:main': { pipeline: `${name}-server` },
      [`app:${name}-server`]: { use: `egg:swift#${name}` },
    })
  }
  writeSettings(join(folder, 'proxy.conf'), {
    DEFAULT: { ...common, bind_port: proxyPort },
    'pipeline:main': {
      pipeline:
        'catch_errors gatekeeper cache listing_formats s3api tempauth copy slo versioned_writes symlink proxy-server',
    },
    'app:proxy-server': { use: 'egg:swift#proxy', account_autocreate: 'true' },
    'filter:catch_errors': { use: 'egg:swift#catch_errors' },
    'filter:gatekeeper': { use: 'egg:swift#gatekeeper' },
    // The S3 layer looks for a cache, and does without where none answers.
    'filter:cache': { use: 'egg:swift#memcache', memcache_servers: '127.0.0.1:1' },
    'filter:listing_formats': { use: 'egg:swift#listing_formats' },
    'filter:s3api': { use: 'egg:swift#s3api', max_bucket_listing: page_files },
    // Copies within the store, and files in parts.
    'filter:copy': { use: 'egg:swift#copy' },
    'filter:slo': { use: 'egg:swift#slo' },
    // For buckets that keep versions; a version is behind a symbolic link.
    'filter:versioned_writes': { use: 'egg:swift#versioned_writes', allow_object_versioning: 'true' },
    'filter:symlink': { use: 'egg:swift#symlink' },
    'filter:tempauth': { use: 'egg:swift#tempauth', user_test_tester: `${swiftLogin.secret_access_key} .admin` },
  })

  const behind = servers.map(name => run(folder, name))
  let proxy: ChildProcess | undefined
  const endpoint = `http://127.0.0.1:${proxyPort}`
  async function start() {
    if (proxy && isRunning(proxy)) return
    proxy = run(folder, 'proxy')
    for (const deadline = Date.now() + start_timeout_ms; !(await answers(endpoint)); await setTimeout(50))
      assert.ok(Date.now() < deadline && proxy.exitCode === null, 'Swift does not start')
  }
  async function stop() {
    if (proxy) await kill(proxy)
  }
  async function close() {
    await Promise.all([stop(), ...behind.map(kill)])
    rmSync(folder, { recursive: true })
  }
  try {
    await start()
    for (const port of ports) assert.ok(await listens(`http://127.0.0.1:${port}`), 'Swift does not start')
  } catch (error) {
    await close()
    throw error
  }
  const stored = () => globSync('devices/d1/objects/**/*.data', { cwd: folder })
  const objects = () => stored().length
  const holds = (bytes: Buffer) => stored().some(path => readFileSync(join(folder, path)).includes(bytes))
  const pause = () => void proxy?.kill('SIGSTOP')
  const goOn = () => void proxy?.kill('SIGCONT')
  return { endpoint, start, stop, pause, goOn, objects, stored, holds, close }
}

/** Makes a bucket, and answers whom to ask about it. */
export async function bucketOf(
  { endpoint }: Swift,
  name: string,
  { keepsVersions = false }: { keepsVersions?: boolean } = {},
) {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = swiftLogin
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  await client.send(new CreateBucketCommand({ Bucket: name }))
  if (keepsVersions)
    await client.send(new PutBucketVersioningCommand({ Bucket: name, VersioningConfiguration: { Status: 'Enabled' } }))
  return client
}

/**
 * A ring says on which machines and disks the records are: here one disk has each of the 16 partitions. It is written in the first format of
 * Swift, which all its releases read, because swift-ring-builder takes two seconds of a processor for each ring.
 */
function writeRing(folder: string, name: string, port: number) {
  const ip = '127.0.0.1'
  const disk = { id: 0, region: 1, zone: 1, ip, port, device: 'd1', weight: 1, meta: '' }
  const ring = { devs: [disk], part_shift: 32 - partition_power, replica_count: 1, byteorder: 'little', version: 1 }
  const text = Buffer.from(JSON.stringify(ring))
  const head = Buffer.alloc(10)
  head.write('R1NG')
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(text.length, 6)
  const diskOfPartitions = new Uint16Array(2 ** partition_power)
  writeFileSync(
    join(folder, `${name}.ring.gz`),
    gzipSync(Buffer.concat([head, text, Buffer.from(diskOfPartitions.buffer)])),
  )
}

function writeSettings(path: string, sections: Record<string, Record<string, string | number>>) {
  const lines = Object.entries(sections).flatMap(([section, settings]) => [
    `[${section}]`,
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
  ])
  writeFileSync(path, `${lines.join('\n')}\n`)
}

function run(folder: string, name: string) {
  // In a group of its own, because a Swift that is told to end tells its whole group.
  const options = { cwd: folder, env, detached: true } as const
  const server = spawn(join(bin, `swift-${name}-server`), [join(folder, `${name}.conf`)], {
    ...options,
    stdio: 'ignore',
  })
  // Reads to the end of this process, however that comes.
  const guard = spawn('sh', ['-c', 'read _; kill -KILL "$0"', String(server.pid)], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  server.once('exit', () => guard.kill('SIGKILL'))
  return server
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

async function kill(server: ChildProcess) {
  if (!isRunning(server)) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}

const answers = (url: string) =>
  fetch(url).then(
    response => response.status < 500,
    () => false,
  )

async function listens(url: string) {
  for (const deadline = Date.now() + start_timeout_ms; Date.now() < deadline; await setTimeout(50)) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    )
    if (isThere) return true
  }
  return false
}

async function freePorts(count: number) {
  const held = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(held.map(server => once(server, 'listening')))
  const ports = held.map(server => (server.address() as AddressInfo).port)
  await Promise.all(held.map(server => new Promise(done => server.close(done))))
  return ports
}
