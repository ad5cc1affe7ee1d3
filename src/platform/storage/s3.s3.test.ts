// Against a real server of the protocol, OpenStack Swift: see test/support/fakes/swift.ts.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { bucketOf, type Swift, shareSwift, swiftLogin } from '#test/fakes/swift.ts'
import { until } from '#test/world/background.ts'
import { holdsNothing, page_files, storageContract } from './contract.ts'
import { openS3Storage, usualSizes } from './s3.ts'
import { least_part_bytes } from './s3-parts.ts'
import { type FileStorage, hashOf, KeyTaken, MissingFile, newKey } from './storage.ts'

const MiB = 1024 * 1024
/** Files in parts as small as the store takes them. */
const smallParts: typeof usualSizes = {
  whole_max_bytes: 6 * MiB,
  part_bytes: least_part_bytes,
  copied_part_bytes: 8 * MiB,
}
const root = mkdtempSync(join(tmpdir(), 'attest-s3-test-'))
const openSwift = shareSwift()
let swift: Swift
let client: S3Client

before(async () => {
  swift = await openSwift()
  client = await bucketOf(swift, 'attest')
})
after(async () => {
  client?.destroy()
  await swift?.close()
  rmSync(root, { recursive: true })
})

async function openStorage({
  timeout_ms,
  sizes,
  ...different
}: {
  sizes?: typeof usualSizes
  endpoint?: string
  secret_access_key?: string
  bucket?: string
  timeout_ms?: number
} = {}) {
  const folder = mkdtempSync(join(root, 'spool-'))
  const config = { bucket: 'attest', region: 'us-east-1', endpoint: swift.endpoint, ...swiftLogin, ...different }
  const storage = await openS3Storage(config, folder, { ...(timeout_ms && { timeout_ms }), ...(sizes && { sizes }) })
  return { storage, spooled: async () => readdirSync(join(folder, '.tmp')), close: () => storage.close!() }
}

/** Unfinished uploads in the store. */
async function unfinished() {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'attest' }))
  return Uploads
}

const receive = (storage: FileStorage, bytes: Buffer) =>
  storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })

