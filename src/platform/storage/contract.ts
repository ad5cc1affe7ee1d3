import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AppError } from '#kernel/errors.ts'
import { type FileStorage, hashOf, KeyTaken, type ListedFile, MissingFile, markName, newKey } from './storage.ts'

interface StorageUnderTest {
  storage: FileStorage
  /** The names of the files in its spool. */
  spooled(): Promise<string[]>
  close(): Promise<void>
}

const MiB = 1024 * 1024

/** The size of a page of files in the tests' stores. */
export const page_files = 8

/** Other tests may share the bucket. */
const newTenant = () => randomInt(1_000, 1_000_000_000)

/** The contract of every storage, run against each kind. `open` makes an empty one. */
export function storageContract(name: string, open: () => Promise<StorageUnderTest>) {
  describe(`${name}: what every storage promises`, () => {
    let under: StorageUnderTest
    let storage: FileStorage
    beforeEach(async () => {
      under = await open()
      storage = under.storage
    })
    afterEach(() => under.close())

    const max_bytes = 1_000_000
    const receive = (bytes: Buffer, cap = max_bytes) => storage.receive(inPieces(bytes), { max_bytes: cap })
    async function keep(bytes: Buffer) {
      const key = newKey(7)
      await storage.keep(await receive(bytes), key)
      return key
    }
    const read = async (key: string) => buffer(await storage.open(key))

    async function found(prefix: string) {
      const files: ListedFile[] = []
      for await (const file of storage.list(prefix)) files.push(file)
      return files
    }

    it('gives back what was kept, byte for byte, and nothing stays in the spool (proves: DOC-03)', async () => {
      for (const size of [0, 1, 4_100, 65_536, 300_001]) {
        const bytes = randomBytes(size)
        const received = await receive(bytes)
        assert.equal(received.size_bytes, size)
        assert.equal(received.sha256, sha256(bytes))
        assert.deepEqual(received.head, bytes.subarray(0, 4_100))
        assert.deepEqual(received.whole, size > 256 * 1024 ? undefined : bytes)
        const key = newKey(7)
        await storage.keep(received, key)
        assert.deepEqual(await read(key), bytes)
        assert.deepEqual(await storage.stat(key), { size_bytes: size })
        assert.equal(await hashOf(storage, key), sha256(bytes))
      }
      assert.deepEqual(await under.spooled(), [])
    })

    it('carries the mark of one installation, which is no file of a record (proves: DOC-08)', async () => {
      // An earlier test may have marked the bucket.
      if ((await storage.readMark()) === undefined) await storage.mark('of one')
      await assert.rejects(storage.mark('of another'), KeyTaken)
      assert.equal(await storage.readMark(), 'of one')
      for (const { key } of await found('')) assert.notEqual(key, markName)
      assert.deepEqual(await under.spooled(), [])
    })

    it('gives the part that is asked for', async () => {
      const bytes = randomBytes(1_000)
      const key = await keep(bytes)
      assert.deepEqual(await buffer(await storage.open(key, { start: 10, end: 19 })), bytes.subarray(10, 20))
      assert.deepEqual(await buffer(await storage.open(key, { start: 999, end: 999 })), bytes.subarray(999))
    })

    it('takes a file of just the size that is allowed, and refuses one byte more without a trace (proves: DOC-07)', async () => {
      const received = await receive(randomBytes(70_000), 70_000)
      assert.equal(received.size_bytes, 70_000)
      await storage.discard(received)
      await assert.rejects(receive(randomBytes(70_001), 70_000), (error: AppError) => error.status === 413)
      assert.deepEqual(await under.spooled(), [])
    })

    it('stops reading what is too large instead of taking it all in', async () => {
      let sent = 0
      const endless = Readable.from(
        (function* () {
          for (;;) {
            sent += 1_000
            yield Buffer.alloc(1_000)
          }
        })(),
      )
      await assert.rejects(storage.receive(endless, { max_bytes: 10_000 }), AppError)
      assert.ok(endless.destroyed)
      assert.ok(sent < 100_000, `${sent} bytes were read`)
    })

    it('keeps nothing of a stream that breaks', async () => {
      const broken = Readable.from(
        (async function* () {
          yield randomBytes(50_000)
          throw new Error('the connection is gone')
        })(),
      )
      await assert.rejects(storage.receive(broken, { max_bytes }), /the connection is gone/)
      const cut = new Readable({ read() {} })
      cut.push(randomBytes(50_000))
      const receiving = storage.receive(cut, { max_bytes })
      cut.destroy()
      await assert.rejects(receiving, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
      assert.deepEqual(await under.spooled(), [])
    })

    it('forgets what is discarded, even twice', async () => {
      const received = await receive(randomBytes(10))
      await storage.discard(received)
      await storage.discard(received)
      assert.deepEqual(await under.spooled(), [])
    })

    it('never replaces a file, whoever comes second', async () => {
      const key = newKey(7)
      const contenders = await Promise.all(Array.from({ length: 8 }, () => receive(randomBytes(1_000))))
      const outcomes = await Promise.allSettled(contenders.map(received => storage.keep(received, key)))
      const winners = contenders.filter((_, index) => outcomes[index]?.status === 'fulfilled')
      assert.equal(winners.length, 1)
      assert.equal(await hashOf(storage, key), winners[0]?.sha256)
      for (const received of contenders) await storage.discard(received)
      assert.equal(await hashOf(storage, key), winners[0]?.sha256)
      assert.deepEqual(await under.spooled(), [])
    })

    it('says of a file that is not there that it is missing, before the first byte', async () => {
      await assert.rejects(storage.open(newKey(7)), MissingFile)
      assert.equal(await storage.stat(newKey(7)), undefined)
    })

    it('removes a file, and does not mind that it is gone already', async () => {
      const key = await keep(randomBytes(10))
      await storage.remove(key)
      await storage.remove(key)
      assert.equal(await storage.stat(key), undefined)
    })

    it('erases a file for good, and does not mind that it is gone already', async () => {
      const [key, other] = [await keep(randomBytes(10)), await keep(randomBytes(10))]
      await storage.erase(key)
      await storage.erase(key)
      assert.equal(await storage.stat(key), undefined)
      assert.ok(await storage.stat(other))
    })

    it('lists what is below a prefix and nothing of a neighbour, with size and age', async () => {
      const begun = Date.now()
      const tenant = newTenant()
      const keys = [newKey(tenant), newKey(tenant), newKey(tenant * 10), `trash/${newKey(tenant)}`]
      for (const [index, key] of keys.entries()) await storage.keep(await receive(randomBytes(10 + index)), key)
      const sorted = async (prefix: string) => (await found(prefix)).map(({ key }) => key).sort()
      assert.deepEqual(await sorted(`${tenant}/`), keys.slice(0, 2).sort())
      assert.deepEqual(await sorted(`trash/${tenant}/`), keys.slice(3))
      assert.deepEqual(await found(`${newTenant()}/`), [])
      const all = await found('')
      for (const [index, key] of keys.entries()) {
        const { size_bytes, modified_at } = all.find(each => each.key === key)!
        assert.equal(size_bytes, 10 + index)
        // Some stores keep whole seconds.
        assert.ok(modified_at.getTime() >= begun - 1000 && modified_at.getTime() <= Date.now() + 1000)
      }
      for (const prefix of ['7', '/', '../', '7/../', '.tmp/', '7//'])
        await assert.rejects(found(prefix), /is not the beginning/, prefix)
    })

    it('lists more than a page of files', async () => {
      const tenant = newTenant()
      const keys = Array.from({ length: 2 * page_files + 2 }, () => newKey(tenant))
      await Promise.all(keys.map(async key => storage.keep(await receive(Buffer.of(1)), key)))
      assert.deepEqual((await found(`${tenant}/`)).map(({ key }) => key).sort(), keys.sort())
    })

    it('moves a file to another key, as of now, also where an earlier move was cut off', async () => {
      const bytes = randomBytes(1_000)
      const key = await keep(bytes)
      const to = `trash/${key}`
      await storage.move(key, to)
      assert.deepEqual(await read(to), bytes)
      assert.equal(await storage.stat(key), undefined)
      await assert.rejects(storage.move(key, to), MissingFile)
      await storage.keep(await receive(bytes), key)
      await storage.move(key, to)
      assert.deepEqual(await read(to), bytes)
      assert.equal(await storage.stat(key), undefined)
    })

    it('refuses every key that could name something else', async () => {
      const received = await receive(randomBytes(10))
      const strange = [
        '',
        '.',
        '..',
        '/',
        '/etc/passwd',
        '../x/y',
        '7/../../x',
        '7/./x',
        '7//x',
        '7/x/',
        '7\\..\\x',
        '.tmp/x',
      ]
      strange.push('7/x\0', '7/X/y', '7/x\n', 'C:/x', '7/%2e%2e/x', '７/x', `7/${'a'.repeat(300)}`, 'x')
      for (const key of strange) {
        await assert.rejects(storage.keep(received, key), /is not a storage key/, key)
        await assert.rejects(storage.open(key), /is not a storage key/, key)
        await assert.rejects(storage.stat(key), /is not a storage key/, key)
        await assert.rejects(storage.remove(key), /is not a storage key/, key)
      }
      await storage.discard(received)
    })

    it('receives and keeps 50 files at once', async () => {
      const files = Array.from({ length: 50 }, () => randomBytes(20_000))
      const keys = await Promise.all(files.map(keep))
      for (const [index, key] of keys.entries()) assert.deepEqual(await read(key), files[index])
    })

    it('says that it works, and leaves nothing behind by it', async () => {
      await storage.check()
      assert.deepEqual(await under.spooled(), [])
    })
  })
}

/** Collects all garbage: what memory there is afterwards is held. */
function openCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return collect
}