/** Stands before the store and counts what passes. */
async function openRelay() {
  const sockets = new Set<Socket>()
  const seen = { up: 0, down: 0, onData: (_chunk: Buffer) => {} }
  const server = createServer(client => {
    const upstream = connect(Number(new URL(swift.endpoint).port), '127.0.0.1')
    for (const [from, to, way] of [
      [client, upstream, 'up'],
      [upstream, client, 'down'],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => to.destroy())
      from.on('data', chunk => {
        seen[way] += chunk.length
        seen.onData(chunk as Buffer)
      })
      from.pipe(to)
    }
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  server.unref()
  const cut = () => {
    for (const each of sockets) each.destroy()
  }
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    cut,
    async close() {
      cut()
      await new Promise(done => server.close(done))
    },
  }
}

storageContract('S3', () => openStorage())

describe('S3', () => {
  it('refuses a wrong secret and a bucket that is not there, plainly, and has stored nothing', async () => {
    const right = await openStorage()
    for (const [different, refusal] of [
      [{ secret_access_key: 'guessed' }, /the credentials are wrong|signature/],
      [{ bucket: 'elsewhere' }, /bucket does not exist/],
    ] as const) {
      const { storage, spooled, close } = await openStorage(different)
      for (const size of [10, 3 * MiB]) {
        const received = await receive(storage, randomBytes(size))
        const key = newKey(7)
        await assert.rejects(storage.keep(received, key), refusal)
        assert.equal(await right.storage.stat(key), undefined)
        await storage.discard(received)
      }
      await assert.rejects(storage.check(), refusal)
      await assert.rejects(storage.open(newKey(7)), refusal)
      await assert.rejects(storage.erase(newKey(7)), refusal)
      assert.deepEqual(await spooled(), [])
      await close()
    }
    await right.close()
  })

  it('fails plainly while it is down, and takes the same file afterwards', async () => {
    const { storage, spooled, close } = await openStorage()
    const bytes = randomBytes(100_000)
    const received = await receive(storage, bytes)
    const key = newKey(7)
    await swift.stop()
    const down = { code: 'ECONNREFUSED' }
    await assert.rejects(storage.keep(received, key), down)
    await assert.rejects(storage.check(), down)
    await assert.rejects(storage.stat(key), down)
    await assert.rejects(storage.open(key), down)
    await swift.start()
    assert.equal(await storage.stat(key), undefined)
    await storage.keep(received, key)
    assert.deepEqual(await buffer(await storage.open(key)), bytes)
    assert.deepEqual(await spooled(), [])
    await close()
  })

  it('has nothing of a file when it goes down in the middle of it', async () => {
    const relay = await openRelay()
    const { storage, close } = await openStorage({ endpoint: relay.endpoint })
    await storage.check()
    const bytes = randomBytes(12 * MiB)
    const received = await receive(storage, bytes)
    const key = newKey(7)
    const before = relay.seen.up
    let stopping: Promise<void> | undefined
    relay.seen.onData = () => {
      if (relay.seen.up - before > MiB) stopping ??= swift.stop()
    }
    await assert.rejects(storage.keep(received, key), { code: /ECONNRESET|EPIPE/ })
    assert.ok(stopping)
    await stopping
    relay.seen.onData = () => {}
    await swift.start()
    assert.equal(await storage.stat(key), undefined)
    await storage.keep(received, key)
    assert.equal(await hashOf(storage, key), received.sha256)
    await close()
    await relay.close()
  })

  it('never ends a download well that was cut off', async () => {
    const relay = await openRelay()
    const { storage, close } = await openStorage({ endpoint: relay.endpoint })
    const key = newKey(7)
    await storage.keep(await receive(storage, randomBytes(12 * MiB)), key)
    const stream = await storage.open(key)
    const before = relay.seen.down
    relay.seen.onData = () => {
      if (relay.seen.down - before > MiB) relay.cut()
    }
    await assert.rejects(buffer(stream), { code: 'ECONNRESET' })
    await close()
    await relay.close()
  })

  it('keeps nothing that is not what was received', async () => {
    const { storage, close } = await openStorage()
    const received = await receive(storage, Buffer.alloc(100_000, 'a'))
    writeFileSync(received.path, Buffer.alloc(100_000, 'b'))
    const key = newKey(7)
    await assert.rejects(storage.keep(received, key))
    assert.equal(await storage.stat(key), undefined)
    await storage.discard(received)
    await close()
  })

  it('gives up on a store that keeps silent, and takes the same file afterwards', async () => {
    const { storage, spooled, close } = await openStorage({ timeout_ms: 500, sizes: smallParts })
    await storage.check()
    const objects = swift.objects()
    const [small, large] = [await receive(storage, randomBytes(100_000)), await receive(storage, randomBytes(7 * MiB))]
    const keys = [newKey(7), newKey(7)] as const
    const silent = { name: /^(TimeoutError|SilentStore)$/ }
    swift.pause()
    try {
      await Promise.all([
        assert.rejects(storage.keep(small, keys[0]), silent),
        assert.rejects(storage.keep(large, keys[1]), silent),
        assert.rejects(storage.stat(keys[0]), silent),
        assert.rejects(storage.open(keys[0]), silent),
        assert.rejects(storage.check(), silent),
      ])
    } finally {
      swift.goOn()
    }
    // It has what came meanwhile to answer first, and on a busy machine that takes longer than it may be silent.
    const isTaken = (file: typeof small) =>
      storage.keep(file, newKey(7)).then(
        () => true,
        (error: Error) => {
          assert.match(error.name, silent.name)
          return false
        },
      )
    for (const file of [small, large]) await until(() => isTaken(file))
    assert.ok(swift.objects() > objects)
    assert.deepEqual(await spooled(), [])
    await close()
  })

  it('does not call a file missing that it may not look for', async () => {
    const { storage, close } = await openStorage({ secret_access_key: 'guessed' })
    await assert.rejects(storage.stat(newKey(7)), (error: Error) => !(error instanceof MissingFile))
    await close()
  })

  it('takes a file in parts, gives all and part of it, moves it within the store and forgets all its parts', async () => {
    assert.ok(usualSizes.part_bytes >= least_part_bytes)
    const { storage, spooled, close } = await openStorage({ sizes: smallParts })
    const objects = swift.objects()
    const bytes = randomBytes(15 * MiB + 1)
    const received = await receive(storage, bytes)
    const key = newKey(7)
    await storage.keep(received, key)
    assert.deepEqual(await storage.stat(key), { size_bytes: bytes.length })
    assert.equal(await hashOf(storage, key), received.sha256)
    const range = { start: 5 * MiB - 10, end: 5 * MiB + 9 }
    assert.deepEqual(await buffer(await storage.open(key, range)), bytes.subarray(range.start, range.end + 1))
    const second = await receive(storage, bytes)
    await assert.rejects(storage.keep(second, key), KeyTaken)
    await storage.discard(second)
    assert.equal(swift.objects(), objects + 4 + 1)
    await storage.move(key, `trash/${key}`)
    assert.equal(await storage.stat(key), undefined)
    assert.equal(await hashOf(storage, `trash/${key}`), received.sha256)
    await storage.remove(`trash/${key}`)
    assert.equal(swift.objects(), objects)
    assert.deepEqual(await unfinished(), [])
    assert.deepEqual(await spooled(), [])
    await close()
  })

  it('has nothing of a file in parts that is not what was received, nor of one whose store goes down', async () => {
    const relay = await openRelay()
    const { storage, close } = await openStorage({ endpoint: relay.endpoint, sizes: smallParts })
    await storage.check()
    const objects = swift.objects()
    const received = await receive(storage, randomBytes(17 * MiB))
    const key = newKey(7)
    const before = relay.seen.up
    relay.seen.onData = chunk => {
      if (relay.seen.up - before > 6 * MiB && chunk.subarray(0, 4).toString() === 'PUT ') relay.cut()
    }
    await assert.rejects(storage.keep(received, key))
    relay.seen.onData = () => {}
    assert.equal(await storage.stat(key), undefined)
    assert.deepEqual(await unfinished(), [])
    assert.equal(swift.objects(), objects)
    writeFileSync(received.path, Buffer.alloc(17 * MiB, 'b'))
    await assert.rejects(storage.keep(received, key), /is not what was received/)
    assert.equal(await storage.stat(key), undefined)
    assert.deepEqual(await unfinished(), [])
    assert.equal(swift.objects(), objects)
    await storage.discard(received)
    await close()
    await relay.close()
  })

  it('forgets what a killed process has begun, and not what another is sending', async () => {
    const { storage, close } = await openStorage()
    const begun = { Bucket: 'attest', Key: newKey(7) }
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(begun))
    await client.send(new UploadPartCommand({ ...begun, UploadId, PartNumber: 1, Body: 'half of a fi' }))
    await storage.forgetUnfinished(new Date(Date.now() - 60_000))
    assert.equal((await unfinished()).length, 1)
    await storage.forgetUnfinished(new Date(Date.now() + 60_000))
    assert.deepEqual(await unfinished(), [])
    await close()
  })

  it('takes and gives 64 MiB without holding them', async () => {
    const { storage, close } = await openStorage({ timeout_ms: 60_000, sizes: smallParts })
    await holdsNothing(storage, 64)
    await close()
  })
})

// proves: DOC-08
describe('S3, in a bucket that keeps versions', () => {
  const Bucket = 'versioned'
  let versioned: S3Client
  before(async () => {
    versioned = await bucketOf(swift, Bucket, { keepsVersions: true })
  })
  after(() => versioned?.destroy())

  async function keptOf(key: string) {
    const { Versions = [], DeleteMarkers = [] } = await versioned.send(
      new ListObjectVersionsCommand({ Bucket, Prefix: key }),
    )
    return { versions: Versions.length, markers: DeleteMarkers.length }
  }
  const nothing = { versions: 0, markers: 0 }
  async function keep(storage: FileStorage, bytes: Buffer) {
    const key = newKey(7)
    await storage.keep(await receive(storage, bytes), key)
    return key
  }

  it('leaves the content of a removed file in the store, and no byte of an erased one', async () => {
    const { storage, close } = await openStorage({ bucket: Bucket })
    const [bytes, other] = [randomBytes(1_000), randomBytes(1_000)]
    const [key, neighbour] = [await keep(storage, bytes), await keep(storage, other)]
    await storage.remove(key)
    assert.deepEqual([await storage.stat(key), swift.holds(bytes)], [undefined, true])
    await storage.erase(key)
    assert.deepEqual([await keptOf(key), swift.holds(bytes), swift.holds(other)], [nothing, false, true])
    await storage.erase(key)
    assert.deepEqual(await keptOf(key), nothing)
    await storage.erase(neighbour)
    assert.equal(swift.holds(other), false)
    await close()
  })

  it('erases more versions than a page has, and what a move into the trash has left', async () => {
    const { storage, close } = await openStorage({ bucket: Bucket })
    const bytes = randomBytes(1_000)
    const key = await keep(storage, bytes)
    for (let count = 0; count < page_files + 5; count++)
      await versioned.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes }))
    await storage.move(key, `trash/${key}`)
    assert.equal(await storage.stat(key), undefined)
    await storage.erase(key)
    assert.deepEqual([await keptOf(key), swift.holds(bytes)], [nothing, true])
    await storage.erase(`trash/${key}`)
    assert.deepEqual([await keptOf(`trash/${key}`), swift.holds(bytes)], [nothing, false])
    await close()
  })

  it('erases a file in parts with all its parts', async () => {
    const { storage, close } = await openStorage({ bucket: Bucket, sizes: smallParts })
    const bytes = randomBytes(17 * MiB)
    const key = await keep(storage, bytes)
    const pieces = [0, 5, 10, 16].map(at => bytes.subarray(at * MiB, at * MiB + 1_000))
    assert.ok(pieces.every(swift.holds))
    await storage.erase(key)
    assert.ok(!pieces.some(swift.holds))
    assert.deepEqual(await keptOf(key), nothing)
    await close()
  })

  it('erases a file although answers are lost, or says that it has not', async () => {
    const relay = await openRelay()
    const { storage, close } = await openStorage({ bucket: Bucket, endpoint: relay.endpoint })
    let lost = 0
    /** The store has done it, and its answer does not arrive. */
    const loseAnswers = (isLost: () => boolean) => {
      relay.seen.onData = chunk => {
        if (!chunk.subarray(0, 12).equals(Buffer.from('HTTP/1.1 204')) || !isLost()) return
        lost += 1
        relay.cut()
      }
    }
    const bytes = randomBytes(1_000)
    const key = await keep(storage, bytes)
    // Each answer is lost once, and the repeated request finds nothing left to do.
    let isSecond = false
    loseAnswers(() => {
      isSecond = !isSecond
      return isSecond
    })
    await storage.erase(key)
    assert.ok(lost >= 2, `${lost} answers were lost`)
    assert.deepEqual([await keptOf(key), swift.holds(bytes)], [nothing, false])
    const second = await keep(storage, bytes)
    loseAnswers(() => true)
    await assert.rejects(storage.erase(second), { code: 'ECONNRESET' })
    relay.seen.onData = () => {}
    await storage.erase(second)
    assert.deepEqual([await keptOf(second), swift.holds(bytes)], [nothing, false])
    await close()
    await relay.close()
  })
})