/** Stores and reads a large file, and fails if it was in memory as a whole. */
export async function holdsNothing(storage: FileStorage, size_mib = 256) {
  const piece = randomBytes(MiB)
  const once = async (count: number) => {
    const pieces = () => Readable.from(Array.from({ length: count }, () => piece))
    const expected = createHash('sha256')
    for await (const each of pieces()) expected.update(each as Buffer)
    const sha256 = expected.digest('hex')
    const received = await storage.receive(pieces(), { max_bytes: count * MiB })
    assert.equal(received.sha256, sha256)
    const key = newKey(7)
    await storage.keep(received, key)
    assert.equal(await hashOf(storage, key), sha256)
    await storage.remove(key)
  }
  await once(size_mib / 8) // loads what stays
  const collect = openCollector()
  const used = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  // Buffers under way take some MiB; a file in memory would take all of its size.
  const most = (size_mib / 2) * MiB
  collect()
  const before = used()
  let more = 0
  // To collect takes long in a process that holds much, and what is used with its garbage is usually little enough.
  const timer = setInterval(() => {
    if (used() - before < most) return
    collect()
    more = Math.max(more, used() - before)
  }, 50)
  await once(size_mib)
  clearInterval(timer)
  assert.ok(more < most, `${(more / MiB).toFixed(1)} MiB more`)
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Pieces of unequal size, as from a socket. */
function inPieces(bytes: Buffer) {
  const pieces: Buffer[] = []
  for (let at = 0, size = 1; at < bytes.length; at += size, size = ((size * 7) % 60_000) + 1)
    pieces.push(bytes.subarray(at, at + size))
  return Readable.from(pieces)
}
